// The live cell: how far the queries of a cell are, while it runs. Its height depends on its width
// only, so that what stands below does not move; its end is a static report from the kernel.

import { useEffect, useState } from "preact/hooks";
import { seconds, short, whole } from "../shared/format.ts";
import type { LiveData, RunData } from "../shared/messages.ts";
import { type Kernel, widget } from "../shared/mount.tsx";
import { Cancel } from "./cancel.tsx";
import { PART_NAMES, PARTS, rest, shares } from "./run.ts";
import { Stages } from "./stages.tsx";
import css from "./style.css";

const SHOWN_METRICS = 3;
const SILENCE = 5;

function Live({ kernel }: { kernel: Kernel<LiveData> }) {
  const { run, kernel: id } = kernel.data.value;
  const silence = useSilence(kernel);
  return (
    // Keys belong to the panel here, not to the notebook's shortcuts: Enter presses a button.
    <div class="nu-live" role="group" aria-label="Running query" data-lm-suppress-shortcuts="true">
      <div class="nu-bar">
        <strong>
          <span class="nu-dot" aria-hidden="true">
            ●
          </span>{" "}
          {run.cancelling ? "cancelling" : run.outcome}{" "}
          <span class="nu-clock">{seconds(run.seconds)}</span>
          <Rest run={run} />
        </strong>
        {silence > 0 ? (
          <span class="nu-problem" role="alert">
            no word from the kernel for {silence} s
          </span>
        ) : (
          <Cancel kernel={id} cancelling={run.cancelling} />
        )}
      </div>
      <Figures run={run} />
      <Time run={run} />
      <div class="nu-panes">
        <Stages progress={run.progress} />
        <Log run={run} />
      </div>
      <Metrics run={run} />
      <Warnings warnings={run.warnings} />
    </div>
  );
}

/** How many seconds the kernel has been silent; 0 while it talks, which it does all the time. */
function useSilence(kernel: Kernel<LiveData>): number {
  const data = kernel.data.value;
  const [silence, setSilence] = useState(0);
  useEffect(() => {
    const last = performance.now();
    setSilence(0);
    const timer = setInterval(() => {
      const passed = Math.floor((performance.now() - last) / 1000);
      if (passed >= SILENCE) setSilence(passed);
    }, 1000);
    return () => clearInterval(timer);
  }, [data]);
  return silence;
}

function Rest({ run }: { run: RunData }) {
  const left = rest(run.progress);
  return left === null ? null : (
    <span class="nu-quiet nu-rest">
      {" "}
      about {seconds(Math.max(1, Math.round(left)))} left in this stage
    </span>
  );
}

function Figures({ run }: { run: RunData }) {
  const python = run.functions.length > 0;
  const figures: [string, string, string][] = [
    ["rows", whole(run.rows), "rows that went into functions"],
    ["rows/s", short(Math.round(run.rate_now)), "rows a second, in the last seconds"],
    ["average", short(Math.round(run.rate)), "rows a second, since the first"],
    ["bundles", whole(run.bundles), "bundles of rows that are done"],
    ["at work", whole(run.in_progress), "bundles that workers are busy with"],
  ];
  return (
    <div class="nu-figures" role="list">
      {figures.map(([name, value, meaning]) => (
        <div key={name} role="listitem" title={meaning}>
          <span class="nu-quiet">{name}</span> <b>{python ? value : "–"}</b>
        </div>
      ))}
    </div>
  );
}

function Time({ run }: { run: RunData }) {
  const share = shares(run.split);
  const said = PARTS.map((part) => `${PART_NAMES[part]} ${Math.round(100 * share[part])} %`).join(
    ", ",
  );
  return (
    <div class="nu-split">
      <div class="nu-track" role="img" aria-label={`Time of the workers: ${said}`}>
        {PARTS.map((part) => (
          <i
            key={part}
            class={`nu-part nu-key-${part}`}
            style={{ width: `${100 * share[part]}%` }}
          />
        ))}
      </div>
      <div class="nu-legend">
        {PARTS.map((part) => (
          <span key={part}>
            <span class={`nu-key nu-key-${part}`} aria-hidden="true" />
            <span>{PART_NAMES[part]}</span>
            <b>{seconds(run.split[part])}</b>
          </span>
        ))}
      </div>
    </div>
  );
}

function Log({ run }: { run: RunData }) {
  return (
    <section class="nu-log" aria-label="Log">
      <div class="nu-head">
        <strong>Log</strong>
        <span class="nu-quiet">
          {run.log_lines
            ? `${whole(run.log_lines)} line${run.log_lines === 1 ? "" : "s"}`
            : "no lines yet"}
        </span>
      </div>
      {run.log.map((line, place) => (
        <div key={place} class="nu-code" title={line}>
          {line}
        </div>
      ))}
    </section>
  );
}

function Metrics({ run }: { run: RunData }) {
  const [all, setAll] = useState(false);
  const shown = all ? run.metrics : run.metrics.slice(0, SHOWN_METRICS);
  const more = run.metrics.length - SHOWN_METRICS;
  return (
    <div class={`nu-metrics ${all ? "nu-all" : ""}`}>
      <span class="nu-values">
        {shown.map(([name, metric, value]) => (
          <span key={`${name} ${metric}`} title={`${name}: ${metric} ${value}`}>
            <span class="nu-quiet">{metric}</span> {value}
          </span>
        ))}
        {!run.metrics.length && <span class="nu-quiet">no metrics of the functions' own</span>}
        {all && run.hidden_metrics > 0 && (
          <span class="nu-quiet">and {whole(run.hidden_metrics)} more (%udf metrics)</span>
        )}
      </span>
      {more > 0 && (
        <button type="button" class="nu-link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "fewer" : `${whole(more)} more`}
        </button>
      )}
    </div>
  );
}

function Warnings({ warnings }: { warnings: string[] }) {
  const [first, ...others] = warnings;
  return (
    <div class="nu-warnings" role="status" title={warnings.join("\n")}>
      {first && <span class="nu-first">⚠ {first}</span>}
      {others.length > 0 && (
        <details>
          <summary>{whole(others.length)} more</summary>
          <ul>
            {others.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export default widget(Live, css);
