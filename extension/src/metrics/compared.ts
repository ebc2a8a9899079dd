// What functions cost in two queries, measure by measure.

import type { QueryData, TotalData } from "../shared/messages.ts";

export interface Change {
  function: string;
  measure: string;
  unit: "count" | "seconds" | "rate";
  here: number | null;
  there: number | null;
  percent: number | null;
}

const MEASURES: [string, Change["unit"], (sum: TotalData) => number | null][] = [
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
export function compared(here: QueryData, there: QueryData): Change[] {
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

function total(found: TotalData[]): TotalData | null {
  if (found.length < 2) return found[0] ?? null;
  const [first] = found as [TotalData];
  return found.slice(1).reduce(
    (a, b) =>
      Object.assign(a, {
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
      }),
    { ...first },
  );
}

/** Nanoseconds as seconds. */
export const nano = (value: number | null): number | null => (value === null ? null : value / 1e9);
