// The line that was chosen, in full, with what is known of the call it was written in.

import { useState } from "preact/hooks";
import { Capture } from "../shared/capture.tsx";
import { whole } from "../shared/format.ts";
import type { FailureData } from "../shared/messages.ts";
import type { Line } from "./block.ts";
import { copy } from "./export.ts";
import { Coloured } from "./line.tsx";
import type { Log } from "./state.ts";
import { clock, lineText, place } from "./text.ts";

const MOST_CARDS = 20;

export function Details({ log }: { log: Log }) {
  if (!log.pane.value) return null;
  const line = log.line();
  return (
    <div class="nu-details" role="region" aria-label="Details" tabIndex={0}>
      <button
        type="button"
        class="nu-close"
        aria-label="Close the details"
        onClick={() => (log.pane.value = "")}
      >
        ×
      </button>
      {log.pane.value === "failures" ? (
        <Cards log={log} />
      ) : line ? (
        <LineDetails log={log} line={line} />
      ) : (
        <p class="nu-quiet">This line is not kept any more.</p>
      )}
    </div>
  );
}

function LineDetails({ log, line }: { log: Log; line: Line }) {
  const failure = log.failures.value.of(line);
  const only = (part: Partial<typeof log.filter.value>) => {
    log.filter.value = { ...log.filter.value, ...part };
  };
  const parts = String(line.time % 1).slice(1, 5);
  return (
    <>
      <p class="nu-facts">
        <b>
          {clock(line.time)}
          {parts}
        </b>{" "}
        {line.level} from {line.source || "?"}
        {line.row >= 0
          ? `, row ${whole(line.row)} of bundle ${whole(line.bundle)}`
          : ", outside of a call"}
      </p>
      <p class="nu-facts">
        Only{" "}
        <button type="button" onClick={() => only({ pid: line.pid })}>
          worker {line.pid}
        </button>{" "}
        {line.name && (
          <>
            <button type="button" onClick={() => only({ name: line.name })}>
              {line.name}
            </button>{" "}
          </>
        )}
        {line.query && (
          <>
            <button type="button" onClick={() => only({ query: line.query })}>
              query {line.query}
            </button>{" "}
          </>
        )}
        <button type="button" onClick={() => void copy(lineText(line))}>
          Copy this line
        </button>
      </p>
      <pre class="nu-whole">
        <Coloured text={line.text} sought={log.pattern.value} />
      </pre>
      {failure ? (
        <Card failure={failure} log={log} />
      ) : (
        line.row >= 0 && (
          <p class="nu-quiet">
            The call {place(line)} of worker {line.pid} is not known to have failed.
          </p>
        )
      )}
    </>
  );
}

function Cards({ log }: { log: Log }) {
  const { all } = log.failures.value;
  const [shown, setShown] = useState(MOST_CARDS);
  const newest = [...all].reverse();
  return (
    <>
      {newest.slice(0, shown).map((each) => (
        <Card key={each.id} failure={each} log={log} />
      ))}
      {newest.length > shown && (
        <button type="button" onClick={() => setShown(shown + MOST_CARDS)}>
          {whole(newest.length - shown)} more
        </button>
      )}
      {!newest.length && <p class="nu-quiet">No call has failed.</p>}
    </>
  );
}

function Card({ failure, log }: { failure: FailureData; log: Log }) {
  return (
    <section class="nu-card" aria-label={`Failed call of ${failure.function}`}>
      <h4>{failure.headline}</h4>
      {failure.message.includes("\n") && <pre>{failure.message}</pre>}
      {failure.code.length > 0 && (
        <pre>
          {failure.code.map(([number, text, here]) => (
            <div key={number} class={here ? "nu-here" : ""}>
              {here ? "-->" : "   "} {String(number).padStart(4)} {text}
            </div>
          ))}
        </pre>
      )}
      {failure.arguments.length > 0 && (
        <table>
          <tbody>
            {failure.arguments.map(([name, value]) => (
              <tr key={name}>
                <th scope="row" class="nu-code">
                  {name}
                </th>
                <td class="nu-code">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="nu-quiet">
        {failure.position}
        {failure.query && `, query ${failure.query}`}
        {failure.outcome !== "fail" &&
          `, ${failure.outcome === "null" ? "NULL instead" : "put into quarantine"}`}
      </p>
      {failure.replay && (
        <p class="nu-code">
          session.replay({JSON.stringify(failure.function)}, {JSON.stringify(failure.id)})
        </p>
      )}
      {failure.replay && log.captures && (
        <Capture name={failure.function} ask={() => log.capture(failure.function)} />
      )}
      {failure.frames.length > 1 && (
        <details>
          <summary>Traceback ({whole(failure.frames.length + failure.more_frames)} frames)</summary>
          <pre>
            {failure.more_frames > 0 && `… ${whole(failure.more_frames)} frames before …\n`}
            {failure.frames.join("\n")}
          </pre>
        </details>
      )}
    </section>
  );
}
