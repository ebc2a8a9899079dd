// Which lines are wanted: first by where they come from, then by what they say.

import type { LineOrigin } from "../shared/messages.ts";
import { withoutColours } from "./ansi.ts";
import type { Block } from "./block.ts";

/** "" and null stand for any. */
export interface Filter {
  level: string;
  name: string;
  query: string;
  pid: number | null;
}

/** A text that is looked for. */
export interface Search {
  text: string;
  regex: boolean;
}

export const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

/** Whether lines of that origin are wanted. */
export function wanted(filter: Filter, [pid, query, level, , name]: LineOrigin): boolean {
  return (
    (!filter.name || name === filter.name) &&
    (!filter.query || query === filter.query) &&
    (filter.pid === null || pid === filter.pid) &&
    (!filter.level || asSevere(level, filter.level))
  );
}

/** As the kernel does it: levels that logging does not know stand for themselves. */
function asSevere(level: string, least: string): boolean {
  const own = LEVELS.indexOf(level.toUpperCase());
  const other = LEVELS.indexOf(least.toUpperCase());
  return own >= 0 && other >= 0 ? own >= other : level === least;
}

/** What a search matches; null if nothing is looked for. Throws what is wrong with a pattern. */
export function pattern({ text, regex }: Search, flags = "i"): RegExp | null {
  if (!text) return null;
  return new RegExp(regex ? text : text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), flags);
}

/** Places of the lines in a block that come from where is wanted; null if all do. */
export function chosen(block: Block, filter: Filter): Uint16Array | null {
  const fits = block.origins.map((origin) => wanted(filter, origin));
  if (fits.every(Boolean)) return null;
  const found = new Uint16Array(block.count);
  let count = 0;
  for (let at = 0; at < block.count; at++) if (fits[block.originOf(at)]) found[count++] = at;
  return found.slice(0, count);
}

/** Those of them whose text matches. */
export function matching(block: Block, places: Uint16Array | null, sought: RegExp): Uint16Array {
  const text = block.texts();
  const count = places?.length ?? block.count;
  const found = new Uint16Array(count);
  let number = 0;
  for (let i = 0; i < count; i++) {
    const at = places ? (places[i] as number) : i;
    const line = text(at);
    if (sought.test(block.coloured ? withoutColours(line) : line)) found[number++] = at;
  }
  return found.slice(0, number);
}
