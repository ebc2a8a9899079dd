// The log: what the functions wrote, as it comes, and as much of it as is kept.

import { useEffect, useMemo } from "preact/hooks";
import { whole } from "../shared/format.ts";
import { widget } from "../shared/mount.tsx";
import { Bar } from "./bar.tsx";
import { Details } from "./details.tsx";
import { List } from "./list.tsx";
import { Log, type LogKernel } from "./state.ts";
import css from "./style.css";

function LogPanel({ kernel }: { kernel: LogKernel }) {
  const log = useMemo(() => new Log(kernel), []);
  useEffect(() => log.start(), []);
  return (
    // Jupyter would take single letters and arrow keys for commands to the notebook.
    <div class="nu-logs" data-lm-suppress-shortcuts="true">
      <Bar log={log} />
      <List log={log} />
      <Status log={log} kernel={kernel} />
      <Details log={log} />
    </div>
  );
}

function Status({ log, kernel }: { log: Log; kernel: LogKernel }) {
  const { first, end, dropped } = kernel.data.value;
  const { count } = log.rows.value;
  const lines = end - first;
  const { blocks } = log.book;
  const held = blocks.reduce((sum, block) => sum + block.count, 0);
  const coming = Math.max(0, lines - held - Math.max(0, log.book.withheld - first));
  const failed = log.failures.value.all.length;
  return (
    <div class="nu-status">
      <span role="status">
        {count === held ? `${whole(held)} lines` : `${whole(count)} of ${whole(held)} lines`}
        {coming > 0 && held === 0 && kernel.waiting.value
          ? `; ${whole(coming)} come when the kernel is free`
          : coming > 0
            ? `; ${whole(coming)} are coming`
            : ""}
      </span>
      {dropped > 0 && (
        <span
          class="nu-gap"
          title="Withheld because there were too many, or let go; the workers' log files have them"
        >
          {whole(dropped)} dropped
        </span>
      )}
      {log.book.withheld > first && (
        <span class="nu-quiet">older lines: session.logs().save(path)</span>
      )}
      {failed > 0 && (
        <button type="button" class="nu-link" onClick={() => (log.pane.value = "failures")}>
          {whole(failed)} failed call{failed === 1 ? "" : "s"}
        </button>
      )}
      {!log.following.value && <span class="nu-quiet">paused: End follows again</span>}
      {log.said.value && (
        <span class="nu-quiet" role="status">
          {log.said.value}
        </span>
      )}
      {kernel.refusal.value && <span class="nu-refusal">{kernel.refusal.value}</span>}
    </div>
  );
}

export default widget(LogPanel, css);
