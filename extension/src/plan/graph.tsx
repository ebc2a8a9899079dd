// The plan as a graph: operators as boxes, rows as lines as wide as there are many.

import { select } from "d3-selection";
import { type ZoomBehavior, zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useRef } from "preact/hooks";
import { cut, seconds, short, size } from "../shared/format.ts";
import type { FunctionCost, PlanNode } from "../shared/messages.ts";
import { type Box, FUNCTION_HEIGHT, FUNCTIONS_AT, type Stream, WIDTH } from "./layout.ts";
import { metric, rowsOf, skewOf } from "./plan.ts";
import type { Reading } from "./state.ts";

const PARTS = ["user", "decode", "encode", "waiting"] as const;

/** Moves the picture; given to whoever has buttons for it. */
export interface Camera {
  fit(): void;
  by(factor: number): void;
}

export function Graph(props: { reading: Reading; onCamera: (camera: Camera) => void }) {
  const { reading } = props;
  const svg = useRef<SVGSVGElement>(null);
  const scene = useRef<SVGGElement>(null);
  const { boxes, streams, width, height } = reading.layout.value;
  const focus = useRef<(id: number) => void>(() => {});

  useEffect(() => {
    const target = select(svg.current as SVGSVGElement);
    const behaviour: ZoomBehavior<SVGSVGElement, unknown> = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.1, 3])
      // The wheel scrolls the notebook unless the reader asks for more.
      .filter((event: WheelEvent) => event.type !== "wheel" || event.ctrlKey || event.metaKey)
      .on("zoom", ({ transform }) => scene.current?.setAttribute("transform", String(transform)));
    target.call(behaviour).on("dblclick.zoom", null);
    const fitAll = () => {
      const { clientWidth, clientHeight } = svg.current as SVGSVGElement;
      const whole = reading.layout.peek();
      const scale = Math.min(1, clientWidth / whole.width, clientHeight / whole.height);
      // Too small to read is no overview: then the top is shown, at a size that can be read.
      const readable = Math.max(scale, 0.85);
      const x = (clientWidth - whole.width * readable) / 2;
      target.call(behaviour.transform, zoomIdentity.translate(x, 0).scale(readable));
    };
    focus.current = (id) => {
      const box = reading.layout.peek().boxes.find((each) => each.node.id === id);
      if (box) target.call(behaviour.translateTo, box.x + WIDTH / 2, box.y + box.height / 2);
    };
    props.onCamera({ fit: fitAll, by: (factor) => target.call(behaviour.scaleBy, factor) });
    fitAll();
    return () => void target.on(".zoom", null);
  }, []);

  const chosen = reading.chosen.value;
  useEffect(() => {
    // An effect runs after a frame. A key pressed before it chooses the next operator, and focus on
    // this one would choose this one again.
    if (chosen === null || chosen !== reading.chosen.peek()) return;
    const box = scene.current?.querySelector<SVGGElement>(`[data-node="${chosen}"]`);
    const view = svg.current?.getBoundingClientRect();
    const here = box?.getBoundingClientRect();
    if (!box || !view || !here) return;
    const inside =
      here.top >= view.top &&
      here.bottom <= view.bottom &&
      here.left >= view.left &&
      here.right <= view.right;
    if (!inside) focus.current(chosen);
    if (svg.current?.contains(document.activeElement)) box.focus({ preventScroll: true });
  }, [chosen]);

  const nodes = reading.nodes.value;
  const found = new Set(reading.found.value);
  const entry = chosen ?? reading.root.value.id;
  return (
    <svg
      ref={svg}
      class="nu-graph"
      role="group"
      aria-label="Graph of the plan. Arrow keys move along it."
      data-width={width}
      data-height={height}
      onKeyDown={(event) => {
        if (event.key.startsWith("Arrow")) reading.move(event.key);
        else if (event.key === "Enter" || event.key === " ") reading.fold(entry);
        else if (event.key === "Escape") reading.choose(null);
        else return;
        event.preventDefault();
      }}
    >
      <g ref={scene}>
        {streams.map((stream) => (
          <Line key={`${stream.from}-${stream.to}`} stream={stream} node={nodes.get(stream.from)} />
        ))}
        {boxes.map((box) => (
          <Operator
            key={box.node.id}
            box={box}
            node={nodes.get(box.node.id) ?? box.node}
            reading={reading}
            entry={entry === box.node.id}
            found={found.has(box.node.id)}
          />
        ))}
      </g>
    </svg>
  );
}

function Line({ stream, node }: { stream: Stream; node: PlanNode | undefined }) {
  const rows = node && rowsOf(node);
  const width = rows === undefined ? 1 : Math.min(14, 1 + 1.6 * Math.log10(1 + rows));
  const [first, ...rest] = stream.points;
  const last = rest[rest.length - 1];
  if (!first || !last) return null;
  const path = `M${first.x},${first.y} ${rest.map(({ x, y }) => `L${x},${y}`).join(" ")}`;
  const moved = node?.kind === "shuffle" || node?.kind === "broadcast";
  return (
    <g class={`nu-stream${moved ? " nu-moved" : ""}`}>
      <path d={path} fill="none" stroke-width={width} />
      {rows !== undefined && (
        <text x={(first.x + last.x) / 2 + 6 + width / 2} y={(first.y + last.y) / 2 + 4}>
          {short(rows)}
        </text>
      )}
    </g>
  );
}

interface OperatorProps {
  box: Box;
  node: PlanNode;
  reading: Reading;
  entry: boolean;
  found: boolean;
}

function Operator({ box, node, reading, entry, found }: OperatorProps) {
  const spill = metric(node, "spill size") ?? 0;
  const skew = skewOf(node);
  const advised = reading.advised.value.has(node.id);
  const mark = reading.marks[node.id] ?? "same";
  const marks = [
    mark === "same" ? "" : mark,
    advised ? "advice" : "",
    spill > 0 ? `spilled ${size(spill)}` : "",
    skew ? `longest task ${skew.toFixed(0)}×` : "",
  ].filter(Boolean);
  const classes = ["nu-operator", `nu-${node.kind}`];
  if (node.functions.length) classes.push("nu-python");
  if (advised) classes.push("nu-advised");
  if (mark !== "same") classes.push(mark === "changed" ? "nu-changed" : "nu-only");
  if (reading.chosen.value === node.id) classes.push("nu-chosen");
  if (found) classes.push("nu-found");
  return (
    <g
      class={classes.join(" ")}
      transform={`translate(${box.x},${box.y})`}
      role="button"
      tabIndex={entry ? 0 : -1}
      data-node={node.id}
      aria-pressed={reading.chosen.value === node.id}
      aria-label={`${node.id} ${node.name}, ${node.detail}${marks.length ? `, ${marks.join(", ")}` : ""}`}
      onClick={() => reading.choose(node.id)}
      onDblClick={() => reading.fold(node.id)}
      onFocus={() => reading.chosen.peek() !== node.id && reading.choose(node.id)}
    >
      <rect width={WIDTH} height={box.height} rx="4" />
      <text class="nu-name" x="10" y="20">
        <tspan class="nu-id">{node.id}</tspan> {cut(node.name, 24)}
      </text>
      <text class="nu-detail" x="10" y="39">
        {cut(node.detail, 31)}
      </text>
      {marks.length > 0 && (
        <text class="nu-marks" x={WIDTH - 8} y="20">
          {cut(marks.join(" · "), 22)}
        </text>
      )}
      {node.functions.map((use, at) => (
        <g key={at} transform={`translate(10,${FUNCTIONS_AT + at * FUNCTION_HEIGHT})`}>
          <text class="nu-function" y="11">
            {cut(use.version ? `${use.name} v${use.version}` : use.name, 30)}
          </text>
          <Bar cost={node.costs.find((cost) => cost.name === use.name)} />
        </g>
      ))}
      {box.hidden > 0 && (
        <text class="nu-hidden" x={WIDTH / 2} y={box.height + 14}>
          {box.hidden} folded
        </text>
      )}
    </g>
  );
}

function Bar({ cost }: { cost: FunctionCost | undefined }) {
  const width = WIDTH - 20;
  const sum = cost ? PARTS.reduce((all, part) => all + cost[part], 0) : 0;
  if (!cost || !sum) return <rect class="nu-bar-none" y="17" width={width} height="6" rx="3" />;
  let x = 0;
  return (
    <g>
      <text class="nu-time" x={width} y="11">
        {seconds(cost.user)}
      </text>
      {PARTS.map((part) => {
        const wide = (cost[part] / sum) * width;
        x += wide;
        return (
          <rect key={part} class={`nu-bar-${part}`} x={x - wide} y="17" width={wide} height="6" />
        );
      })}
    </g>
  );
}
