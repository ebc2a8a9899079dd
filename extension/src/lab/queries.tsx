import { counted, seconds } from "../shared/format.ts";
import type { QueryNews } from "../shared/messages.ts";
import type { Connection } from "./connection.ts";

/** The last queries, newest first; one that runs can be cancelled. */
export function Queries({ queries, connection }: { queries: QueryNews[]; connection: Connection }) {
  if (queries.length === 0) return <p class="nu-quiet">None has run yet.</p>;
  return (
    <ul class="nu-items nu-scrolls" aria-label="Queries" tabIndex={0}>
      {queries.map((each) => (
        <li key={each.query} class="nu-item" data-state={each.state}>
          <div class="nu-item-text">
            <span class="nu-code">{each.query}</span> {each.text || "a query"}
            <div class="nu-quiet">{facts(each)}</div>
            {each.error && <div class="nu-bad">{each.error}</div>}
          </div>
          {each.state === "running" && (
            <button
              type="button"
              aria-label={`Cancel query ${each.query}`}
              onClick={() => connection.cancel(each.query)}
            >
              Cancel
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function facts({ state, began, ended, functions, rows }: QueryNews): string {
  const parts: string[] = [state];
  if (ended !== null) parts.push(seconds(Math.max(0, ended - began)));
  if (functions.length > 0) parts.push(functions.join(", "), counted(rows, "row"));
  return parts.join(", ");
}
