// One line, in view or in full.

import { cut, whole } from "../shared/format.ts";
import { marked, spans } from "./ansi.ts";
import type { Failures } from "./failures.ts";
import type { Row } from "./rows.ts";
import { clock, place } from "./text.ts";

// More of a line than fits beside others is shown below the list.
const MOST = 600;

export const lineId = (number: number): string => `nu-line-${number}`;

interface RowProps {
  row: Row;
  chosen: boolean;
  failures: Failures;
  sought: RegExp | null;
  onChoose: (number: number) => void;
}

export function LineRow({ row, chosen, failures, sought, onChoose }: RowProps) {
  const line = row.block.line(row.at);
  const missing = row.block.missing.get(row.at) ?? 0;
  const failure = failures.of(line);
  const more = line.text.length - MOST;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and says which is active.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys.
    <div
      id={lineId(line.number)}
      class={`nu-line nu-level-${severity(line.level)}${missing ? " nu-after-gap" : ""}`}
      role="option"
      aria-selected={chosen}
      data-line={line.number}
      onClick={() => onChoose(line.number)}
    >
      <span class="nu-place">{`${clock(line.time)} ${line.pid} ${cut(place(line), 28)} `}</span>
      <span class="nu-level">{`${cut(line.level, 8)} `}</span>
      {failure && <span class="nu-failed">✗ failed </span>}
      {missing > 0 && <span class="nu-gap">⋯ {whole(missing)} not sent ⋯ </span>}
      <Coloured text={more > 0 ? line.text.slice(0, MOST) : line.text} sought={sought} />
      {more > 0 && <span class="nu-quiet"> … {whole(more)} more characters</span>}
    </div>
  );
}

/** A text with its colours, and what was looked for in it marked. */
export function Coloured({ text, sought }: { text: string; sought: RegExp | null }) {
  return (
    <>
      {marked(spans(text), sought).map((span, at) => {
        // Most lines are nothing but text, and an element for it is one more to lay out.
        if (!span.hit && !span.className && !span.colour && !span.back) return span.text;
        const style: Record<string, string> = {};
        if (span.colour) style.color = span.colour;
        if (span.back) style.backgroundColor = span.back;
        return span.hit ? (
          <mark key={at} class={span.className}>
            {span.text}
          </mark>
        ) : (
          <span key={at} class={span.className} style={style}>
            {span.text}
          </span>
        );
      })}
    </>
  );
}

const severity = (level: string): string =>
  ({ WARNING: "warning", ERROR: "error", CRITICAL: "error", DEBUG: "debug" })[level] ?? "info";
