// Bundles: what functions cost and counted, live, query by query, two queries at a time.

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import chartStyle from "uplot/dist/uPlot.min.css";
import { cut, short, whole } from "../shared/format.ts";
import type { MetricsCommands, MetricsData, QueryData } from "../shared/messages.ts";
import { type Kernel, widget } from "../shared/mount.tsx";
import { ChartView } from "./chart.tsx";
import { type By, keyOf, latencyChart, overlaid, rowsChart, timeChart } from "./charts.ts";
import css from "./style.css";
import { Comparison, FailedCalls, Slowest, Totals, UserMetrics } from "./tables.tsx";

/** What a reader has chosen, and what the kernel was asked for. */
class Reading {
  readonly query = signal("");
  readonly other = signal("");
  readonly by = signal<By>("function");
  readonly only = signal("");
  readonly asked = signal<Record<string, QueryData>>({});

  constructor(readonly kernel: Kernel<MetricsData, MetricsCommands>) {}

  /** A query's data; undefined while it is asked for. */
  of(name: string): QueryData | undefined {
    return this.kernel.data.value.queries[name] ?? this.asked.value[name];
  }

  /** Writes a test of a function's calls; undefined where none can be written. */
  get capture(): ((name: string) => Promise<string | undefined>) | undefined {
    if (!this.kernel.data.value.captures) return undefined;
    return (name) => this.kernel.ask("capture", { function: name, failed: false });
  }

  choose(which: "query" | "other", name: string): void {
    this[which].value = name;
    if (name && !this.of(name)) {
      void this.kernel.ask("query", { query: name }).then((found) => {
        if (found) this.asked.value = { ...this.asked.value, [name]: found };
      });
    }
  }
}

function Metrics({ kernel }: { kernel: Kernel<MetricsData, MetricsCommands> }) {
  const reading = useMemo(() => new Reading(kernel), []);
  const { names, dropped_metrics: dropped } = kernel.data.value;
  const name = reading.query.value || names[0]?.query || "";
  const query = reading.of(name);
  const other =
    reading.other.value && reading.other.value !== name
      ? reading.of(reading.other.value)
      : undefined;
  return (
    <div class="nu-metrics">
      <div class="nu-bar" role="toolbar" aria-label="Bundles">
        <strong>Bundles</strong>
        <Queries
          reading={reading}
          which="query"
          label="Query"
          first={names.length ? "the latest" : "none yet"}
        />
        <Queries reading={reading} which="other" label="Compare with" first="nothing" />
        <Only reading={reading} query={query} />
        <span role="group" aria-label="Lines by">
          {(["function", "worker"] as const).map((by) => (
            <button
              type="button"
              key={by}
              aria-pressed={reading.by.value === by}
              onClick={() => (reading.by.value = by)}
            >
              by {by}
            </button>
          ))}
        </span>
      </div>
      {kernel.refusal.value && (
        <p class="nu-refusal" role="alert">
          {kernel.refusal.value}
        </p>
      )}
      {query ? (
        <Shown query={query} other={other} reading={reading} />
      ) : (
        <Empty waiting={kernel.waiting.value} name={name} />
      )}
      {dropped > 0 && (
        <p class="nu-quiet nu-note">{whole(dropped)} values of user metrics could not be kept.</p>
      )}
    </div>
  );
}

function Empty({ waiting, name }: { waiting: boolean; name: string }) {
  const said = waiting
    ? `The kernel was asked for query ${name}; while a cell runs it answers when the cell has ended.`
    : "No function has run yet.";
  return (
    <p class="nu-note nu-quiet" role="status">
      {said}
    </p>
  );
}

function Shown({
  query,
  other,
  reading,
}: {
  query: QueryData;
  other: QueryData | undefined;
  reading: Reading;
}) {
  const by = reading.by.value;
  const only = query.functions.some((each) => keyOf(each) === reading.only.value)
    ? reading.only.value
    : "";
  const charts = useMemo(() => {
    const of = (each: QueryData, filter: string) => [
      rowsChart(each, by, filter),
      timeChart(each, by, filter),
      latencyChart(each, filter),
    ];
    const own = of(query, only);
    if (!other) return own;
    const there = of(other, other.functions.some((each) => keyOf(each) === only) ? only : "");
    return own.map((chart, at) => overlaid(chart, there[at]!, other.query));
  }, [query, other, by, only]);
  const { timeline } = query;
  const hidden = (timeline?.more_functions ?? 0) + (timeline?.more_workers ?? 0);
  return (
    <>
      {other ? <Comparison here={query} there={other} /> : <Totals query={query} />}
      <div class="nu-charts">
        {charts.map((chart) => (
          <ChartView key={chart.title} chart={chart} />
        ))}
      </div>
      {hidden > 0 && <p class="nu-quiet nu-note">{whole(hidden)} more lines are not drawn.</p>}
      <Slowest query={query} capture={reading.capture} />
      <FailedCalls failed={query.failed} more={query.more_failed} />
      <UserMetrics metrics={query.metrics} more={query.more_metrics} />
    </>
  );
}

function Queries({
  reading,
  which,
  label,
  first,
}: {
  reading: Reading;
  which: "query" | "other";
  label: string;
  first: string;
}) {
  return (
    <label>
      {label}{" "}
      <select
        aria-label={label}
        value={reading[which].value}
        onChange={(event) => reading.choose(which, event.currentTarget.value)}
      >
        <option value="">{first}</option>
        {reading.kernel.data.value.names.map(({ query, name, functions, rows }) => (
          <option key={query} value={query}>
            {query || "–"} · {name && `${cut(name, 60)} · `}
            {cut(functions.join(", "), 40)} · {short(rows)} rows
          </option>
        ))}
      </select>
    </label>
  );
}

function Only({ reading, query }: { reading: Reading; query: QueryData | undefined }) {
  const functions = query?.functions.map(keyOf) ?? [];
  return (
    <label>
      Function{" "}
      <select
        aria-label="Function"
        value={reading.only.value}
        onChange={(event) => (reading.only.value = event.currentTarget.value)}
      >
        <option value="">all</option>
        {functions.map((name) => (
          <option key={name} value={name}>
            {cut(name, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}

export default widget(Metrics, chartStyle + css);
