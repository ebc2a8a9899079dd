// A chart: lines over time, with what they are at the pointer, and the same as a table.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { seconds, short } from "../shared/format.ts";
import { type Chart, sumAt } from "./charts.ts";

const HEIGHT = 150;
const FILLED = "cc";

const write = {
  rows: (value: number) => short(value),
  seconds,
  workers: (value: number) => value.toFixed(2),
};
const tick = {
  rows: (value: number) => short(value),
  seconds: (value: number) =>
    value >= 1
      ? `${+value.toFixed(2)} s`
      : value >= 1e-3
        ? `${+(value * 1e3).toFixed(2)} ms`
        : `${+(value * 1e6).toFixed(1)} µs`,
  workers: (value: number) => String(+value.toFixed(3)),
};

export function ChartView({ chart }: { chart: Chart }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [at, setAt] = useState<number | null>(null);
  const theme = useTheme();
  // Another number of lines is another chart; other figures are not.
  const shape = JSON.stringify([
    theme,
    chart.stacked,
    chart.lines.map((line) => [line.label, line.color, line.dashed]),
  ]);
  useEffect(() => {
    const element = place.current!;
    const made = new uPlot(optionsOf(chart, element, setAt), drawn(chart), element);
    plot.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(drawn(chart)), [chart]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !plot.current || !chart.x.length) return;
    event.preventDefault();
    const next = Math.min(
      Math.max((at ?? (step > 0 ? -1 : chart.x.length)) + step, 0),
      chart.x.length - 1,
    );
    plot.current.setCursor({ left: plot.current.valToPos(chart.x[next]!, "x"), top: 0 });
    setAt(next);
  };
  return (
    <figure class="nu-figure">
      <figcaption>
        <strong>{chart.title}</strong>{" "}
        <span class="nu-quiet">
          {at === null || at >= chart.x.length ? "" : `at ${seconds(chart.x[at]!)}`}
        </span>
        <ul class="nu-legend">
          {chart.lines.map((line, index) => (
            <li key={index}>
              <span
                class={`nu-key${line.dashed ? " nu-dashed" : ""}`}
                style={{ "--nu-line-color": line.color }}
              />
              {line.label} <span class="nu-figure-value">{textOf(chart, index, at)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
      <div
        ref={place}
        class="nu-plot"
        role="img"
        tabIndex={0}
        aria-label={`${spoken(chart)}. Arrow keys move along it; a table follows.`}
        onKeyDown={move}
        style={{ height: `${HEIGHT}px` }}
      />
      <Twin chart={chart} />
    </figure>
  );
}

/** The same figures for who cannot see the chart. */
function Twin({ chart }: { chart: Chart }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{chart.title} as a table</summary>
      {open && (
        <div class="nu-scroll" tabIndex={0} role="region" aria-label={`${chart.title}, table`}>
          <table>
            <thead>
              <tr>
                <th scope="col">after</th>
                {chart.lines.map((line, index) => (
                  <th key={index} scope="col">
                    {line.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {chart.x.map((x, at) => (
                <tr key={at}>
                  <th scope="row">{seconds(x)}</th>
                  {chart.lines.map((_, index) => (
                    <td key={index}>{textOf(chart, index, at)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function textOf(chart: Chart, line: number, at: number | null): string {
  const value = at === null ? null : chart.lines[line]!.values[at];
  return value === null || value === undefined ? "–" : write[chart.unit](value);
}

function spoken(chart: Chart): string {
  if (!chart.lines.length || !chart.x.length) return `${chart.title}: nothing yet`;
  const said = chart.lines.slice(0, 6).map(({ label, values }) => {
    const known = values.filter((each) => each !== null) as number[];
    return known.length
      ? `${label} up to ${write[chart.unit](Math.max(...known))}`
      : `${label} none`;
  });
  return `${chart.title} over ${seconds(chart.x[chart.x.length - 1]!)}: ${said.join(", ")}`;
}

/** The lines from the topmost down: what stands on others is drawn before them. */
const order = (chart: Chart): number[] => [
  ...Array.from({ length: chart.stacked }, (_, at) => chart.stacked - 1 - at),
  ...Array.from({ length: chart.lines.length - chart.stacked }, (_, at) => chart.stacked + at),
];

function drawn(chart: Chart): uPlot.AlignedData {
  const lines = order(chart).map((index) =>
    index >= chart.stacked
      ? chart.lines[index]!.values
      : chart.lines[index]!.values.map((value, at) =>
          value === null ? null : sumAt({ ...chart, stacked: index + 1 }, at),
        ),
  );
  return [chart.x, ...lines] as uPlot.AlignedData;
}

function optionsOf(
  chart: Chart,
  element: HTMLElement,
  onAt: (at: number | null) => void,
): uPlot.Options {
  const color = resolver(element);
  const [text, line] = [color("var(--nu-quiet)"), color("var(--nu-line)")];
  const font = `${getComputedStyle(element).fontSize} ${getComputedStyle(element).fontFamily}`;
  const axis = {
    stroke: text,
    font,
    grid: { stroke: line, width: 0.5 },
    ticks: { stroke: line, width: 0.5 },
  };
  return {
    width: element.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false },
    scales: {
      x: { time: false, range: (_, low, high) => [Math.min(low ?? 0, 0), high ?? 1] },
      y: { range: (_, __, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      { ...axis, size: 28, values: (_, all) => all.map((each) => `${+each.toFixed(2)} s`) },
      { ...axis, size: 64, values: (_, all) => all.map(tick[chart.unit]) },
    ],
    series: [
      {},
      ...order(chart).map((index): uPlot.Series => {
        const { color: own, dashed } = chart.lines[index]!;
        const stroke = color(own);
        return {
          stroke,
          width: 1.5,
          spanGaps: true,
          points: { size: 4, show: chart.x.length < 4 ? true : undefined },
          ...(dashed ? { dash: [5, 4] } : {}),
          ...(index < chart.stacked ? { fill: stroke + FILLED } : {}),
        };
      }),
    ],
    hooks: {
      setCursor: [(made) => onAt(made.cursor.left! < 0 ? null : (made.cursor.idx ?? null))],
    },
  };
}

/** Turns colours as CSS says them into such as a canvas knows, for the theme that is on. */
function resolver(element: HTMLElement): (color: string) => string {
  const one = document.createElement("canvas").getContext("2d")!;
  return (color) => {
    const probe = element.appendChild(document.createElement("span"));
    probe.style.color = color;
    one.fillStyle = getComputedStyle(probe).color;
    probe.remove();
    // As #rrggbb, to which a transparency can be added.
    return one.fillStyle;
  };
}

/** Changes when the page's theme does. */
function useTheme(): number {
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const watch = new MutationObserver(() => setTheme((before) => before + 1));
    watch.observe(document.body, {
      attributes: true,
      attributeFilter: ["data-jp-theme-name", "data-jp-theme-light", "class"],
    });
    return () => watch.disconnect();
  }, []);
  return theme;
}
