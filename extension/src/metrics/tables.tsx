// What is known of a query beside its charts: totals, comparison, user metrics, slow and failed.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Capture } from "../shared/capture.tsx";
import { cut, seconds, short, whole } from "../shared/format.ts";
import type { FailedData, MetricData, QueryData, SlowData, TotalData } from "../shared/messages.ts";
import { keyOf, worker } from "./charts.ts";
import { type Change, compared, nano } from "./compared.ts";

const PARTS = [
  ["waiting", "wait_ns"],
  ["decode", "decode_ns"],
  ["user", "user_ns"],
  ["encode", "encode_ns"],
] as const;
const LONGEST = 300;
const time = (ns: number | null): string => (ns === null ? "–" : seconds(nano(ns)!));

export function Totals({ query }: { query: QueryData }) {
  const inexact = query.functions.some((each) => each.exact === false);
  return (
    <Scroll label="Totals by function">
      <table>
        <thead>
          <tr>
            {["function", "rows", "rows/s", "bundles", "p50", "p95", "p99"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span class="nu-key nu-key-waiting" />
              waiting <span class="nu-key nu-key-decode" />
              decode <span class="nu-key nu-key-user" />
              user code <span class="nu-key nu-key-encode" />
              encode
            </th>
            <th scope="col">errors</th>
          </tr>
        </thead>
        <tbody>
          {query.functions.map((each) => (
            <tr key={keyOf(each)}>
              <th scope="row" class="nu-code">
                {cut(keyOf(each), LONGEST)}
              </th>
              <td>{whole(each.rows_in)}</td>
              <td>{short(each.rows_per_second)}</td>
              <td>{whole(each.bundles)}</td>
              <td>{time(each.p50_ns)}</td>
              <td>{time(each.p95_ns)}</td>
              <td>{time(each.p99_ns)}</td>
              <td>
                <Split total={each} />
              </td>
              <td class={each.errors ? "nu-bad" : ""}>{whole(each.errors)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="nu-quiet">
        {inexact
          ? "Percentiles over all bundles, within 2 %."
          : "Percentiles over all bundles, exact."}
      </p>
    </Scroll>
  );
}

function Split({ total }: { total: TotalData }) {
  const sum = PARTS.reduce((all, [, field]) => all + total[field], 0) || 1;
  const said = PARTS.map(
    ([name, field]) => `${name === "user" ? "user code" : name} ${time(total[field])}`,
  ).join(", ");
  return (
    <span class="nu-split" role="img" aria-label={said} title={said}>
      {PARTS.map(([name, field]) => (
        <span
          key={name}
          class={`nu-key-${name}`}
          style={{ width: `${(100 * total[field]) / sum}%` }}
        />
      ))}
    </span>
  );
}

export function Comparison({ here, there }: { here: QueryData; there: QueryData }) {
  const changes = compared(here, there);
  return (
    <Scroll label={`Query ${here.query} compared with query ${there.query}`}>
      <table>
        <thead>
          <tr>
            {["function", "", `query ${here.query}`, `query ${there.query}`, "difference"].map(
              (name, at) =>
                name ? (
                  <th key={at} scope="col">
                    {name}
                  </th>
                ) : (
                  <td key={at} />
                ),
            )}
          </tr>
        </thead>
        <tbody>
          {changes.map((each, at) => (
            <tr key={at}>
              <td class="nu-code">
                {changes[at - 1]?.function === each.function ? "" : cut(each.function, LONGEST)}
              </td>
              <th scope="row">{each.measure}</th>
              <td>{figure(each, each.here)}</td>
              <td>{figure(each, each.there)}</td>
              <td>
                {each.percent === null
                  ? ""
                  : `${each.percent > 0 ? "+" : ""}${each.percent.toFixed(1)} %`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function figure(change: Change, value: number | null): string {
  if (value === null) return "–";
  return change.unit === "seconds"
    ? seconds(value)
    : change.unit === "rate"
      ? short(value)
      : whole(value);
}

export function UserMetrics({ metrics, more }: { metrics: MetricData[]; more: number }) {
  if (!metrics.length) return null;
  return (
    <section>
      <h3>Counters, gauges, histograms, meters</h3>
      <Scroll label="User metrics">
        <table>
          <thead>
            <tr>
              {["function", "metric", "kind", "value"].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {metrics.map((each, at) => (
              <tr key={at}>
                <td class="nu-code">{cut(each.function, LONGEST)}</td>
                <th scope="row" class="nu-code">
                  {cut(each.name, LONGEST)}
                </th>
                <td>{each.kind}</td>
                <td>
                  {cut(each.text, LONGEST)}
                  {each.bars && each.bars.length > 0 && <Bars metric={each} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {more > 0 && <p class="nu-quiet">{whole(more)} more</p>}
      </Scroll>
    </section>
  );
}

function Bars({ metric }: { metric: MetricData }) {
  const bars = metric.bars!;
  const top = Math.max(...bars.map((bar) => bar.count));
  const said = bars
    .filter((bar) => bar.count)
    .map((bar) => `${number(bar.low)} to ${number(bar.high)}: ${whole(bar.count)}`);
  return (
    <span class="nu-bars">
      <span role="img" aria-label={`Histogram of ${metric.name}: ${said.join("; ")}`}>
        {bars.map((bar, at) => (
          <span
            key={at}
            title={`${number(bar.low)} to ${number(bar.high)}: ${whole(bar.count)}`}
            style={{ height: `${bar.count ? Math.max(4, (100 * bar.count) / top) : 0}%` }}
          />
        ))}
      </span>
      <span class="nu-quiet">
        {number(bars[0]!.low)} … {number(bars[bars.length - 1]!.high)}
      </span>
    </span>
  );
}

const number = (value: number): string => String(+value.toPrecision(3));

type CaptureOf = ((name: string) => Promise<string | undefined>) | undefined;

export function Slowest({ query, capture }: { query: QueryData; capture: CaptureOf }) {
  const [open, setOpen] = useState<string | null>(null);
  if (!query.slowest.length) return null;
  return (
    <section>
      <h3>Slowest bundles</h3>
      <Scroll label="Slowest bundles">
        <table>
          <thead>
            <tr>
              {[
                "took",
                "rows",
                "worker",
                "stage",
                "partition",
                "bundle",
                "ended after",
                "its rows",
              ].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {query.slowest.map((slow) => {
              const key = `${slow.stage}.${slow.partition}.${slow.attempt}.${slow.worker}.${slow.bundle}.${slow.time}`;
              const shown = open === key;
              return (
                <>
                  <tr key={key}>
                    <td>{time(slow.busy_ns)}</td>
                    <td>{whole(slow.rows)}</td>
                    <td>{slow.worker > 0 ? slow.worker : worker(slow.worker)}</td>
                    <td>{slow.stage}</td>
                    <td>{slow.partition}</td>
                    <td>{slow.worker > 0 ? slow.bundle : "–"}</td>
                    <td>
                      {query.first === null ? "–" : seconds(Math.max(0, slow.time - query.first))}
                    </td>
                    <td>
                      <button
                        type="button"
                        aria-expanded={shown}
                        onClick={() => setOpen(shown ? null : key)}
                      >
                        {slow.sample ? "rows" : "where"}
                      </button>
                    </td>
                  </tr>
                  {shown && (
                    <tr key={`${key}+`}>
                      <td colSpan={8}>
                        <Rows slow={slow} capture={capture} />
                      </td>
                    </tr>
                  )}
                </>
              );
            })}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function Rows({ slow, capture }: { slow: SlowData; capture: CaptureOf }) {
  const { first_row: first, rows, sample } = slow;
  const range =
    first === null || !rows ? "" : `, rows ${whole(first)} to ${whole(first + rows - 1)} of it`;
  return (
    <>
      <p>
        Partition {slow.partition} of stage {slow.stage}
        {range}. It had waited {time(slow.wait_ns)}.
      </p>
      <ul>
        {slow.functions.map((each, at) => (
          <li key={at}>
            <span class="nu-code">{cut(each.function, LONGEST)}</span>: decode{" "}
            {time(each.decode_ns)}, user code {time(each.user_ns)}, encode {time(each.encode_ns)}
          </li>
        ))}
      </ul>
      {sample ? (
        <>
          <p class="nu-quiet">
            Its first {whole(sample.rows.length)} of {whole(rows)} rows, as the functions got them:
          </p>
          <table>
            <thead>
              <tr>
                {sample.columns.map((name, at) => (
                  <th key={at} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sample.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((value, index) => (
                    <td key={index} class="nu-code">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {capture &&
            sample.kept.map((name) => (
              <Capture key={name} name={cut(name, LONGEST)} ask={() => capture(name)} />
            ))}
        </>
      ) : (
        <p class="nu-quiet">
          Rows are kept of bundles that were slower than all before them in their worker.
        </p>
      )}
    </>
  );
}

export function FailedCalls({ failed, more }: { failed: FailedData[]; more: number }) {
  if (!failed.length) return null;
  return (
    <section>
      <h3>Failed calls</h3>
      <Scroll label="Failed calls">
        <table>
          <thead>
            <tr>
              {["function", "error", "with", "where"].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {failed.map((each, at) => (
              <tr key={at}>
                <td class="nu-code">{cut(each.function, LONGEST)}</td>
                <td>
                  {each.exception}: {cut(each.message, LONGEST)}
                  {each.outcome !== "fail" && ` (${each.outcome})`}
                </td>
                <td class="nu-code">
                  {each.arguments
                    .map(([name, value]) => `${name} = ${cut(value, LONGEST)}`)
                    .join(", ")}
                </td>
                <td>
                  stage {each.stage}, partition {each.partition}, bundle {each.bundle}
                  {each.row >= 0 && `, row ${whole(each.row)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {more > 0 && <p class="nu-quiet">{whole(more)} earlier ones</p>}
      </Scroll>
    </section>
  );
}

function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="nu-scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
