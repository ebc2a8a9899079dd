// The charts of a query, from what the kernel sends of it.

import type { FunctionLine, QueryData } from "../shared/messages.ts";
import { nano } from "./compared.ts";

type Numbers = (number | null)[];

type Timeline = NonNullable<QueryData["timeline"]>;

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

/** A function with its version; those of PySpark's own have none. */
export const keyOf = (each: { function: string; version: number }): string =>
  each.version ? `${each.function} v${each.version}` : each.function;

/** Rows a second, a line for each function or worker. */
export function rowsChart(query: QueryData, by: By, only: string): Chart {
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
export function latencyChart(query: QueryData, only: string): Chart {
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

const TIMES: [string, string, (line: FunctionLine) => Numbers, (values: Numbers) => number][] = [
  ["decode", "decode", (line) => line.decode_ns, sum],
  ["user", "user code", (line) => line.user_ns, sum],
  ["encode", "encode", (line) => line.encode_ns, sum],
  // Functions in one bundle wait together.
  ["waiting", "waiting", (line) => line.wait_ns, (values) => most(values) ?? 0],
];

/** Where workers' time went: how many of them, on average, were at what. */
export function timeChart(query: QueryData, by: By, only: string): Chart {
  const { timeline } = query;
  const chart: Chart = {
    title: by === "worker" ? "Workers in functions, on average" : "Workers, on average, at",
    unit: "workers",
    x: places(timeline),
    lines: [],
    stacked: 0,
  };
  if (!timeline) return chart;
  const share = (each: number) => each / 1e9 / timeline.width;
  if (by === "worker") {
    chart.lines = timeline.workers.map((line, at) => ({
      label: worker(line.pid),
      color: COLORS[at % COLORS.length]!,
      values: line.busy_ns.map(share),
    }));
  } else {
    const lines = chosen(timeline, only);
    chart.lines = TIMES.map(([name, label, of, joined]) => ({
      label,
      color: `var(--nu-${name})`,
      values: columns(lines.map(of)).map((each) => share(joined(each))),
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

export const worker = (pid: number): string =>
  pid > 0 ? `worker ${pid}` : pid ? "Spark's JVM" : "other workers";

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

function sum(values: Numbers): number {
  return values.reduce<number>((all, each) => all + (each ?? 0), 0);
}

function most(values: Numbers): number | null {
  const known = values.filter((each) => each !== null) as number[];
  return known.length ? Math.max(...known) : null;
}

export const sumAt = (chart: Chart, at: number): number =>
  chart.lines.slice(0, chart.stacked).reduce((sum, line) => sum + (line.values[at] ?? 0), 0);
