import { describe, expect, test } from "vitest";
import { latencyChart, overlaid, rowsChart, sumAt, timeChart } from "../src/metrics/charts.ts";
import { compared } from "../src/metrics/compared.ts";
import type { FunctionLine, QueryData, TotalData } from "../src/shared/messages.ts";

const line = (name: string, more: Partial<FunctionLine> = {}): FunctionLine => ({
  function: name,
  version: 1,
  rows: [10, 20],
  errors: [0, 0],
  wait_ns: [1e9, 0],
  decode_ns: [2e9, 0],
  user_ns: [4e9, 2e9],
  encode_ns: [0, 0],
  p50_ns: [1e6, null],
  p95_ns: [2e6, null],
  p99_ns: [3e6, null],
  ...more,
});

const total = (name: string, more: Partial<TotalData> = {}): TotalData => ({
  function: name,
  version: 1,
  tasks: 1,
  bundles: 4,
  rows_in: 100,
  rows_out: 100,
  bytes_in: 0,
  bytes_out: 0,
  wait_ns: 0,
  decode_ns: 0,
  user_ns: 2e9,
  encode_ns: 0,
  write_ns: 0,
  errors: 0,
  first: 10,
  last: 20,
  rows_per_second: 10,
  p50_ns: 5e8,
  p95_ns: 5e8,
  p99_ns: 5e8,
  max_ns: 5e8,
  exact: true,
  ...more,
});

function query(lines: FunctionLine[], totals: TotalData[] = []): QueryData {
  const workers = [7, 0].map((pid) => ({ pid, rows: [5, 5], busy_ns: [2e9, 1e9] }));
  const timeline = { query: "1", start: 0, width: 2, functions: lines, workers };
  const rest = { metrics: [], more_metrics: 0, slowest: [], failed: [], more_failed: 0 };
  return { query: "1", name: "", first: 10, last: 14, functions: totals, timeline, ...rest };
}

const NONE: QueryData = { ...query([]), timeline: null };

describe("charts", () => {
  test("of nothing are empty", () => {
    for (const by of ["function", "worker"] as const) {
      for (const chart of [
        rowsChart(NONE, by, ""),
        timeChart(NONE, by, ""),
        latencyChart(NONE, ""),
      ]) {
        expect(chart.x).toEqual([]);
        expect(chart.lines).toEqual([]);
      }
    }
  });

  test("rows a second are those of a point over its width, at its middle", () => {
    const chart = rowsChart(query([line("f"), line("g", { rows: [0, 6] })]), "function", "");
    expect(chart.x).toEqual([1, 3]);
    expect(chart.lines.map(({ label, values }) => [label, values])).toEqual([
      ["f v1", [5, 10]],
      ["g v1", [0, 3]],
    ]);
    expect(chart.lines[0]?.color).not.toBe(chart.lines[1]?.color);
  });

  test("one function can be looked at alone, and workers have names", () => {
    const two = query([line("f"), line("g")]);
    expect(rowsChart(two, "function", "g v1").lines.map(({ label }) => label)).toEqual(["g v1"]);
    const workers = rowsChart(two, "worker", "g v1").lines.map(({ label }) => label);
    expect(workers).toEqual(["worker 7", "other workers"]);
  });

  test("lines beyond the colours there are can still be told apart", () => {
    const lines = rowsChart(query([..."abcdefgh"].map((name) => line(name))), "function", "").lines;
    expect(new Set(lines.map(({ color, dashed }) => `${color} ${dashed}`)).size).toBe(8);
  });

  test("percentiles are those of the slowest function, where there are any", () => {
    const chart = latencyChart(query([line("f"), line("g", { p95_ns: [9e6, 4e6] })]), "");
    expect(chart.lines.map(({ label, values }) => [label, values])).toEqual([
      ["p50", [0.001, null]],
      ["p95", [0.009, 0.004]],
      ["p99", [0.003, null]],
    ]);
    expect(chart.title).toContain("slowest");
    expect(latencyChart(query([line("f")]), "").title).not.toContain("slowest");
  });

  test("time is stacked; functions of one bundle wait together", () => {
    const chart = timeChart(query([line("f"), line("g")]), "function", "");
    const values = Object.fromEntries(chart.lines.map((each) => [each.label, each.values]));
    expect(values).toEqual({
      decode: [2, 0],
      "user code": [4, 2],
      encode: [0, 0],
      waiting: [0.5, 0],
    });
    expect(chart.stacked).toBe(4);
    expect([0, 1].map((at) => sumAt(chart, at))).toEqual([6.5, 2]);
    const workers = timeChart(query([line("f")]), "worker", "");
    expect(workers.lines.map((each) => each.values)).toEqual([
      [1, 0.5],
      [1, 0.5],
    ]);
  });

  test("another query lies over it, each at its own times", () => {
    const here = rowsChart(query([line("f")]), "function", "");
    const there = { ...here, x: [1, 5], lines: [{ label: "f v1", color: "c", values: [7, 8] }] };
    const both = overlaid(here, there, "9");
    expect(both.x).toEqual([1, 3, 5]);
    expect(both.lines.map(({ values }) => values)).toEqual([
      [5, 10, null],
      [7, null, 8],
    ]);
    expect(both.lines.map(({ dashed }) => Boolean(dashed))).toEqual([false, true]);
    expect(both.lines[1]?.label).toBe("f v1 (query 9)");
  });

  test("of what is stacked the sum lies over it, of percentiles one", () => {
    const one = query([line("f")]);
    const times = timeChart(one, "function", "");
    const sums = overlaid(times, times, "9").lines.slice(times.lines.length);
    expect(sums.map(({ label }) => label)).toEqual(["all (query 9)"]);
    expect(sums[0]?.values).toEqual([0, 1].map((at) => sumAt(times, at)));
    const ranks = latencyChart(one, "");
    const more = overlaid(ranks, ranks, "9").lines.slice(ranks.lines.length);
    expect(more.map(({ label }) => label)).toEqual(["p95 (query 9)"]);
  });
});

describe("two queries", () => {
  const rows = (here: TotalData[], there: TotalData[]) =>
    new Map(
      compared(query([], here), query([], there)).map((each) => [
        `${each.function} ${each.measure}`,
        [each.here, each.there, each.percent],
      ]),
    );

  test("differ by so many percent of the other one", () => {
    const found = rows([total("f", { rows_in: 150 })], [total("f", { errors: 3 })]);
    expect(found.get("f rows")).toEqual([150, 100, 50]);
    expect(found.get("f rows a second")).toEqual([15, 10, 50]);
    expect(found.get("f user code")).toEqual([2, 2, 0]);
    expect(found.get("f errors")).toEqual([0, 3, -100]);
    // Of nothing there are no percents.
    expect(found.get("f waiting")).toEqual([0, 0, null]);
  });

  test("a function that only one has stands alone", () => {
    const found = rows([total("f")], [total("g")]);
    expect(found.get("f rows")).toEqual([100, null, null]);
    expect(found.get("g rows")).toEqual([null, 100, null]);
  });

  test("versions are added up, from the first to the last; their percentiles cannot be", () => {
    const versions = [total("f"), total("f", { version: 2, first: 5, last: 12, rows_in: 40 })];
    const found = rows(versions, []);
    expect(found.get("f rows")?.[0]).toBe(140);
    expect(found.get("f time it ran")?.[0]).toBe(15);
    expect(found.has("f p50 of a bundle")).toBe(false);
    expect(versions[0]?.rows_in).toBe(100);
    expect(rows(versions.slice(0, 1), []).get("f p50 of a bundle")?.[0]).toBe(0.5);
  });
});
