// biome-ignore-all format: as it was written.
// Written by extension/messages.py from what the Python side says: change that, then `make types`.

/** What costs, and what to do about it; ``node`` is the id of the operator it is about. */
export interface Advice {
  node: number;
  rule: string;
  cost: string;
  remedy: string;
}

/** How many observations lie between two values. */
export interface Bar {
  low: number;
  high: number;
  count: number;
}

/**
 * A ``%%udf`` cell that ran: the CRC-32 of its text, what it registered, and the error with
 * which it failed, or "".
 */
export interface CellNews {
  code: number;
  functions: RegisteredNews[];
  error: string;
}

/**
 * Two plans as data; ``pairs`` are ids of operators, ``marks`` say of each id of either side
 * what became of it.
 */
export interface ComparisonData {
  left: Plan & PlanStages;
  right: Plan & PlanStages;
  pairs: [number, number][];
  marks: [Record<string, "same" | "changed" | "only here">, Record<string, "same" | "changed" | "only here">];
}

/** One that is no more, and ``how`` that came. */
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
 * A call that failed, as a browser is told it. A line of ``code`` has a number, its text, and
 * whether it is the one that failed.
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

/** Calls that failed since the last such message. */
export interface FailuresMessage {
  kind: "failures";
  failures: FailureData[];
}

/**
 * What a function cost where it stands: sums over tasks, times in seconds.
 *
 * ``nodes`` holds the ids of the operators these sums belong to together: more than one where the
 * function stands in several and its tasks could not be told apart.
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
 * What one version of a function did, point by point.
 *
 * ``rows`` are input rows; times are nanoseconds of all workers together, ``wait_ns`` waiting
 * for rows and handing results over. ``p50_ns``, ``p95_ns`` and ``p99_ns`` are of the bundles
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

/** What one function cost in one bundle; nanoseconds. */
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

/** A Python function in a node. */
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

/** The first functions, and how many there are. */
export interface FunctionsNews {
  functions: FunctionNews[];
  count: number;
}

/** Lines of a worker that are missing before the line of that number in its block. */
export type Gap = [at: number, pid: number, missing: number];

/** When a key's accumulators changed, in the batches that were looked at. */
export interface HistoryData {
  first: number;
  last: number;
  rows: KeyChange[];
}

/** What a function remembers of a key from a batch on; None where the key is gone. */
export interface KeyChange {
  batch: number;
  function: string;
  accumulator: string | null;
}

/** What all browsers are sent beside answers: news, or that the extension is unloaded. */
export interface LabMessage {
  news?: News;
  gone?: boolean;
}

/** How many lines of a timeline a panel is not sent; nobody else lacks any. */
export interface LeftOut {
  more_functions?: number;
  more_workers?: number;
}

/** A line of the log; ``time`` in seconds since the epoch. */
export interface LineNews {
  time: number;
  level: string;
  pid: number;
  function: string;
  text: string;
}

/** What many lines have in common; ``task_attempt`` is Spark's TID, -1 outside of a task. */
export type LineOrigin = [pid: number, query: string, level: string, source: string, function: string, task_attempt: number];

/** Lines that come as packed columns beside this: of a block that is ``full``, or a piece. */
export interface LinesMessage {
  kind: "lines";
  start: number;
  count: number;
  full: boolean;
  origins: LineOrigin[];
  gaps: Gap[];
}

/** A run, and the kernel's id on its Jupyter server; "" where that is not known. */
export interface LiveData {
  run: RunData;
  kernel: string;
}

/**
 * One that lives: the row and the task it is at (``partition`` is -1 outside of one), and
 * the share of a processor that it takes now.
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

/** Which lines are wanted; None for any. */
export interface LogChoice {
  query: string | null;
  function: string | null;
  level: string | null;
  pid: number | null;
  text: string | null;
}

/** Which lines there are by their numbers, how many are missing, and which are wanted. */
export interface LogData {
  first: number;
  end: number;
  dropped: number;
  choice: LogChoice;
}

/** The last lines, how many were written, and how many are missing. */
export interface LogNews {
  lines: LineNews[];
  count: number;
  dropped: number;
}

/** One of Spark's metrics of a node. */
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

/** A user metric in words; a histogram has ``bars`` as well. */
export interface MetricData {
  function: string;
  name: string;
  kind: string;
  text: string;
  bars?: Bar[];
}

/** What every query is called, the newest first, and the latest ones with everything. */
export interface MetricsData {
  names: QueryTitle[];
  queries: Record<string, QueryData>;
  dropped_metrics: number;
}

/**
 * The parts that have changed, or all. Of a session's own parts each is None without one;
 * ``busy`` says whether a cell runs, ``cells`` has those that ran by their ids.
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

/** An operator with state, and its variables: names, and what kind each is. */
export interface OperatorData {
  id: number;
  name: string;
  variables: Record<string, string>;
}

/** Some rows of state, as text. */
export interface Page {
  columns: string[];
  keys: number;
  rows: ((string | null)[])[];
  offset: number;
  total: number;
  batch: number;
}

/** The numbers by which the kernel knows the keys of a page; none of what is no function's. */
export interface PageKeys {
  ids?: number[];
}

/** Which function or variable a page is of. */
export interface PageName {
  name: string;
}

/** A plan, what was decided on the way to it, and what its last run cost. */
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

/** A plan or two, and the page they are saved as: what a browser fills into it is marked. */
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

/** What a plan was made of. */
export interface PlanOrigin {
  query: string;
  steps: [string, string][];
  analyzed: string;
  optimized: string;
}

/** What a plan's data has beside its fields: its stages, in their order. */
export interface PlanStages {
  stages: StageNodes[];
}

/**
 * The workers: those that live, first to last, and those that ended, latest first; of each
 * the first ones, and how many there are in all.
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

/** The jobs of a cell. */
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

/** What is known of a query. */
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

/** A query; times in seconds since the epoch. One that is ``settled`` will not change. */
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

/** What a query is called, its functions, and the most rows that went into one of them. */
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

/** What came of a request: a result, or what was refused. */
export interface Reply {
  id: number | string;
  result?: unknown;
  error?: string;
}

/** A command and the keywords it takes; ``id`` is the browser's, and comes back. */
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

/** A run as a browser is told it; ``metrics`` are functions, names and values. */
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

/** The first rows of a bundle, as text. */
export interface SampleData {
  columns: string[];
  rows: string[][];
}

/** The session: its living workers, their bytes, and rows a second now. */
export interface SessionNews {
  spark: string;
  master: string;
  notes: string[];
  workers: number;
  memory: number;
  rate: number;
}

/** A slow bundle: where it was, what it cost. */
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
 * What the workers' time went into: seconds, summed over workers.
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

/** A stage of Spark's. */
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
 * What there is: the first and the last batch that can be read, operators, functions, names
 * and types of their keys, and the first page after the last batch of what was looked at last.
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
 * What one version of a function cost in a query: sums, and percentiles of its bundles, of
 * which ``exact`` says whether each was looked at.
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

/** What one worker did, point by point; ``busy_ns`` is time in functions, decoding included. */
export interface WorkerLine {
  pid: number;
  rows: number[];
  busy_ns: number[];
}

/** A living worker; ``memory`` is in bytes. */
export interface WorkerNews {
  pid: number;
  state: string;
  function: string;
  memory: number;
  rows: number;
  failures: number;
  error: string;
}

/** The first workers, how many live, and how many there can be at once. */
export interface WorkersNews {
  workers: WorkerNews[];
  alive: number;
  size: number;
}

export interface LogCommands {
  resend: [words: Record<string, never>, result: null];
}

export interface MetricsCommands {
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
