// What the kernel sends of queries and their functions, and the charts that follow from it.

/** What one version of a function cost in a query. Times in nanoseconds. */
export interface Total {
  function: string;
  version: number;
  tasks: number;
  bundles: number;
  rows_in: number;
  rows_out: number;
  wait_ns: number;
  decode_ns: number;
  user_ns: number;
  encode_ns: number;
  errors: number;
  first: number;
  last: number;
  rows_per_second: number;
  p50_ns: number | null;
  p95_ns: number | null;
  p99_ns: number | null;
  exact: boolean | null;
}

type Numbers = (number | null)[];

export interface FunctionLine {
  function: string;
  version: number;
  rows: number[];
  wait_ns: number[];
  decode_ns: number[];
  user_ns: number[];
  encode_ns: number[];
  p50_ns: Numbers;
  p95_ns: Numbers;
  p99_ns: Numbers;
}

export interface WorkerLine {
  pid: number;
  rows: number[];
  busy_ns: number[];
}

export interface Timeline {
  start: number;
  width: number;
  functions: FunctionLine[];
  workers: WorkerLine[];
  more_functions: number;
  more_workers: number;
}

export interface UserMetric {
  function: string;
  name: string;
  kind: string;
  text: string;
  bars?: { low: number; high: number; count: number }[];
}

export interface Timing {
  function: string;
  rows_in: number;
  decode_ns: number;
  user_ns: number;
  encode_ns: number;
}

export interface Slow {
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
  functions: Timing[];
  /** Its first rows, as text. */
  sample: { columns: string[]; rows: string[][] } | null;
}

export interface Failed {
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
}

export interface Query {
  query: string;
  first: number | null;
  last: number | null;
  functions: Total[];
  timeline: Timeline | null;
  metrics: UserMetric[];
  more_metrics: number;
  slowest: Slow[];
  failed: Failed[];
  more_failed: number;
}

/** A line of a chart. */
export interface Line {
  label: string;
  /** A colour as CSS says it. */
  color: string;
  values: Numbers;
  dashed?: boolean;
}

export interface Chart {
  title: string;
  unit: "rows" | "seconds" | "workers";
  /** Seconds since the query began. */
  x: number[];
  lines: Line[];
  /** How many of the lines, from the first on, stand on each other. */
  stacked: number;
}

export type By = "function" | "worker";

const COLORS = ["user", "decode", "encode", "warn", "good", "bad"].map(
  (name) => `var(--nu-${name})`,
);

export const keyOf = (each: { function: string; version: number }): string =>
  `${each.function} v${each.version}`;

/** Rows a second, a line for each function or worker. */
export function rowsChart(query: Query, by: By, only: string): Chart {
  const { timeline } = query;
  const lines = !timeline
    ? []
    : by === "function"
      ? chosen(timeline, only).map((line) => ({ label: keyOf(line), rows: line.rows }))
      : timeline.workers.map((line) => ({ label: worker(line.pid), rows: line.rows }));
  return {
    title: "Rows a second",
    unit: "rows",
    x: places(timeline),
    lines: lines.map(({ label, rows }, at) => ({
      label,
      color: COLORS[at % COLORS.length]!,
      dashed: at >= COLORS.length,
      values: rows.map((each) => each / timeline!.width),
    })),
    stacked: 0,
  };
}

/** How long bundles took: percentiles of the function, or of the slowest of several. */
export function latencyChart(query: Query, only: string): Chart {
  const lines = query.timeline ? chosen(query.timeline, only) : [];
  const ranks = ["p50", "p95", "p99"] as const;
  return {
    title: lines.length > 1 ? "Time of a bundle (of the slowest function)" : "Time of a bundle",
    unit: "seconds",
    x: places(query.timeline),
    lines:
      lines.length === 0
        ? []
        : ranks.map((rank, at) => ({
            label: rank,
            color: ["var(--nu-good)", "var(--nu-user)", "var(--nu-bad)"][at]!,
            values: columns(lines.map((line) => line[`${rank}_ns`])).map((each) =>
              nano(most(each)),
            ),
          })),
    stacked: 0,
  };
}

/** Where workers' time went: how many of them, on average, were at what. */
export function timeChart(query: Query, by: By, only: string): Chart {
  const { timeline } = query;
  const chart: Chart = {
    title: by === "worker" ? "Workers in functions, on average" : "Workers, on average, at",
    unit: "workers",
    x: places(timeline),
    lines: [],
    stacked: 0,
  };
  if (!timeline) return chart;
  const share = (each: number | null) => (each ?? 0) / 1e9 / timeline.width;
  if (by === "worker") {
    chart.lines = timeline.workers.map((line, at) => ({
      label: worker(line.pid),
      color: COLORS[at % COLORS.length]!,
      values: line.busy_ns.map(share),
    }));
  } else {
    const lines = chosen(timeline, only);
    const parts = [
      ["decode", "decode"],
      ["user", "user code"],
      ["encode", "encode"],
      ["waiting", "waiting"],
    ];
    chart.lines = parts.map(([name, label]) => ({
      label: label!,
      color: `var(--nu-${name})`,
      values: columns(
        lines.map(
          (line) => (line as any)[name === "waiting" ? "wait_ns" : `${name}_ns`] as Numbers,
        ),
      )
        // Functions in one bundle wait together.
        .map((each) =>
          share(name === "waiting" ? most(each) : each.reduce((a, b) => a! + (b ?? 0), 0)!),
        ),
    }));
  }
  chart.stacked = chart.lines.length;
  return chart;
}

/** A chart with the lines of another query's over it, dashed. */
export function overlaid(chart: Chart, other: Chart, name: string): Chart {
  const more = other.stacked
    ? [{ label: "all", color: "var(--nu-text)", values: other.x.map((_, at) => sumAt(other, at)) }]
    : // Of percentiles one is enough to see a difference by.
      other.unit === "seconds"
      ? other.lines.filter((line) => line.label === "p95")
      : other.lines;
  const x = [...new Set([...chart.x, ...other.x])].sort((a, b) => a - b);
  const placed = (values: Numbers, own: number[]) => {
    const at = new Map(own.map((place, index) => [place, values[index] ?? null]));
    return x.map((place) => at.get(place) ?? null);
  };
  return {
    ...chart,
    x,
    lines: [
      ...chart.lines.map((line) => ({ ...line, values: placed(line.values, chart.x) })),
      ...more.map((line) => ({
        ...line,
        label: `${line.label} (query ${name})`,
        dashed: true,
        values: placed(line.values, other.x),
      })),
    ],
  };
}

export interface Change {
  function: string;
  measure: string;
  unit: "count" | "seconds" | "rate";
  here: number | null;
  there: number | null;
  percent: number | null;
}

const MEASURES: [string, Change["unit"], (sum: Total) => number | null][] = [
  ["rows", "count", (sum) => sum.rows_in],
  [
    "rows a second",
    "rate",
    (sum) => (sum.last > sum.first ? sum.rows_in / (sum.last - sum.first) : null),
  ],
  ["bundles", "count", (sum) => sum.bundles],
  ["time it ran", "seconds", (sum) => sum.last - sum.first],
  ["waiting", "seconds", (sum) => sum.wait_ns / 1e9],
  ["decode", "seconds", (sum) => sum.decode_ns / 1e9],
  ["user code", "seconds", (sum) => sum.user_ns / 1e9],
  ["encode", "seconds", (sum) => sum.encode_ns / 1e9],
  ["p50 of a bundle", "seconds", (sum) => nano(sum.p50_ns)],
  ["p99 of a bundle", "seconds", (sum) => nano(sum.p99_ns)],
  ["errors", "count", (sum) => sum.errors],
];

/** What functions cost in two queries; versions of a function are added up, their percentiles left out. */
export function compared(here: Query, there: Query): Change[] {
  const names = new Set([...here.functions, ...there.functions].map((each) => each.function));
  return [...names].flatMap((name) => {
    const [one, two] = [here, there].map((query) =>
      total(query.functions.filter((each) => each.function === name)),
    );
    return MEASURES.map(([measure, unit, of]) => {
      const [a, b] = [one ? of(one) : null, two ? of(two) : null];
      const percent = a === null || b === null || b === 0 ? null : (100 * (a - b)) / b;
      return { function: name, measure, unit, here: a, there: b, percent };
    }).filter(({ here, there }) => here !== null || there !== null);
  });
}

function total(found: Total[]): Total | null {
  if (found.length < 2) return found[0] ?? null;
  return found.reduce((a, b) => ({
    ...a,
    rows_in: a.rows_in + b.rows_in,
    bundles: a.bundles + b.bundles,
    wait_ns: a.wait_ns + b.wait_ns,
    decode_ns: a.decode_ns + b.decode_ns,
    user_ns: a.user_ns + b.user_ns,
    encode_ns: a.encode_ns + b.encode_ns,
    errors: a.errors + b.errors,
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    p50_ns: null,
    p95_ns: null,
    p99_ns: null,
  }));
}

export const nano = (value: number | null): number | null => (value === null ? null : value / 1e9);

export const worker = (pid: number): string => (pid ? `worker ${pid}` : "other workers");

/** The middle of each point, in seconds since the query began. */
const places = (timeline: Timeline | null): number[] => {
  const size = (timeline?.functions[0] ?? timeline?.workers[0])?.rows.length ?? 0;
  return Array.from(
    { length: size },
    (_, at) => Math.round((at + 0.5) * timeline!.width * 1e6) / 1e6,
  );
};

const chosen = (timeline: Timeline, only: string): FunctionLine[] =>
  timeline.functions.filter((line) => !only || keyOf(line) === only);

const columns = (lines: Numbers[]): Numbers[] =>
  (lines[0] ?? []).map((_, at) => lines.map((line) => line[at] ?? null));

function most(values: Numbers): number | null {
  const known = values.filter((each) => each !== null) as number[];
  return known.length ? Math.max(...known) : null;
}

export const sumAt = (chart: Chart, at: number): number =>
  chart.lines.slice(0, chart.stacked).reduce((sum, line) => sum + (line.values[at] ?? 0), 0);
