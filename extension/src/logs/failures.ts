// Calls that failed, as the kernel tells them, and which lines were written in them.

import type { FailureData } from "../shared/messages.ts";
import type { Line } from "./block.ts";

const MOST = 200;

/** The call a row of a bundle is; workers count bundles anew in every task. */
const key = (each: { pid: number; task: number; bundle: number; row: number }) =>
  `${each.pid} ${each.task} ${each.bundle} ${each.row}`;

export class Failures {
  /** Newest last. */
  readonly all: readonly FailureData[];
  private readonly byCall = new Map<string, FailureData[]>();

  constructor(all: readonly FailureData[] = []) {
    this.all = all.slice(-MOST);
    for (const each of this.all) {
      const same = this.byCall.get(key(each));
      if (same) same.push(each);
      else this.byCall.set(key(each), [each]);
    }
  }

  /** These as well; what is known already is not taken twice. */
  with(more: readonly FailureData[]): Failures {
    const known = new Set(this.all.map((each) => each.id));
    return new Failures([...this.all, ...more.filter((each) => !known.has(each.id))]);
  }

  /** How the call ended in which a line was written: a fused chain may call several with a row. */
  of(line: Line): FailureData | undefined {
    if (line.row < 0) return undefined;
    return this.byCall.get(key(line))?.find((each) => each.time >= line.time - 0.5);
  }
}
