// A plan as `Plan.to_dict` writes it, and what can be said of it without a screen.

export interface Metric {
  name: string;
  unit: "rows" | "bytes" | "seconds";
  value: number;
  text: string;
  least: number | null;
  median: number | null;
  most: number | null;
  most_at: string;
}

export interface FunctionUse {
  name: string;
  version: number | null;
  kind: string;
  task: string;
  way: string;
  call: string;
  source: string;
}

export interface FunctionCost {
  name: string;
  version: number;
  rows_in: number;
  rows_out: number;
  bundles: number;
  user: number;
  decode: number;
  encode: number;
  waiting: number;
  errors: number;
  nodes: number[];
}

export interface PlanNode {
  id: number;
  name: string;
  kind: string;
  detail: string;
  columns: string[];
  facts: Record<string, string>;
  functions: FunctionUse[];
  costs: FunctionCost[];
  metrics: Metric[];
  stage: number;
  codegen: number | null;
  children: PlanNode[];
}

export interface Strategy {
  function: string;
  call: string;
  form: string;
  reason: string;
}

export interface Advice {
  node: number;
  rule: string;
  cost: string;
  remedy: string;
}

export interface Plan {
  root: PlanNode;
  initial: PlanNode | null;
  adaptive: string;
  run: { query: string; state: string; seconds: number | null; description: string } | null;
  note: string;
  strategies: Strategy[];
  advice: Advice[];
  origin: Origin;
}

/** What a plan was made of: the query, what was handed to Spark instead, the logical plans. */
export interface Origin {
  query: string;
  steps: [name: string, text: string][];
  analyzed: string;
  optimized: string;
}

export type Mark = "same" | "changed" | "only here";
export type Marks = Record<string, Mark>;

/** Two plans as `PlanComparison.to_dict` writes them. */
export interface Comparison {
  left: Plan;
  right: Plan;
  pairs: [number, number][];
  marks: [Marks, Marks];
}

/** What the kernel sends: a plan or two, and the page they are saved as. */
export interface Data {
  plan?: Plan;
  comparison?: Comparison;
  page: string;
}

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
