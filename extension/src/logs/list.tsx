// The lines in view, of as many as there are. Only they are in the page.
//
// How far the reader has scrolled, as a share, says which line is where: at the share s of all
// lines, at the share s of the view's height. That holds whatever the lines' heights are.

import { signal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { LineRow, lineId } from "./line.tsx";
import type { Log } from "./state.ts";

// What browsers allow an element to be high: Firefox 17.9 million pixels, others twice that.
const TALLEST = 16e6;
const BEYOND = 3;

export function List({ log }: { log: Log }) {
  const box = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const size = useMemo(() => signal({ view: 0, row: 17 }), []);
  const scrolled = useMemo(() => signal(0), []);
  // The line at the top, and how much of it is above; what the reader sees must stay in place.
  const anchor = useRef({ line: 0, share: 0 });
  const expected = useRef(-1);

  const rows = log.rows.value;
  const wrap = log.wrap.value;
  const { view, row: rowHeight } = size.value;
  const height = Math.min(rows.count * rowHeight, TALLEST);
  const way = Math.max(0, height - view);
  const share = way ? Math.min(1, scrolled.value / way) : 0;
  const fills = Math.ceil(view / rowHeight);
  // Rows of one height: the first in view. Of many: the one at the reader's share.
  const exact = wrap ? share * rows.count : share * Math.max(0, rows.count - view / rowHeight);
  const pivot = Math.min(Math.max(0, rows.count - 1), Math.floor(exact));
  const from = Math.max(0, wrap && way ? pivot - fills : pivot - BEYOND);
  const to = Math.min(rows.count, pivot + fills + BEYOND);
  const slots = (wrap ? 2 * fills : fills + BEYOND) + BEYOND;

  useEffect(() => {
    const element = box.current as HTMLDivElement;
    const measure = () => {
      const line = parseFloat(getComputedStyle(element).lineHeight);
      size.value = { view: element.clientHeight, row: Math.max(1, line || 17) };
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  const scroll = (top: number) => {
    const element = box.current as HTMLDivElement;
    element.scrollTop = top;
    expected.current = element.scrollTop;
    scrolled.value = element.scrollTop;
  };
  /** Where the reader is now. */
  const at = () => {
    const part = way ? Math.min(1, scrolled.peek() / way) : 0;
    const row = part * (wrap ? rows.count : Math.max(0, rows.count - view / rowHeight));
    return { line: rows.line(Math.floor(row)), share: row - Math.floor(row) };
  };
  const scrollTo = (row: number, above = 0) => {
    const part = wrap
      ? (row + above) / rows.count
      : (row + above) / (rows.count - view / rowHeight);
    scroll(Math.min(1, Math.max(0, part)) * way);
  };

  // Rows came, went, or others were chosen: what was in view stays there, or the end does.
  useLayoutEffect(() => {
    if (log.following.peek()) {
      scroll(box.current?.scrollHeight ?? 0);
      anchor.current = at();
    } else scrollTo(rows.find(anchor.current.line), anchor.current.share);
  }, [rows, wrap, view, rowHeight]);

  useSignalEffect(() => {
    if (log.following.value && box.current) scroll(box.current.scrollHeight);
  });

  const current = log.current.value;
  useLayoutEffect(() => {
    if (current === null) return;
    const row = rows.find(current);
    const inView = wrap
      ? isInView(layer.current?.querySelector(`[data-line="${current}"]`), box.current)
      : row >= exact && row + 1 <= exact + view / rowHeight;
    if (!inView) scrollTo(wrap ? row : row - fills / 2, wrap ? 0.5 : 0);
    anchor.current = at();
  }, [current]);

  useLayoutEffect(() => {
    const rowsShown = layer.current as HTMLDivElement;
    if (!way) rowsShown.style.transform = "";
    else if (!wrap) rowsShown.style.transform = `translateY(${(from - exact) * rowHeight}px)`;
    else {
      const row = rowsShown.children[pivot - from] as HTMLElement | undefined;
      const y = row ? row.offsetTop + (exact - pivot) * row.offsetHeight : 0;
      rowsShown.style.transform = `translateY(${share * view - y}px)`;
    }
  });

  const onScroll = () => {
    const top = box.current?.scrollTop ?? 0;
    scrolled.value = top;
    if (Math.abs(top - expected.current) < 1) return;
    expected.current = -1;
    // The reader did it.
    anchor.current = at();
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    log.following.value = top >= scrollHeight - clientHeight - 2;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const here =
        current === null ? (log.following.value ? rows.count : pivot) : rows.find(current);
      const next = current === null && step > 0 ? Math.min(here, rows.count - 1) : here + step;
      if (next >= 0 && next < rows.count) log.choose(rows.line(next));
    } else if (event.key === "End") log.following.value = true;
    else if (event.key === "Home") {
      log.following.value = false;
      // The first of all lines, also of those that a search still to end brings back.
      anchor.current = { line: 0, share: 0 };
      scroll(0);
    } else if (event.key === "PageUp" || event.key === "PageDown") {
      const by = (event.key === "PageUp" ? -1 : 1) * (view - rowHeight);
      (box.current as HTMLDivElement).scrollTop +=
        by * (way / Math.max(1, rows.count * rowHeight - view));
    } else if (event.key === "Enter" && current !== null) log.pane.value = "line";
    else if (event.key === "Escape") log.pane.value = "";
    else return;
    event.preventDefault();
  };

  const open = (number: number) => {
    log.choose(number);
    log.pane.value = "line";
  };
  const failures = log.failures.value;
  const sought = log.pattern.value;
  const shown = [];
  for (let number = from; number < to; number++) {
    const found = rows.row(number);
    // Elements are used again for lines that come into view: making them takes longer than
    // everything else a frame does.
    if (!found) continue;
    const chosen = found.block.start + found.at === current;
    shown.push(
      <LineRow
        key={number % slots}
        row={found}
        chosen={chosen}
        failures={failures}
        sought={sought}
        onChoose={open}
      />,
    );
  }
  const place = current === null ? -1 : rows.find(current);
  const currentShown = place >= from && place < to && rows.line(place) === current;
  return (
    <div
      ref={box}
      class={wrap ? "nu-lines nu-wrap" : "nu-lines"}
      role="listbox"
      aria-label="Log lines. Arrow keys choose a line, Enter shows it, End follows."
      aria-activedescendant={currentShown ? lineId(current as number) : undefined}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div class="nu-height" role="presentation" style={{ height: `${height}px` }}>
        <div
          class={way ? "nu-window" : ""}
          role="presentation"
          style={{ height: way ? `${view}px` : "auto" }}
        >
          <div class="nu-layer" role="presentation" ref={layer}>
            {shown}
          </div>
        </div>
      </div>
    </div>
  );
}

function isInView(element: Element | null | undefined, box: Element | null): boolean {
  if (!element || !box) return false;
  const here = element.getBoundingClientRect();
  const view = box.getBoundingClientRect();
  return here.top >= view.top && here.bottom <= view.bottom;
}
