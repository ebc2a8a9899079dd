// The workers of a session: what they do and take, and ways to interfere.

import { useEffect, useState } from "preact/hooks";
import { whole } from "../shared/format.ts";
import type { PoolCommands, PoolData } from "../shared/messages.ts";
import { type Kernel, widget } from "../shared/mount.tsx";
import { type Stack, StackPane } from "./stack.tsx";
import css from "./style.css";
import { Gone, Table } from "./table.tsx";

// The workers themselves are known by their numbers.
const ALL = 0;
const BUSY_AFTER_MS = 400;

function PoolPanel({ kernel }: { kernel: Kernel<PoolData, PoolCommands> }) {
  const data = kernel.data.value;
  const [stack, setStack] = useState<Stack | null>(null);
  const [asked, setAsked] = useState<number | null>(null);
  const [said, setSaid] = useState("");
  const late = useLate(kernel.waiting.value);
  const restart = async (pid: number) => {
    setAsked(null);
    const ended = await kernel.ask("restart", pid === ALL ? {} : { pid });
    if (ended)
      setSaid(
        `${ended.length === 1 ? `worker ${ended[0]}` : `${whole(ended.length)} workers`} ended; Spark forks new ones when they are needed`,
      );
  };
  const showStack = async (pid: number) => {
    const text = await kernel.ask("stack", { pid });
    if (text !== undefined) setStack({ pid, text });
  };
  return (
    <div class="nu-pool" data-lm-suppress-shortcuts="true">
      <div class="nu-bar" role="toolbar" aria-label="Workers">
        <strong>
          {whole(data.alive)} worker{data.alive === 1 ? "" : "s"} alive, up to {whole(data.size)} at
          once
        </strong>
        <label>
          log level{" "}
          <select
            value={data.log_level}
            onChange={(event) => void kernel.ask("log_level", { level: event.currentTarget.value })}
          >
            {data.log_levels.map((level) => (
              <option key={level} value={level}>
                {level}
              </option>
            ))}
          </select>
        </label>
        {asked === ALL ? (
          <>
            <button type="button" onClick={() => void restart(ALL)}>
              End all {whole(data.alive)}
            </button>
            <button type="button" onClick={() => setAsked(null)}>
              No
            </button>
          </>
        ) : (
          <button type="button" disabled={!data.alive} onClick={() => setAsked(ALL)}>
            Restart all
          </button>
        )}
      </div>
      <Table
        data={data}
        asked={asked}
        onStack={(pid) => void showStack(pid)}
        onAsk={setAsked}
        onRestart={(pid) => void restart(pid)}
      />
      <div class="nu-said" role="status">
        {late ? (
          <span class="nu-late">A cell is running: the kernel answers when it has ended.</span>
        ) : kernel.refusal.value ? (
          <span class="nu-refused">{kernel.refusal.value}</span>
        ) : asked !== null ? (
          "A task that runs in a worker that is ended fails with it."
        ) : (
          <span class="nu-quiet">{said}</span>
        )}
      </div>
      {stack && <StackPane stack={stack} onClose={() => setStack(null)} />}
      <Gone ended={data.ended} gone={data.gone} />
    </div>
  );
}

/** True once something has been waited for longer than an answer takes. */
function useLate(waiting: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!waiting) return setLate(false);
    const timer = setTimeout(() => setLate(true), BUSY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return late;
}

export default widget(PoolPanel, css);
