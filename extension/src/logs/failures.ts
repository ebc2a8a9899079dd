// Calls that failed, as the kernel tells them, and which lines were written in them.

import type { Line } from "./block.ts";

export interface Failure {
  id: string;
  time: number;
  pid: number;
  query: string;
  task: number;
  function: string;
  bundle: number;
  row: number;
  headline: string;
  message: string;
  position: string;
  outcome: string;
  /** Number, text, and whether it is the line that failed. */
  code: [number: number, text: string, here: boolean][];
  arguments: [name: string, value: string][];
  frames: string[];
  more_frames: number;
  replay: boolean;
}

const MOST = 200;

/** The call a row of a bundle is; workers count bundles anew in every task. */
const key = (each: { pid: number; task: number; bundle: number; row: number }) =>
  `${each.pid} ${each.task} ${each.bundle} ${each.row}`;

export class Failures {
  /** Newest last. */
  readonly all: readonly Failure[];
  private readonly byCall = new Map<string, Failure[]>();

  constructor(all: readonly Failure[] = []) {
    this.all = all.slice(-MOST);
    for (const each of this.all) {
      const same = this.byCall.get(key(each));
      if (same) same.push(each);
      else this.byCall.set(key(each), [each]);
    }
  }

  /** These as well; what is known already is not taken twice. */
  with(more: readonly Failure[]): Failures {
    const known = new Set(this.all.map((each) => each.id));
    return new Failures([...this.all, ...more.filter((each) => !known.has(each.id))]);
  }

  /** How the call ended in which a line was written: a fused chain may call several with a row. */
  of(line: Line): Failure | undefined {
    if (line.row < 0) return undefined;
    return this.byCall.get(key(line))?.find((each) => each.time >= line.time - 0.5);
  }
}
