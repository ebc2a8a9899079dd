// The plan explorer: a query's physical plan as a graph, before, during and after its run.

import { useMemo, useRef, useState } from "preact/hooks";
import { computed, type ReadonlySignal } from "@preact/signals";
import { seconds } from "../shared/format.ts";
import { widget, type Kernel } from "../shared/mount.tsx";
import { save } from "../shared/save.ts";
import { Details } from "./details.tsx";
import { svgText, wholePage } from "./export.ts";
import { Graph, type Camera } from "./graph.tsx";
import type { Plan } from "./plan.ts";
import { Reading } from "./state.ts";
import css from "./style.css";

interface Data {
  plan: Plan;
  /** The page a plan is saved as, with places for the script and the data. */
  page: string;
}

function PlanExplorer({ kernel }: { kernel: Kernel<Data> }) {
  const reading = useMemo(() => new Reading(computed(() => kernel.data.value.plan)), []);
  const [camera, setCamera] = useState<Camera | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const svg = () => root.current?.querySelector<SVGSVGElement>("svg.nu-graph");
  const saveSvg = () => {
    const graph = svg();
    if (graph) save(svgText(graph), "image/svg+xml", "plan.svg");
  };
  return (
    <div class="nu-plan" ref={root}>
      <div class="nu-bar" role="toolbar" aria-label="Plan">
        <Heading plan={reading.plan} />
        <Search reading={reading} />
        {reading.plan.value.initial && (
          <label>
            <input
              type="checkbox"
              checked={reading.showsInitial.value}
              onChange={(event) => (reading.showsInitial.value = event.currentTarget.checked)}
            />
            before it ran
          </label>
        )}
        <button onClick={() => camera?.by(1 / 1.3)} aria-label="Smaller">−</button>
        <button onClick={() => camera?.by(1.3)} aria-label="Larger">+</button>
        <button onClick={() => camera?.fit()}>Fit</button>
        <button onClick={saveSvg}>SVG</button>
        <button onClick={() => save(wholePage(kernel), "text/html", "plan.html")}>HTML</button>
      </div>
      <div class="nu-panes">
        <Graph reading={reading} onCamera={setCamera} />
        <div class="nu-details" role="region" aria-label="Details" tabIndex={0}>
          <Details reading={reading} />
        </div>
      </div>
    </div>
  );
}

function Heading({ plan }: { plan: ReadonlySignal<Plan> }) {
  const { run } = plan.value;
  const said = !run
    ? "not run"
    : `${{ done: "run", failed: "failed run" }[run.state] ?? "running"} ${run.query}` +
      (run.seconds === null ? "" : ` · ${seconds(run.seconds)}`);
  return <strong class={run ? `nu-${run.state}` : ""}>{said}</strong>;
}

function Search({ reading }: { reading: Reading }) {
  const count = reading.found.value.length;
  return (
    <span class="nu-search">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search in the plan"
        value={reading.sought.value}
        onInput={(event) => (reading.sought.value = event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && reading.next(event.shiftKey ? -1 : 1)}
      />
      <span role="status">{reading.sought.value.trim() ? `${count} found` : ""}</span>
    </span>
  );
}

export default widget(PlanExplorer, css);
