// The plan explorer: a query's physical plan as a graph, before, during and after its run, what it
// was made of, and two plans side by side.

import { computed, type ReadonlySignal } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Plan, PlanData } from "../shared/messages.ts";
import { type Kernel, widget } from "../shared/mount.tsx";
import { save } from "../shared/save.ts";
import { Tabs } from "../shared/tabs.tsx";
import { Compared } from "./compared.tsx";
import { Details } from "./details.tsx";
import { svgText, wholePage } from "./export.ts";
import { type Camera, Graph } from "./graph.tsx";
import { Heading } from "./heading.tsx";
import { LogicalPlan, Written } from "./origin.tsx";
import { Search } from "./search.tsx";
import { Reading } from "./state.ts";
import css from "./style.css";

function PlanExplorer({ kernel }: { kernel: Kernel<PlanData> }) {
  const { comparison } = kernel.data.value;
  if (comparison) return <Compared comparison={comparison} onSave={() => savePage(kernel)} />;
  return <OnePlan kernel={kernel} />;
}

function OnePlan({ kernel }: { kernel: Kernel<PlanData> }) {
  const plan = useMemo(() => computed(() => kernel.data.value.plan as Plan), []);
  const reading = useMemo(() => new Reading(plan), []);
  const [view, setView] = useState("graph");
  const { query, steps, analyzed } = plan.value.origin;
  const views = [["graph", "Physical plan"]];
  if (analyzed) views.push(["logical", "Logical plan"]);
  if (query || steps.length) views.push(["written", "SQL"]);
  return (
    <div class="nu-plan">
      <Tabs label="Plan" tabs={views as [string, string][]} chosen={view} onChoose={setView} />
      {view === "graph" && <Physical kernel={kernel} reading={reading} plan={plan} />}
      {view === "logical" && <LogicalPlan origin={plan.value.origin} />}
      {view === "written" && <Written origin={plan.value.origin} />}
    </div>
  );
}

interface PhysicalProps {
  kernel: Kernel<PlanData>;
  reading: Reading;
  plan: ReadonlySignal<Plan>;
}

function Physical({ kernel, reading, plan }: PhysicalProps) {
  const [camera, setCamera] = useState<Camera | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const saveSvg = () => {
    const graph = root.current?.querySelector<SVGSVGElement>("svg.nu-graph");
    if (graph) save(svgText(graph), "image/svg+xml", "plan.svg");
  };
  return (
    <div ref={root}>
      <div class="nu-bar" role="toolbar" aria-label="Physical plan">
        <Heading plan={plan} />
        <Search readings={[reading]} />
        {plan.value.initial && (
          <label>
            <input
              type="checkbox"
              checked={reading.showsInitial.value}
              onChange={(event) => (reading.showsInitial.value = event.currentTarget.checked)}
            />
            before it ran
          </label>
        )}
        <button type="button" onClick={() => camera?.by(1 / 1.3)} aria-label="Smaller">
          −
        </button>
        <button type="button" onClick={() => camera?.by(1.3)} aria-label="Larger">
          +
        </button>
        <button type="button" onClick={() => camera?.fit()}>
          Fit
        </button>
        <button type="button" onClick={saveSvg}>
          SVG
        </button>
        <button type="button" onClick={() => savePage(kernel)}>
          HTML
        </button>
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

const savePage = (kernel: Kernel<PlanData>) => save(wholePage(kernel), "text/html", "plan.html");

export default widget(PlanExplorer, css);
