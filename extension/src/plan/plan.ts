// A plan as `Plan.to_dict` writes it, and what can be said of it without a screen.

import type { ComparisonData, PlanNode } from "../shared/messages.ts";

/** What became of each operator, by its id, of a plan beside another one. */
export type Marks = ComparisonData["marks"][0];

/** Every operator, parents first. */
export function walk(node: PlanNode): PlanNode[] {
  return [node, ...node.children.flatMap(walk)];
}

/** The value of a metric, if the operator has it. */
export const metric = (node: PlanNode, name: string): number | undefined =>
  node.metrics.find((each) => each.name === name)?.value;

/** How many rows an operator gives: its own count, else that of what it passes on. */
export function rowsOf(node: PlanNode): number | undefined {
  const own =
    metric(node, "number of output rows") ??
    metric(node, "shuffle records written") ??
    node.costs.find((cost) => cost.nodes[0] === node.id)?.rows_out;
  if (own !== undefined) return own;
  const [only, ...others] = node.children;
  return only && !others.length && ["project", "sort", "other"].includes(node.kind)
    ? rowsOf(only)
    : undefined;
}

/** How uneven the tasks of an operator were: the longest against the median, where it matters. */
export function skewOf(node: PlanNode): number | undefined {
  const ratios = node.metrics
    .filter((each) => each.most !== null && each.median && each.value >= 1)
    .map((each) => (each.most as number) / (each.median as number));
  const worst = Math.max(0, ...ratios);
  return worst >= 3 ? worst : undefined;
}

/** What is searched in: everything of an operator that can be read. */
export function textOf(node: PlanNode): string {
  const said = [
    String(node.id),
    node.name,
    node.detail,
    ...node.columns,
    ...Object.values(node.facts),
    ...node.functions.flatMap((use) => [use.name, use.task, use.way, use.call]),
  ];
  return said.join("\n").toLowerCase();
}
