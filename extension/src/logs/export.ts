// Lines for elsewhere: as a file, or in the clipboard.

import { whole } from "../shared/format.ts";
import { save } from "../shared/save.ts";
import type { Rows } from "./rows.ts";
import type { Log } from "./state.ts";
import { lineText } from "./text.ts";

const AT_ONCE = 20_000;
/** More in the clipboard would be more than anybody pastes. */
export const MOST_COPIED = 10_000;

/** The lines that are shown, as a file of text. */
export async function saveLines(log: Log): Promise<void> {
  const rows = log.rows.peek();
  const parts: BlobPart[] = [];
  for (let from = 0; from < rows.count; from += AT_ONCE) {
    // As bytes: strings of a million lines would take the memory twice.
    parts.push(new Blob([text(rows, from, Math.min(rows.count, from + AT_ONCE))]));
    await new Promise((resolve) => setTimeout(resolve));
  }
  save(parts, "text/plain", "log.txt");
  log.said.value = `${lines(rows.count)} saved`;
}

/** The last of the lines that are shown, into the clipboard. */
export async function copyLines(log: Log): Promise<void> {
  const rows = log.rows.peek();
  const from = Math.max(0, rows.count - MOST_COPIED);
  await copy(text(rows, from, rows.count));
  log.said.value = `${from ? "the last " : ""}${lines(rows.count - from)} copied`;
}

/** A text into the clipboard. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Only pages of https and of this machine have a clipboard to speak to.
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

const lines = (count: number) => `${whole(count)} line${count === 1 ? "" : "s"}`;

function text(rows: Rows, from: number, to: number): string {
  const lines: string[] = [];
  for (let number = from; number < to; number++) {
    const row = rows.row(number);
    if (row) lines.push(lineText(row.block.line(row.at)));
  }
  return `${lines.join("\n")}\n`;
}
