// What a reader has done with a plan: chosen, folded, searched. Signals, and what follows from them.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Plan, PlanNode } from "../shared/messages.ts";
import { type Layout, layout } from "./layout.ts";
import { type Marks, textOf, walk } from "./plan.ts";

export class Reading {
  /** Which of the plans is shown: the one that ran, or the one before it ran. */
  readonly showsInitial = signal(false);
  readonly chosen = signal<number | null>(null);
  readonly folded = signal<ReadonlySet<number>>(new Set());
  readonly sought = signal("");
  readonly root: ReadonlySignal<PlanNode>;
  readonly nodes: ReadonlySignal<Map<number, PlanNode>>;
  readonly layout: ReadonlySignal<Layout>;
  readonly found: ReadonlySignal<number[]>;
  readonly advised: ReadonlySignal<ReadonlySet<number>>;

  /** `marks` says what became of each operator, if this plan stands beside another one. */
  constructor(
    readonly plan: ReadonlySignal<Plan>,
    readonly marks: Marks = {},
  ) {
    this.root = computed(() => {
      const { root, initial } = plan.value;
      return this.showsInitial.value && initial ? initial : root;
    });
    this.nodes = computed(() => new Map(walk(this.root.value).map((node) => [node.id, node])));
    // Laid out anew only when the shape is another: figures that change are patched in place.
    const shape = computed(() => shapeOf(this.root.value));
    this.layout = computed(() => {
      shape.value;
      return layout(this.root.peek(), this.folded.value);
    });
    this.found = computed(() => {
      const sought = this.sought.value.trim().toLowerCase();
      if (!sought) return [];
      return [...this.nodes.value.values()]
        .filter((n) => textOf(n).includes(sought))
        .map((n) => n.id);
    });
    this.advised = computed(() =>
      this.showsInitial.value ? new Set() : new Set(plan.value.advice.map((each) => each.node)),
    );
  }

  /** Folds what feeds an operator away, or back. */
  fold(id: number): void {
    const folded = new Set(this.folded.value);
    if (!folded.delete(id)) folded.add(id);
    this.folded.value = folded;
  }

  /** Chooses an operator, and opens what hides it. */
  choose(id: number | null): void {
    if (id !== null) {
      const above = pathTo(this.root.value, id);
      if (above.some((each) => this.folded.value.has(each))) {
        this.folded.value = new Set([...this.folded.value].filter((each) => !above.includes(each)));
      }
    }
    this.chosen.value = id;
  }

  /** Chooses the next operator that was found, or the one before. */
  next(step: 1 | -1): void {
    const found = this.found.value;
    if (!found.length) return;
    const at = this.chosen.value === null ? -1 : found.indexOf(this.chosen.value);
    const to = at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length;
    this.choose(found[to] ?? null);
  }

  /** Moves along the streams: up, down to what feeds it, or across. */
  move(key: string): void {
    const boxes = new Map(this.layout.value.boxes.map((box) => [box.node.id, box]));
    const here = this.chosen.value === null ? undefined : boxes.get(this.chosen.value);
    if (!here) {
      this.choose(this.root.value.id);
      return;
    }
    const { streams } = this.layout.value;
    const below = streams.filter((s) => s.to === here.node.id).map((s) => s.from);
    const above = streams.find((s) => s.from === here.node.id)?.to;
    if (key === "ArrowUp" && above !== undefined) this.choose(above);
    if (key === "ArrowDown" && below[0] !== undefined) this.choose(below[0]);
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const row = [...boxes.values()]
        .filter((box) => Math.abs(box.y - here.y) < 30)
        .sort((a, b) => a.x - b.x);
      const to = row[row.indexOf(here) + (key === "ArrowRight" ? 1 : -1)];
      if (to) this.choose(to.node.id);
    }
  }
}

function shapeOf(node: PlanNode): string {
  return `${node.id}:${node.functions.length}(${node.children.map(shapeOf).join()})`;
}

function pathTo(node: PlanNode, id: number): number[] {
  for (const child of node.children) {
    if (child.id === id) return [node.id];
    const path = pathTo(child, id);
    if (path.length) return [node.id, ...path];
  }
  return [];
}
