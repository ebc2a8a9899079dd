// Lines as text, as the kernel writes them.

import { withoutColours } from "./ansi.ts";
import type { Line } from "./block.ts";

const two = (number: number) => String(number).padStart(2, "0");
let second = -1;
let shown = "";

/** The time of day: 09:05:01. Lines of one second share it. */
export function clock(time: number): string {
  const now = Math.floor(time);
  if (now !== second) {
    const date = new Date(now * 1000);
    shown = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    second = now;
  }
  return shown;
}

/** Function and row, as in `score row 17`. */
export const place = (line: Line): string =>
  line.row >= 0 ? `${line.name} row ${line.row}` : line.name || "worker";

export const lineText = (line: Line): string =>
  `${clock(line.time)} ${line.level.padEnd(7)} ${line.pid} ${place(line)}: ${withoutColours(line.text)}`;
