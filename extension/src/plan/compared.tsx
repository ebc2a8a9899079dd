// Two plans side by side: what only one has and what changed is marked, what is chosen on one side
// is chosen on the other.

import { effect, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ComparisonData } from "../shared/messages.ts";
import { OfOperator } from "./details.tsx";
import { type Camera, Graph } from "./graph.tsx";
import { Heading } from "./heading.tsx";
import { Search } from "./search.tsx";
import { Reading } from "./state.ts";

export function Compared(props: { comparison: ComparisonData; onSave: () => void }) {
  const { comparison } = props;
  const [left, right] = useMemo(
    () => [
      new Reading(signal(comparison.left), comparison.marks[0]),
      new Reading(signal(comparison.right), comparison.marks[1]),
    ],
    [comparison],
  ) as [Reading, Reading];
  useEffect(() => {
    const there = new Map(comparison.pairs);
    const back = new Map(comparison.pairs.map(([one, other]) => [other, one]));
    const follow = (from: Reading, to: Reading, pairs: Map<number, number>) =>
      effect(() => {
        const chosen = from.chosen.value;
        const other = chosen === null ? null : pairs.get(chosen);
        if (other !== undefined && to.chosen.peek() !== other) to.choose(other);
      });
    const endings = [follow(left, right, there), follow(right, left, back)];
    return () => {
      for (const end of endings) end();
    };
  }, [comparison]);
  const cameras = useRef<Camera[]>([]);
  const marks = comparison.marks.flatMap((side) => Object.values(side));
  const changed = marks.filter((mark) => mark === "changed").length / 2;
  const only = marks.filter((mark) => mark === "only here").length;
  const said = changed + only ? `${changed} changed, ${only} on one side only` : "the same plan";
  return (
    <div class="nu-plan nu-compared">
      <div class="nu-bar" role="toolbar" aria-label="Two plans">
        <strong role="status">{said}</strong>
        <Search readings={[left, right]} />
        <button type="button" onClick={() => cameras.current.forEach((each) => void each.fit())}>
          Fit
        </button>
        <button type="button" onClick={props.onSave}>
          HTML
        </button>
      </div>
      <div class="nu-panes">
        {[left, right].map((reading, side) => (
          <div class="nu-side" key={side}>
            <div class="nu-bar">
              <Heading plan={reading.plan} />
            </div>
            <Graph reading={reading} onCamera={(camera) => (cameras.current[side] = camera)} />
            <div class="nu-details" role="region" aria-label={side ? "Right" : "Left"} tabIndex={0}>
              <Chosen reading={reading} />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}

function Chosen({ reading }: { reading: Reading }) {
  const node = reading.nodes.value.get(reading.chosen.value ?? -1);
  if (!node) return <p class="nu-quiet">Choose an operator to see what it did.</p>;
  return <OfOperator reading={reading} node={node} />;
}
