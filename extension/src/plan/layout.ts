// Where operators and the streams between them stand, by dagre: topology in, coordinates out.

import { layout as arrange, Graph } from "@dagrejs/dagre";
import type { PlanNode } from "../shared/messages.ts";

export const WIDTH = 264;
const HEAD = 52;
const FUNCTION = 34;

export interface Box {
  node: PlanNode;
  x: number;
  y: number;
  height: number;
  /** How many operators are folded away below it. */
  hidden: number;
}

export interface Stream {
  /** The operator that rows come from, and the one they go to. */
  from: number;
  to: number;
  points: { x: number; y: number }[];
}

export interface Layout {
  boxes: Box[];
  streams: Stream[];
  width: number;
  height: number;
}

/** Everything that is to be seen of a plan whose operators in `folded` hide what feeds them. */
export function layout(root: PlanNode, folded: ReadonlySet<number>): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 34, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const seen: [PlanNode, number][] = [];
  const visit = (node: PlanNode): void => {
    const hides = folded.has(node.id);
    seen.push([node, hides ? countBelow(node) : 0]);
    graph.setNode(String(node.id), { width: WIDTH, height: heightOf(node) });
    if (hides) return;
    for (const child of node.children) {
      visit(child);
      graph.setEdge(String(node.id), String(child.id));
    }
  };
  visit(root);
  arrange(graph);
  const boxes = seen.map(([node, hidden]): Box => {
    const { x, y, height } = graph.node(String(node.id)) as {
      x: number;
      y: number;
      height: number;
    };
    return { node, hidden, height, x: x - WIDTH / 2, y: y - height / 2 };
  });
  const streams = graph.edges().map(
    (edge: { v: string; w: string }): Stream => ({
      from: Number(edge.w),
      to: Number(edge.v),
      points: (graph.edge(edge) as { points: Stream["points"] }).points,
    }),
  );
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { boxes, streams, width, height };
}

/** How high an operator stands: each function in it has a line and a bar. */
export const heightOf = (node: PlanNode): number => HEAD + FUNCTION * node.functions.length;

/** Where the first function's line begins. */
export const FUNCTIONS_AT = HEAD;
export const FUNCTION_HEIGHT = FUNCTION;

function countBelow(node: PlanNode): number {
  return node.children.reduce((sum, child) => sum + 1 + countBelow(child), 0);
}
