import { counted, short, whole } from "../shared/format.ts";
import type { StreamNews } from "../shared/messages.ts";
import type { Connection } from "./connection.ts";
import { isOver } from "./data.ts";
import type { Views } from "./shown.ts";

const ENDINGS = [
  ["drain", "Drain", "processes what is there, then ends its functions in order"],
  ["suspend", "Suspend", "stops after the micro-batch that runs, to go on later"],
  ["cancel", "Cancel", "stops at once"],
] as const;

interface StreamsProps {
  streams: StreamNews[];
  connection: Connection;
  views: Views;
}

/** The streaming queries, each with the three ways to end it. */
export function Streams({ streams, connection, views }: StreamsProps) {
  if (streams.length === 0) return <p class="nu-quiet">None has run yet.</p>;
  return (
    <ul class="nu-items" aria-label="Streaming queries">
      {streams.map((each) => (
        <li key={each.run} data-run={each.run} data-state={each.state}>
          <span class="nu-code" title={each.id}>
            {titleOf(each)}
          </span>
          <div class="nu-quiet">{facts(each)}</div>
          {each.error && <div class="nu-bad">{each.error}</div>}
          {!isOver(each) && (
            <div class="nu-side-tools" role="group" aria-label={`Query ${titleOf(each)}`}>
              {ENDINGS.map(([how, text, does]) => (
                <button
                  type="button"
                  key={how}
                  title={`${text}: ${does}`}
                  aria-label={`${text} ${titleOf(each)}`}
                  disabled={each.state !== "running"}
                  onClick={() => connection.tell("end_stream", { run: each.run, how })}
                >
                  {text}
                </button>
              ))}
              {each.name && (
                <button
                  type="button"
                  aria-label={`State of ${titleOf(each)}`}
                  onClick={() => views.state(each.name)}
                >
                  State
                </button>
              )}
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

const titleOf = ({ name, id }: StreamNews): string => name || `unnamed, ${id.slice(0, 8)}`;

function facts({ state, message, batch, rows, rate }: StreamNews): string {
  const parts: string[] = [state];
  if (batch !== null) parts.push(`batch ${whole(batch)}`, `${counted(rows ?? 0, "row")} in it`);
  if (rate !== null) parts.push(`${short(rate)} rows/s`);
  if (message) parts.push(message);
  return parts.join(", ");
}
