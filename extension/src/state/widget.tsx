// A stream's state: operators, variables, keys and values, after any batch; what two batches differ in.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { cut, whole } from "../shared/format.ts";
import type { StateCommands, StateData } from "../shared/messages.ts";
import { type Kernel, widget } from "../shared/mount.tsx";
import { markOf, range, type SentPage, SIGN } from "./data.ts";
import { Reading } from "./reading.ts";
import css from "./style.css";

const LONGEST = 240;
const PAUSE = 350;

function State({ kernel }: { kernel: Kernel<StateData, StateCommands> }) {
  const reading = useMemo(() => new Reading(kernel), []);
  useEffect(() => reading.end, []);
  const { checkpoint, error, batches } = kernel.data.value;
  return (
    <div class="nu-state">
      <div class="nu-bar" role="toolbar" aria-label="State">
        <strong>State</strong>
        <Search reading={reading} />
        <Batch reading={reading} which="batch" />
        <Batch reading={reading} which="other" />
      </div>
      <p class="nu-quiet nu-where">
        {cut(checkpoint, LONGEST)} · batches {batches[0]} to {batches[1]}
      </p>
      {error && (
        <p class="nu-refusal" role="alert">
          {error}
        </p>
      )}
      <div class="nu-panes">
        <Variables reading={reading} />
        <Rows reading={reading} />
      </div>
      <History reading={reading} />
    </div>
  );
}

function Search({ reading }: { reading: Reading }) {
  const timer = useRef(0);
  const seek = (text: string) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => reading.want({ search: text.trim() }), PAUSE);
  };
  return (
    <input
      type="search"
      placeholder="Search keys"
      aria-label="Search keys"
      onInput={(event) => seek(event.currentTarget.value)}
    />
  );
}

/** Which batch is shown, or which it is compared with. */
function Batch({ reading, which }: { reading: Reading; which: "batch" | "other" }) {
  const [first, last] = reading.kernel.data.value.batches;
  const wish = reading.wish.value;
  const own = which === "batch";
  const on = own ? wish.batch === null : wish.other !== null;
  const at = wish[which] ?? (own ? last : first);
  const label = own ? `after batch ${at}` : `compare with ${at}`;
  return (
    <span class="nu-batch">
      <label>
        <input
          type="checkbox"
          checked={on}
          onChange={(event) =>
            reading.want({
              [which]: event.currentTarget.checked === own ? null : at,
              timers: false,
            })
          }
        />
        {own ? "latest" : "compare"}
      </label>
      <input
        type="range"
        min={first}
        max={last}
        value={at}
        disabled={first === last}
        aria-label={own ? "Batch" : "Batch to compare with"}
        aria-valuetext={label}
        onChange={(event) =>
          reading.want({
            [which]: Number(event.currentTarget.value),
            ...(own ? {} : { timers: false }),
          })
        }
      />
      <span class="nu-at">{own || on ? label : ""}</span>
    </span>
  );
}

function Variables({ reading }: { reading: Reading }) {
  const { operators, functions, keys } = reading.kernel.data.value;
  const wish = reading.wish.value;
  const one = (name: string, said: string) => (
    <li key={name}>
      <button
        type="button"
        aria-pressed={!wish.timers && wish.name === name}
        onClick={() =>
          reading.want({ name, timers: false, other: functions.includes(name) ? wish.other : null })
        }
      >
        {cut(name, 60)}
      </button>
      {said && <span class="nu-quiet"> {said}</span>}
    </li>
  );
  return (
    <nav class="nu-variables" aria-label="Functions and variables">
      {functions.length > 0 && (
        <>
          <h3>Functions</h3>
          {keys.length > 0 && (
            <p class="nu-quiet">
              by {cut(keys.map(([name, type]) => `${name} ${type}`).join(", "), LONGEST)}
            </p>
          )}
          <ul>{functions.map((name) => one(name, ""))}</ul>
          <ul>
            <li>
              <button
                type="button"
                aria-pressed={wish.timers}
                onClick={() => reading.want({ timers: true, other: null })}
              >
                timers
              </button>
            </li>
          </ul>
        </>
      )}
      {operators.map((operator) => (
        <section key={operator.id}>
          <h3>
            Operator {operator.id}: {cut(operator.name, 60)}
          </h3>
          <ul>{Object.entries(operator.variables).map(([name, kind]) => one(name, kind))}</ul>
        </section>
      ))}
    </nav>
  );
}

function Rows({ reading }: { reading: Reading }) {
  const { kernel } = reading;
  const wish = reading.wish.value;
  const page = reading.page.value;
  const compares = wish.other !== null && !wish.timers;
  const what = wish.timers ? "timers" : wish.name;
  const batch = wish.batch ?? kernel.data.value.batches[1];
  const said = compares
    ? `${what}: keys that differ, batch ${wish.other} to ${batch}`
    : `${what} after batch ${page?.batch ?? batch}`;
  return (
    <div class="nu-rows">
      <div class="nu-said">
        <h3>{cut(said, LONGEST)}</h3>
        <span role="status">
          {kernel.waiting.value
            ? "reading (a cell that runs is waited for) …"
            : page
              ? range(page)
              : ""}
        </span>
        <button
          type="button"
          disabled={!page || page.offset === 0}
          onClick={() => reading.turn(-1)}
          aria-label="Previous page"
        >
          ‹
        </button>
        <button
          type="button"
          disabled={!page || page.offset + page.rows.length >= page.total}
          onClick={() => reading.turn(1)}
          aria-label="Next page"
        >
          ›
        </button>
      </div>
      {kernel.refusal.value && (
        <p class="nu-refusal" role="alert">
          {kernel.refusal.value}
        </p>
      )}
      <div class="nu-scroll" tabIndex={0} role="region" aria-label={said}>
        {page &&
          (page.rows.length ? (
            <Table page={page} compares={compares} reading={reading} />
          ) : (
            <Nothing search={wish.search} compares={compares} />
          ))}
      </div>
    </div>
  );
}

function Nothing({ search, compares }: { search: string; compares: boolean }) {
  return (
    <p class="nu-quiet">
      {search
        ? `No key holds ${cut(search, 60)}.`
        : compares
          ? "Nothing differs."
          : "There is nothing."}
    </p>
  );
}

function Table({
  page,
  compares,
  reading,
}: {
  page: SentPage;
  compares: boolean;
  reading: Reading;
}) {
  return (
    <table>
      <thead>
        <tr>
          {compares && <th scope="col">change</th>}
          {page.columns.map((name, at) => (
            <th key={at} scope="col">
              {cut(name, 80)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {page.rows.map((row, at) => {
          const mark = compares ? markOf(row) : null;
          const id = page.ids?.[at];
          const key = row
            .slice(0, page.keys)
            .map((each) => each ?? "NULL")
            .join(", ");
          return (
            <tr key={`${page.offset + at}`} class={mark ? `nu-${mark}` : ""}>
              {mark && (
                <td>
                  {SIGN[mark]} {mark}
                </td>
              )}
              {row.map((value, index) => (
                <td
                  key={index}
                  class="nu-code"
                  title={value !== null && value.length > LONGEST ? value : undefined}
                >
                  {id !== undefined && index === 0 ? (
                    <button
                      type="button"
                      class="nu-link"
                      aria-label={`History of ${cut(key, 80)}`}
                      onClick={() => reading.open(id, key)}
                    >
                      <Value value={value} />
                    </button>
                  ) : (
                    <Value value={value} />
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const Value = ({ value }: { value: string | null }) =>
  value === null ? <span class="nu-quiet">NULL</span> : cut(value, LONGEST) || "''";

function History({ reading }: { reading: Reading }) {
  const key = reading.key.value;
  if (!key) return null;
  const found = reading.history.value;
  return (
    <section class="nu-history" aria-label="History of a key">
      <div class="nu-said">
        <h3>History of {cut(key.text, 80)}</h3>
        <button type="button" onClick={() => (reading.key.value = null)}>
          Close
        </button>
      </div>
      <div
        class="nu-scroll"
        tabIndex={0}
        role="region"
        aria-label={`History of ${cut(key.text, 80)}`}
      >
        {found === null ? (
          <p class="nu-quiet">
            {reading.kernel.waiting.value
              ? "Reading, a batch at a time …"
              : "It could not be read."}
          </p>
        ) : (
          <table>
            <caption class="nu-quiet">
              Batches {found.first} to {found.last}
            </caption>
            <thead>
              <tr>
                {["batch", "function", "from then on"].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.rows.map((each, at) => (
                <tr key={at}>
                  <td>{whole(each.batch)}</td>
                  <td class="nu-code">{cut(each.function, 80)}</td>
                  <td class="nu-code">{each.accumulator ?? <span class="nu-quiet">gone</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}

export default widget(State, css);
