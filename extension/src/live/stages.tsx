// The stages of a run as bars: a fixed number of lines, whatever there is to show.

import { seconds, whole } from "../shared/format.ts";
import type { Progress, StageProgress } from "../shared/messages.ts";
import { telling } from "./run.ts";

const LINES = 4;

export function Stages({ progress }: { progress: Progress }) {
  const { stages, others } = telling(progress, LINES);
  return (
    <section class="nu-stages" aria-label="Stages">
      <div class="nu-head">
        <strong>Stages</strong>
        <span class="nu-quiet">
          {progress.tasks > 0 && `${whole(progress.done)} of ${whole(progress.tasks)} tasks`}
          {others > 0 && ` · ${whole(others)} more stage${others === 1 ? "" : "s"}`}
        </span>
      </div>
      {stages.map((stage) => (
        <Line key={stage.number} stage={stage} />
      ))}
      {!stages.length && <div class="nu-quiet">no task has begun yet</div>}
    </section>
  );
}

function Line({ stage }: { stage: StageProgress }) {
  const share = (count: number) => `${stage.tasks ? (100 * count) / stage.tasks : 0}%`;
  const said =
    `${whole(stage.done)} of ${whole(stage.tasks)}` +
    (stage.running ? `, ${whole(stage.running)} running` : "") +
    (stage.failed ? `, ${whole(stage.failed)} failed` : "");
  return (
    <div class={`nu-stage nu-${stage.state}`}>
      <span class="nu-number">
        {stage.number} {stage.name}
      </span>
      <span
        class="nu-track"
        role="progressbar"
        aria-label={`Stage ${stage.number}`}
        aria-valuemin={0}
        aria-valuemax={stage.tasks}
        aria-valuenow={stage.done}
        aria-valuetext={said}
      >
        <i class="nu-done" style={{ width: share(stage.done) }} />
        <i class="nu-busy" style={{ width: share(stage.running) }} />
      </span>
      <span class="nu-said" title={said}>
        {said}
      </span>
      <span class="nu-time nu-quiet">
        {stage.state === "waiting" ? "" : seconds(stage.seconds)}
      </span>
    </div>
  );
}
