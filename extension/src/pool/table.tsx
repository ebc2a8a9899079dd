// A row for each worker; what ended stands below, folded.

import { seconds, short, size, whole } from "../shared/format.ts";
import type { EndedWorker, LivingWorker, PoolData } from "../shared/messages.ts";
import { share, task } from "./pool.ts";

interface TableProps {
  data: PoolData;
  /** The worker whose end is to be confirmed. */
  asked: number | null;
  onStack: (pid: number) => void;
  onAsk: (pid: number | null) => void;
  onRestart: (pid: number) => void;
}

export function Table({ data, asked, onStack, onAsk, onRestart }: TableProps) {
  const hidden = data.alive - data.workers.length;
  return (
    <div class="nu-scroll" tabIndex={0} role="region" aria-label="Workers">
      <table class="nu-workers">
        <thead>
          <tr>
            {[
              "Worker",
              "State",
              "Function",
              "Memory",
              "CPU",
              "Up",
              "Rows",
              "Last error",
              "Actions",
            ].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.workers.map((worker) => (
            <Row
              key={worker.pid}
              worker={worker}
              part={share(worker, data.workers)}
              asked={asked === worker.pid}
              onStack={onStack}
              onAsk={onAsk}
              onRestart={onRestart}
            />
          ))}
        </tbody>
      </table>
      {!data.workers.length && (
        <p class="nu-quiet nu-none">
          No worker is alive: Spark forks them when a query needs them.
        </p>
      )}
      {hidden > 0 && <p class="nu-quiet nu-none">{whole(hidden)} more workers</p>}
    </div>
  );
}

interface RowProps extends Omit<TableProps, "data" | "asked"> {
  worker: LivingWorker;
  part: number;
  asked: boolean;
}

function Row({ worker, part, asked, onStack, onAsk, onRestart }: RowProps) {
  const { pid, memory, memory_limit: limit } = worker;
  const level = limit && part > 0.9 ? "nu-full" : limit && part > 0.7 ? "nu-high" : "";
  return (
    <tr data-pid={pid}>
      <th scope="row">{pid}</th>
      <td>
        <span class={`nu-state nu-${worker.state === "busy" ? "busy" : "idle"}`}>
          {worker.state || "starting"}
        </span>
      </td>
      <td title={task(worker)}>
        {worker.function ? (
          <>
            <span class="nu-code">{worker.function}</span>, bundle {whole(worker.bundle)}
          </>
        ) : (
          "–"
        )}
      </td>
      <td>
        <span
          class="nu-meter"
          role="meter"
          aria-label={`Memory of worker ${pid}`}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(100 * part)}
          aria-valuetext={`${size(memory)} of ${limit ? size(limit) : "no limit"}`}
        >
          <span class={level} style={{ width: `${100 * part}%` }} />
        </span>
        {size(memory)} <span class="nu-quiet">{limit ? `of ${size(limit)}` : "no limit"}</span>
      </td>
      <td title="Share of one processor now, and processor time since its start">
        {Math.round(100 * worker.cpu_now)} % now,{" "}
        <span class="nu-quiet">{seconds(worker.cpu)} in all</span>
      </td>
      <td>{up(worker)}</td>
      <td title={`${whole(worker.rows_done)} rows, ${whole(worker.bundles_done)} bundles`}>
        {short(worker.rows_done)}
      </td>
      <td class="nu-error">
        {worker.error ? (
          <>
            {worker.failures > 1 && `${whole(worker.failures)}, `}
            {worker.error}
          </>
        ) : (
          "–"
        )}
      </td>
      <td class="nu-actions">
        {asked ? (
          <>
            <button type="button" onClick={() => onRestart(pid)}>
              End worker {pid}
            </button>
            <button type="button" onClick={() => onAsk(null)}>
              No
            </button>
          </>
        ) : (
          <>
            <button type="button" aria-label={`Stack of ${pid}`} onClick={() => onStack(pid)}>
              Stack
            </button>
            <button type="button" aria-label={`Restart ${pid}`} onClick={() => onAsk(pid)}>
              Restart
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

function up(worker: LivingWorker | EndedWorker): string {
  if (!worker.started) return "?";
  const whole = Math.max(0, Math.floor(worker.seen - worker.started));
  return whole < 60 ? `${whole} s` : seconds(whole);
}

/** Workers that are no more, and why. */
export function Gone({ ended, gone }: { ended: EndedWorker[]; gone: number }) {
  if (!gone) return null;
  return (
    <details class="nu-ended">
      <summary>{whole(gone)} ended</summary>
      <div class="nu-scroll" tabIndex={0} role="region" aria-label="Workers that ended">
        <table>
          <thead>
            <tr>
              {["Worker", "End", "Lived", "Most memory", "CPU time", "Rows", "Last error"].map(
                (name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {ended.map((each, at) => (
              <tr key={at}>
                <th scope="row">{each.pid}</th>
                <td>{each.how}</td>
                <td>{up(each)}</td>
                <td>{size(each.peak_memory)}</td>
                <td>{seconds(each.cpu)}</td>
                <td>{short(each.rows_done)}</td>
                <td class="nu-error">{each.error || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {gone > ended.length && <p class="nu-quiet">{whole(gone - ended.length)} earlier ones</p>}
      </div>
    </details>
  );
}
