// What the kernel sends of a stream's state, and how two batches differ.

import type { Page, PageKeys, StateCommands, StateData } from "../shared/messages.ts";

/** A page as it is sent. */
export type SentPage = Page & PageKeys;

export type Mark = "added" | "changed" | "removed";

/** What became of a row's key: its last two columns are what was before and after. */
export function markOf(row: (string | null)[]): Mark {
  const [before, after] = row.slice(-2);
  return before === null ? "added" : after === null ? "removed" : "changed";
}

export const SIGN: Record<Mark, string> = { added: "+", changed: "~", removed: "−" };

/** What a reader wants to see. */
export interface Wish {
  name: string;
  /** null for the latest, whichever that is. */
  batch: number | null;
  /** Compared with this one. */
  other: number | null;
  timers: boolean;
  search: string;
  offset: number;
}

type Question = {
  [K in "page" | "diff" | "timers"]: [command: K, words: StateCommands[K][0]];
}["page" | "diff" | "timers"];

/** The command that fulfils a wish, and its words; null if what is pushed does. */
export function request(wish: Wish, data: StateData): Question | null {
  const { name, batch, other, search, offset } = wish;
  if (wish.timers) return ["timers", { batch, offset }];
  if (other !== null) {
    const batch2 = batch ?? data.batches[1];
    return ["diff", { name, batch1: other, batch2, search, offset }];
  }
  if (batch === null && !search && !offset && data.latest?.name === name) return null;
  return ["page", { name, batch, search, offset }];
}

/** Where a page is in the whole. */
export function range(page: Page): string {
  const count = new Intl.NumberFormat("en-US").format;
  if (!page.total) return "none";
  const last = page.offset + page.rows.length;
  return `${count(page.offset + 1)}–${count(last)} of ${count(page.total)}`;
}
