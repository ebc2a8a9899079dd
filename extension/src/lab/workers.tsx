import { counted, size, whole } from "../shared/format.ts";
import type { WorkerNews } from "../shared/messages.ts";
import type { Connection } from "./connection.ts";

interface WorkersProps {
  workers: WorkerNews[];
  alive: number;
  size: number;
  connection: Connection;
}

/** The living workers, each with a way to restart it. */
export function Workers({ workers, alive, size: most, connection }: WorkersProps) {
  return (
    <>
      <p class="nu-quiet">Up to {whole(most)} at once.</p>
      <ul class="nu-items" aria-label="Workers">
        {workers.map((each) => (
          <li key={each.pid} class="nu-item" data-pid={each.pid}>
            <div class="nu-item-text">
              <span class="nu-code">{each.pid}</span>{" "}
              {[each.state, each.function].filter(Boolean).join(" in ")}
              <div class="nu-quiet">
                {size(each.memory)}, {counted(each.rows, "row")}
                {each.failures > 0 && `, ${whole(each.failures)} failed`}
              </div>
              {each.error && <div class="nu-bad">{each.error}</div>}
            </div>
            <button
              type="button"
              aria-label={`Restart worker ${each.pid}`}
              onClick={() => connection.tell("restart", { pid: each.pid })}
            >
              Restart
            </button>
          </li>
        ))}
      </ul>
      {alive > workers.length && (
        <p class="nu-quiet">{whole(alive - workers.length)} more are not shown.</p>
      )}
    </>
  );
}
