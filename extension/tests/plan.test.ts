import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { wholePage } from "../src/plan/export.ts";
import { heightOf, layout, WIDTH } from "../src/plan/layout.ts";
import { rowsOf, skewOf, textOf, walk } from "../src/plan/plan.ts";
import { Reading } from "../src/plan/state.ts";
import type { FunctionUse, Metric, Plan, PlanData, PlanNode } from "../src/shared/messages.ts";
import type { Kernel } from "../src/shared/mount.tsx";
import { many, numbers } from "./random.ts";

/** An operator; `tree` gives numbers. */
function op(name: string, children: PlanNode[] = [], more: Partial<PlanNode> = {}): PlanNode {
  const empty = { detail: "", columns: [], facts: {}, functions: [], costs: [], metrics: [] };
  return { id: 0, name, kind: "other", ...empty, stage: 0, codegen: null, children, ...more };
}

/** The same with numbers, parents first, as the kernel gives them. */
function tree(root: PlanNode): PlanNode {
  let next = 0;
  const number = (node: PlanNode): PlanNode => {
    const id = next++;
    return { ...node, id, children: node.children.map(number) };
  };
  return number(root);
}

const metric = (name: string, value: number, more: Partial<Metric> = {}): Metric => {
  const spread = { least: null, median: null, most: null, most_at: "" };
  return { name, unit: "rows", value, text: "", ...spread, ...more };
};

const use = (name: string): FunctionUse => ({
  name,
  version: 1,
  kind: "scalar",
  func_type: "general",
  eval_type: 250,
  role: "",
  task: "called",
  way: "row by row",
  call: `${name}(x)`,
  deterministic: true,
  mergeable: null,
  nested: false,
  source: "",
  kernels_if_general: false,
});

const plan = (root: PlanNode, more: Partial<Plan> = {}): Plan => ({
  root: tree(root),
  initial: null,
  adaptive: "no",
  run: null,
  note: "",
  strategies: [],
  advice: [],
  origin: { query: "", steps: [], analyzed: "", optimized: "" },
  ...more,
});

/** Trees of up to some dozen operators. */
function someTree(next: (below: number) => number, depth = 0): PlanNode {
  const children = depth > 4 ? [] : many(next(4), () => someTree(next, depth + 1));
  const functions = many(next(3), (at) => use(`f${at}`));
  return op(`op${next(100)}`, children, { functions });
}

describe("an operator", () => {
  test("counts its own rows, or passes on what it was given", () => {
    const scan = op("Scan", [], { metrics: [metric("number of output rows", 5)] });
    expect(rowsOf(scan)).toBe(5);
    expect(rowsOf(op("Project", [scan], { kind: "project" }))).toBe(5);
    expect(rowsOf(op("Filter", [scan], { kind: "filter" }))).toBeUndefined();
    expect(rowsOf(op("Union", [scan, scan]))).toBeUndefined();
    const shuffle = op("Exchange", [scan], { metrics: [metric("shuffle records written", 7)] });
    expect(rowsOf(shuffle)).toBe(7);
  });

  test("is skewed where one task took three times the median and it mattered", () => {
    const of = (value: number, median: number, most: number) =>
      skewOf(op("x", [], { metrics: [metric("time", value, { median, most })] }));
    expect(of(10, 1, 4)).toBe(4);
    expect(of(10, 1, 2.9)).toBeUndefined();
    expect(of(0.5, 0.001, 0.4)).toBeUndefined();
    expect(of(10, 0, 4)).toBeUndefined();
  });

  test("is found by all that can be read of it", () => {
    const node = op("ArrowEvalPython", [], {
      id: 42,
      detail: "Detail",
      columns: ["price"],
      facts: { keys: "Country" },
      functions: [use("score")],
    });
    const said = textOf(node);
    for (const word of [
      "42",
      "arroweval",
      "detail",
      "price",
      "country",
      "score(x)",
      "row by row",
    ]) {
      expect(said).toContain(word);
    }
    expect(said).toBe(said.toLowerCase());
  });
});

describe("the layout", () => {
  test("of any tree: parents above children, nothing on another thing", () => {
    const next = numbers(7);
    for (let turn = 0; turn < 25; turn++) {
      const root = tree(someTree(next));
      const { boxes, streams, width, height } = layout(root, new Set());
      expect(boxes.map(({ node }) => node.id)).toEqual(walk(root).map(({ id }) => id));
      expect(streams).toHaveLength(boxes.length - 1);
      const byId = new Map(boxes.map((box) => [box.node.id, box]));
      for (const { from, to } of streams) {
        const [child, parent] = [byId.get(from), byId.get(to)];
        expect(parent?.node.children).toContain(child?.node);
        expect(parent!.y + parent!.height).toBeLessThanOrEqual(child!.y);
      }
      boxes.forEach((one, at) => {
        expect(one.height).toBe(heightOf(one.node));
        expect(Math.min(one.x, one.y)).toBeGreaterThanOrEqual(0);
        expect(one.x + WIDTH).toBeLessThanOrEqual(width);
        expect(one.y + one.height).toBeLessThanOrEqual(height);
        for (const other of boxes.slice(at + 1)) {
          const apart =
            one.x + WIDTH <= other.x ||
            other.x + WIDTH <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y;
          expect(apart).toBe(true);
        }
      });
    }
  });

  test("hides what is folded away, and says how much that is", () => {
    const next = numbers(8);
    for (let turn = 0; turn < 25; turn++) {
      const root = tree(someTree(next));
      const all = walk(root);
      const folded = new Set(all.filter(() => next(4) === 0).map(({ id }) => id));
      const { boxes } = layout(root, folded);
      const hidden = boxes.reduce((sum, box) => sum + box.hidden, 0);
      expect(boxes.length + hidden).toBe(all.length);
      for (const box of boxes) if (!folded.has(box.node.id)) expect(box.hidden).toBe(0);
    }
  });
});

describe("reading a plan", () => {
  //        0 Sort
  //     1 Join
  //  2 Scan a   3 Filter
  //             4 Scan b
  const root = op("Sort", [op("Join", [op("Scan a"), op("Filter", [op("Scan b")])])]);
  const reading = () => new Reading(signal(plan(root)));

  test("what is chosen is not hidden", () => {
    const here = reading();
    here.fold(1);
    here.fold(3);
    expect(here.layout.value.boxes.map(({ node }) => node.id)).toEqual([0, 1]);
    here.choose(4);
    expect(here.chosen.value).toBe(4);
    expect(here.layout.value.boxes.map(({ node }) => node.id)).toEqual([0, 1, 2, 3, 4]);
    here.fold(3);
    here.choose(2);
    expect([...here.folded.value]).toEqual([3]);
    here.fold(3);
    expect([...here.folded.value]).toEqual([]);
  });

  test("what was found comes one after the other, and round", () => {
    const here = reading();
    here.next(1);
    expect(here.chosen.value).toBeNull();
    here.sought.value = "  SCAN ";
    expect(here.found.value).toEqual([2, 4]);
    const seen = ([1, 1, 1, -1, -1] as const).map((step) => {
      here.next(step);
      return here.chosen.value;
    });
    expect(seen).toEqual([2, 4, 2, 4, 2]);
    const other = reading();
    other.sought.value = "scan";
    other.next(-1);
    expect(other.chosen.value).toBe(4);
  });

  test("arrows go along the streams, and stop where there are none", () => {
    const here = reading();
    const go = (key: string) => {
      here.move(key);
      return here.chosen.value;
    };
    expect(go("ArrowDown")).toBe(0);
    expect(go("ArrowUp")).toBe(0);
    expect(go("ArrowDown")).toBe(1);
    expect(go("ArrowLeft")).toBe(1);
    const { boxes } = here.layout.value;
    const row = boxes.filter(({ node }) => [2, 3].includes(node.id)).sort((a, b) => a.x - b.x);
    const [left, right] = row.map(({ node }) => node.id);
    here.choose(left!);
    expect(go("ArrowLeft")).toBe(left);
    expect(go("ArrowRight")).toBe(right);
    expect(go("ArrowRight")).toBe(right);
    expect(go("ArrowUp")).toBe(1);
    expect([left, right]).toContain(go("ArrowDown"));
  });

  test("figures that change do not lay it out anew, another shape does", () => {
    const now = signal(plan(root));
    const here = new Reading(now);
    const before = here.layout.value;
    now.value = plan({ ...root, metrics: [metric("number of output rows", 3)] });
    expect(here.layout.value).toBe(before);
    expect(here.root.value.metrics).toHaveLength(1);
    now.value = plan(op("Limit", [root]));
    expect(here.layout.value).not.toBe(before);
  });

  test("the plan before it ran is shown if there is one, without advice on the other", () => {
    const advice = [{ node: 1, rule: "", cost: "", remedy: "" }];
    const here = new Reading(signal(plan(root, { advice, initial: tree(op("Before")) })));
    expect([...here.advised.value]).toEqual([1]);
    here.showsInitial.value = true;
    expect(here.root.value.name).toBe("Before");
    expect([...here.advised.value]).toEqual([]);
    const none = new Reading(signal(plan(root)));
    none.showsInitial.value = true;
    expect(none.root.value.name).toBe("Sort");
  });
});

test("a page that stands alone holds script and data, and ends in neither", () => {
  const data: PlanData = { plan: plan(op("</script><!--")) as PlanData["plan"], page: "" };
  data.page = "<script>%(data)s</script><script>%(script)s</script> 100 %(other)s $& $1";
  const kernel: Partial<Kernel<PlanData>> = {
    data: signal(data),
    script: () => "say('</script>$&')",
  };
  const page = wholePage(kernel as Kernel<PlanData>);
  expect(page.match(/<\/script/g)).toHaveLength(2);
  expect(page).toContain("say('<\\/script>$&')");
  expect(page.endsWith("100 %(other)s $& $1")).toBe(true);
  const json = page.slice("<script>".length, page.indexOf("</script>"));
  expect(JSON.parse(json)).toEqual(data);
});
