// biome-ignore-all format: as it was written.
// Written by extension/messages.py from what the Python side says: change that, then `make types`.

/** What could be faster in a plan, and how; ``node`` is the id of the operator concerned. */
export interface Advice {
  node: number;
  rule: string;
  cost: string;
  remedy: string;
}

/** A bar of a histogram: how many observations lie between two values. */
export interface Bar {
  low: number;
  high: number;
  count: number;
}

/**
 * A ``%%udf`` cell that ran: the CRC-32 of its text, the functions it registered, and its
 * error; "" without one.
 */
export interface CellNews {
  code: number;
  functions: RegisteredNews[];
  error: string;
}

/**
 * A comparison of two plans as data: ``pairs`` are the ids of paired operators, ``marks`` the
 * mark of each operator by its id, left and right.
 */
export interface ComparisonData {
  left: Plan & PlanStages;
  right: Plan & PlanStages;
  pairs: [number, number][];
  marks: [Record<string, "same" | "changed" | "only here">, Record<string, "same" | "changed" | "only here">];
}

/** A worker that has ended; ``how`` says in what way. */
export interface EndedWorker {
  pid: number;
  bundle: number;
  memory: number;
  peak_memory: number;
  memory_limit: number;
  started: number;
  seen: number;
  bundles_done: number;
  rows_done: number;
  failures: number;
  state: string;
  function: string;
  cpu: number;
  error: string;
  how: string;
}

/** A call that failed. */
export interface FailedData {
  function: string;
  error_id: string;
  outcome: string;
  exception: string;
  message: string;
  arguments: [string, string][];
  stage: number;
  partition: number;
  bundle: number;
  row: number;
  worker: number;
  time: number;
}

/**
 * A failed call as sent to a browser. A line of ``code`` has its number, its text, and whether
 * it is the one that failed.
 */
export interface FailureData {
  id: string;
  time: number;
  pid: number;
  query: string;
  task: number;
  function: string;
  bundle: number;
  row: number;
  headline: string;
  message: string;
  position: string;
  outcome: string;
  code: [number, string, boolean][];
  arguments: [string, string][];
  frames: string[];
  more_frames: number;
  replay: boolean;
}

/** The calls that failed since the last message of this kind. */
export interface FailuresMessage {
  kind: "failures";
  failures: FailureData[];
}

/**
 * What a function cost in an operator: sums over tasks, times in seconds.
 *
 * ``nodes`` holds the ids of the operators that share these sums: several where more than one
 * operator evaluates the function and their tasks could not be told apart.
 */
export interface FunctionCost {
  name: string;
  version: number;
  rows_in: number;
  rows_out: number;
  bundles: number;
  user: number;
  decode: number;
  encode: number;
  waiting: number;
  errors: number;
  nodes: number[];
}

/**
 * A version of a function in a timeline: a value for each point.
 *
 * ``rows`` are input rows; times are nanoseconds, summed over workers, with ``wait_ns`` for
 * waiting for rows and handing results over. Percentiles are of the durations of the bundles
 * that ended in the point (within 2 %), None where none did.
 */
export interface FunctionLine {
  function: string;
  version: number;
  rows: number[];
  errors: number[];
  wait_ns: number[];
  decode_ns: number[];
  user_ns: number[];
  encode_ns: number[];
  p50_ns: (number | null)[];
  p95_ns: (number | null)[];
  p99_ns: (number | null)[];
}

/** The newest version of a function. */
export interface FunctionNews {
  name: string;
  kind: string;
  version: number;
  signature: string;
  source: string;
}

/** What one function cost in one bundle; times in nanoseconds. */
export interface FunctionTiming {
  function: string;
  version: number;
  rows_in: number;
  rows_out: number;
  decode_ns: number;
  user_ns: number;
  encode_ns: number;
  errors: number;
}

/** A Python function in an operator of a plan. */
export interface FunctionUse {
  name: string;
  version: number | null;
  kind: string;
  func_type: string;
  eval_type: number;
  role: string;
  task: string;
  way: string;
  call: string;
  deterministic: boolean | null;
  mergeable: boolean | null;
  nested: boolean;
  source: string;
  kernels_if_general: boolean;
}

/** The first functions of the session; ``count`` is the number of all. */
export interface FunctionsNews {
  functions: FunctionNews[];
  count: number;
}

/** How many lines of a worker are missing before the line at position ``at`` of its block. */
export type Gap = [at: number, pid: number, missing: number];

/** The changes of a key's accumulators, from micro-batch ``first`` to micro-batch ``last``. */
export interface HistoryData {
  first: number;
  last: number;
  rows: KeyChange[];
}

/** A function's accumulator for a key from a micro-batch on; None if the key was removed. */
export interface KeyChange {
  batch: number;
  function: string;
  accumulator: string | null;
}

/** A message to all browsers that is no reply: news, or that the extension is unloaded. */
export interface LabMessage {
  news?: News;
  gone?: boolean;
}

/** How many functions and workers a panel's timeline leaves out; any other has all. */
export interface LeftOut {
  more_functions?: number;
  more_workers?: number;
}

/** A log line; ``time`` in seconds since the epoch. */
export interface LineNews {
  time: number;
  level: string;
  pid: number;
  function: string;
  text: string;
}

/** The fields that many log lines share; ``task_attempt`` is Spark's TID, -1 outside a task. */
export type LineOrigin = [pid: number, query: string, level: string, source: string, function: string, task_attempt: number];

/** Log lines, as packed columns in the message's buffer: a ``full`` block, or a piece of one. */
export interface LinesMessage {
  kind: "lines";
  start: number;
  count: number;
  full: boolean;
  origins: LineOrigin[];
  gaps: Gap[];
}

/** The state of a run, and the kernel's id on its Jupyter server; "" where not known. */
export interface LiveData {
  run: RunData;
  kernel: string;
}

/**
 * A live worker, with the row and the task it is at (``partition`` is -1 outside of a task)
 * and the share of a processor that it uses now.
 */
export interface LivingWorker {
  pid: number;
  bundle: number;
  memory: number;
  peak_memory: number;
  memory_limit: number;
  started: number;
  seen: number;
  bundles_done: number;
  rows_done: number;
  failures: number;
  state: string;
  function: string;
  cpu: number;
  error: string;
  row: number;
  cpu_now: number;
  query: string;
  partition: number;
}

/** A filter of log lines; None matches any. */
export interface LogChoice {
  query: string | null;
  function: string | null;
  level: string | null;
  pid: number | null;
  text: string | null;
}

/**
 * The numbers of the lines that are kept, how many are missing, whether tests of failed calls
 * can be written, and the view's filter.
 */
export interface LogData {
  first: number;
  end: number;
  dropped: number;
  captures: boolean;
  choice: LogChoice;
}

/** The last log lines, how many were written, and how many are missing. */
export interface LogNews {
  lines: LineNews[];
  count: number;
  dropped: number;
}

/** One of Spark's metrics of an operator. */
export interface Metric {
  name: string;
  unit: "rows" | "bytes" | "seconds";
  value: number;
  text: string;
  least: number | null;
  median: number | null;
  most: number | null;
  most_at: string;
}

/** A user metric with its value as text; a histogram has ``bars`` as well. */
export interface MetricData {
  function: string;
  name: string;
  kind: string;
  text: string;
  bars?: Bar[];
}

/**
 * The titles of all queries, newest first, the data of the latest ones in full, and whether
 * tests of slow calls can be written.
 */
export interface MetricsData {
  names: QueryTitle[];
  queries: Record<string, QueryData>;
  dropped_metrics: number;
  captures: boolean;
}

/**
 * The parts of the side panel's data that have changed, or all. Without a session its parts
 * are None; ``busy`` is whether a cell runs, ``cells`` holds ``%%udf`` cells that ran, by id.
 */
export interface News {
  session?: SessionNews | null;
  functions?: FunctionsNews | null;
  workers?: WorkersNews | null;
  queries?: QueryNews[] | null;
  streams?: StreamNews[] | null;
  logs?: LogNews | null;
  cells?: Record<string, CellNews>;
  busy?: boolean;
}

/** A stateful operator, and the kinds of its state variables by name. */
export interface OperatorData {
  id: number;
  name: string;
  variables: Record<string, string>;
}

/** A page of the rows of state, as text. */
export interface Page {
  columns: string[];
  keys: number;
  rows: ((string | null)[])[];
  offset: number;
  total: number;
  batch: number;
}

/** The kernel's numbers for the keys of a page of accumulators; other pages have none. */
export interface PageKeys {
  ids?: number[];
}

/** The function or state variable that a page is of. */
export interface PageName {
  name: string;
}

/** A plan, how and why its functions run as they do, and what its last run cost. */
export interface Plan {
  root: PlanNode;
  initial: PlanNode | null;
  adaptive: "no" | "may change" | "final";
  run: Run | null;
  note: string;
  strategies: Strategy[];
  advice: Advice[];
  origin: PlanOrigin;
}

/** A plan or a comparison, and the template of the page that a browser fills in and saves. */
export interface PlanData {
  plan?: Plan & PlanStages;
  comparison?: ComparisonData;
  page: string;
}

/** An operator of a plan. */
export interface PlanNode {
  id: number;
  name: string;
  kind: "scan" | "python" | "filter" | "project" | "aggregate" | "join" | "shuffle" | "broadcast" | "sort" | "window" | "limit" | "generate" | "union" | "write" | "subquery" | "reused" | "other";
  detail: string;
  columns: string[];
  facts: Record<string, string>;
  functions: FunctionUse[];
  costs: FunctionCost[];
  metrics: Metric[];
  stage: number;
  codegen: number | null;
  children: PlanNode[];
}

/** The query and the logical plans that a plan was made from. */
export interface PlanOrigin {
  query: string;
  steps: [string, string][];
  analyzed: string;
  optimized: string;
}

/** The part of a plan's data that is no field of ``Plan``: its stages, in order. */
export interface PlanStages {
  stages: StageNodes[];
}

/**
 * The first live workers, oldest first, and the last to end, latest first, with the
 * numbers of all (``alive``, ``gone``).
 */
export interface PoolData {
  size: number;
  log_level: string;
  log_levels: string[];
  alive: number;
  workers: LivingWorker[];
  ended: EndedWorker[];
  gone: number;
}

/** The progress of a cell's jobs. */
export interface Progress {
  stages: StageProgress[];
  earlier: number;
  tasks: number;
  done: number;
  jobs: number;
  active: boolean;
  seconds: number;
  spilled: number;
  failed: number;
}

/** A query's totals, timeline, user metrics, slowest bundles and failed calls. */
export interface QueryData {
  query: string;
  name: string;
  first: number | null;
  last: number | null;
  functions: TotalData[];
  timeline: Timeline & LeftOut | null;
  metrics: MetricData[];
  more_metrics: number;
  slowest: SlowData[];
  failed: FailedData[];
  more_failed: number;
}

/** A query; times in seconds since the epoch. If ``settled``, its data will not change. */
export interface QueryNews {
  query: number;
  text: string;
  state: "running" | "done" | "failed" | "cancelled";
  began: number;
  ended: number | null;
  error: string;
  functions: string[];
  rows: number;
  settled: boolean;
}

/** A query's name and functions, and the input rows of the function that had the most. */
export interface QueryTitle {
  query: string;
  name: string;
  functions: string[];
  rows: number;
}

/** A function that a cell registered. */
export interface RegisteredNews {
  name: string;
  kind: string;
  version: number;
}

/** The reply to a request: its result, or the text of its error. */
export interface Reply {
  id: number | string;
  result?: unknown;
  error?: string;
}

/** A command with its keywords; ``id`` is the browser's, and the reply repeats it. */
export interface Request {
  id: number | string;
  command: string;
  arguments?: Record<string, unknown>;
}

/**
 * A run of the plan.
 *
 * ``query`` is Spark's execution id, under which the session keeps metrics and logs; ``seconds``
 * is None while it runs.
 */
export interface Run {
  query: string;
  state: "running" | "done" | "failed";
  seconds: number | null;
  description: string;
}

/** The state of a run as sent to a browser; a metric is its function, name and value. */
export interface RunData {
  outcome: "running" | "done" | "failed" | "cancelled";
  seconds: number;
  functions: string[];
  rows: number;
  bundles: number;
  in_progress: number;
  rate: number;
  rate_now: number;
  split: Split;
  metrics: [string, string, string][];
  hidden_metrics: number;
  log_lines: number;
  log: string[];
  progress: Progress;
  warnings: string[];
  cancelling: boolean;
}

/** The first rows of a bundle, as text, and the functions whose calls for them are kept. */
export interface SampleData {
  columns: string[];
  rows: string[][];
  kept: string[];
}

/** The session: its live workers, their memory in bytes, and the current rows per second. */
export interface SessionNews {
  spark: string;
  master: string;
  notes: string[];
  workers: number;
  memory: number;
  rate: number;
}

/** A slow bundle: its task and worker, and what it cost. */
export interface SlowData {
  query: string;
  stage: number;
  partition: number;
  attempt: number;
  bundle: number;
  worker: number;
  time: number;
  rows: number;
  first_row: number | null;
  busy_ns: number;
  wait_ns: number;
  functions: FunctionTiming[];
  sample: SampleData | null;
}

/**
 * How the workers' time was spent: seconds, summed over workers.
 *
 * ``waiting`` for rows, ``transfer`` (decoding rows, encoding and handing over results), and
 * ``user``, the functions' own code.
 */
export interface Split {
  waiting: number;
  transfer: number;
  user: number;
}

/** The ids of the operators of a stage. */
export interface StageNodes {
  stage: number;
  nodes: number[];
}

/** The progress of one of Spark's stages. */
export interface StageProgress {
  number: number;
  name: string;
  state: "waiting" | "running" | "done" | "failed" | "skipped" | "ended";
  tasks: number;
  done: number;
  running: number;
  failed: number;
  seconds: number;
  rest: number | null;
  spilled: number;
  skew: number | null;
}

/**
 * A query's state: the first and the last micro-batch that can be read, operators, functions,
 * names and types of keys, and the first page, after the last one, of what was shown last.
 */
export interface StateData {
  checkpoint: string;
  batches: [number, number];
  operators: OperatorData[];
  functions: string[];
  keys: [string, string][];
  latest: Page & PageKeys & PageName | null;
  error: string;
}

/** How calls of a function are run, and why. */
export interface Strategy {
  function: string;
  call: string;
  form: string;
  reason: string;
}

/** A streaming query and its last micro-batch. */
export interface StreamNews {
  run: string;
  name: string;
  id: string;
  state: "running" | "draining" | "suspending" | "cancelling" | "ended" | "failed";
  message: string;
  batch: number | null;
  rows: number | null;
  rate: number | null;
  error: string;
}

/** A query over time: points of ``width`` seconds, the first one at ``start`` (epoch). */
export interface Timeline {
  query: string;
  start: number;
  width: number;
  functions: FunctionLine[];
  workers: WorkerLine[];
}

/**
 * What one version of a function cost in a query: sums, and percentiles of its bundles'
 * durations; ``exact`` is False where these come from a histogram, within 2 %.
 */
export interface TotalData {
  function: string;
  version: number;
  tasks: number;
  bundles: number;
  rows_in: number;
  rows_out: number;
  bytes_in: number;
  bytes_out: number;
  wait_ns: number;
  decode_ns: number;
  user_ns: number;
  encode_ns: number;
  write_ns: number;
  errors: number;
  first: number;
  last: number;
  rows_per_second: number;
  p50_ns: number | null;
  p95_ns: number | null;
  p99_ns: number | null;
  max_ns: number | null;
  exact: boolean | null;
}

/** A worker in a timeline; ``busy_ns`` is time in functions, with decoding and encoding. */
export interface WorkerLine {
  pid: number;
  rows: number[];
  busy_ns: number[];
}

/** A live worker; ``memory`` is in bytes. */
export interface WorkerNews {
  pid: number;
  state: string;
  function: string;
  memory: number;
  rows: number;
  failures: number;
  error: string;
}

/** The first live workers, how many are alive, and how many there can be at once. */
export interface WorkersNews {
  workers: WorkerNews[];
  alive: number;
  size: number;
}

export interface LogCommands {
  capture: [words: { function: string; failed: boolean }, result: string];
  resend: [words: Record<string, never>, result: null];
}

export interface MetricsCommands {
  capture: [words: { function: string; failed: boolean }, result: string];
  query: [words: { query: string }, result: QueryData];
}

export interface PoolCommands {
  stack: [words: { pid: number }, result: string];
  restart: [words: { pid?: number | null }, result: number[]];
  log_level: [words: { level: string }, result: null];
}

export interface StateCommands {
  page: [words: { name: string; batch?: number | null; search?: string; offset?: number }, result: Page & PageKeys];
  diff: [words: { name: string; batch1: number; batch2: number; search?: string; offset?: number }, result: Page & PageKeys];
  history: [words: { key: number }, result: HistoryData];
  timers: [words: { batch?: number | null; offset?: number }, result: Page & PageKeys];
}

export interface LabCommands {
  end_stream: [words: { run: string; how: string }, result: string];
  cancel_query: [words: { query: number }, result: number];
  restart: [words: { pid?: number | null }, result: number[]];
  hello: [words: Record<string, never>, result: boolean];
  here: [words: Record<string, never>, result: boolean];
}
