// Which run a plan's figures are of.

import type { ReadonlySignal } from "@preact/signals";
import { seconds } from "../shared/format.ts";
import type { Plan } from "../shared/messages.ts";

export function Heading({ plan }: { plan: ReadonlySignal<Plan> }) {
  const { run } = plan.value;
  const said = !run
    ? "not run"
    : `${{ done: "run", failed: "failed run", running: "running" }[run.state]} ${run.query}` +
      (run.seconds === null ? "" : ` · ${seconds(run.seconds)}`);
  return (
    <strong class={run ? `nu-${run.state}` : ""} role="status">
      {said}
    </strong>
  );
}
