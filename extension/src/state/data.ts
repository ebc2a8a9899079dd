// What the kernel sends of a stream's state, and how two batches differ.

export interface Page {
  columns: string[];
  /** How many of the columns, from the first on, are the key's. */
  keys: number;
  /** Texts; null stands for NULL. */
  rows: (string | null)[][];
  offset: number;
  total: number;
  batch: number;
  /** By which the kernel knows the keys of the rows; none for what is no function's. */
  ids?: number[];
}

export interface Operator {
  id: number;
  name: string;
  variables: Record<string, string>;
}

export interface Data {
  checkpoint: string;
  /** The first and the last batch that can be read. */
  batches: [number, number];
  operators: Operator[];
  functions: string[];
  keys: [string, string][];
  /** The first page after the last batch, of what was looked at last. */
  latest: (Page & { name: string }) | null;
  error: string;
}

export interface Change {
  batch: number;
  function: string;
  /** null where the key is gone. */
  accumulator: string | null;
}

/** When a key's accumulators changed, in the batches that were looked at. */
export interface History {
  first: number;
  last: number;
  rows: Change[];
}

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

/** The command that fulfils a wish, and its words; null if what is pushed does. */
export function request(wish: Wish, data: Data): [string, Record<string, unknown>] | null {
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
