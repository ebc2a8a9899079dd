// The lines that are shown, numbered from 0: some places of each block, or all of them.

import type { Block } from "./block.ts";

/** Places in a block; null stands for all. */
export type Places = Uint16Array | null;

export interface Row {
  block: Block;
  at: number;
}

export class Rows {
  readonly count: number;
  private readonly ends: number[] = [];

  constructor(
    private readonly blocks: readonly Block[],
    private readonly places: readonly Places[],
  ) {
    let sum = 0;
    for (const [i, block] of blocks.entries()) {
      sum += places[i]?.length ?? block.count;
      this.ends.push(sum);
    }
    this.count = sum;
  }

  /** What stands in a row. */
  row(number: number): Row | undefined {
    if (number < 0 || number >= this.count) return undefined;
    const i = lowest(this.ends.length, (each) => (this.ends[each] as number) > number);
    const block = this.blocks[i] as Block;
    const place = number - (i ? (this.ends[i - 1] as number) : 0);
    const places = this.places[i];
    return { block, at: places ? (places[place] as number) : place };
  }

  /** The number of the line in a row; of a row that is not there, the next line to come. */
  line(number: number): number {
    const row = this.row(number);
    return row ? row.block.start + row.at : (this.blocks[this.blocks.length - 1]?.end ?? 0);
  }

  /** The first row whose line is that one or a later one. */
  find(line: number): number {
    const i = lowest(this.blocks.length, (each) => (this.blocks[each] as Block).end > line);
    const block = this.blocks[i];
    if (!block) return this.count;
    const places = this.places[i];
    const at = Math.max(0, line - block.start);
    const place = places ? lowest(places.length, (each) => (places[each] as number) >= at) : at;
    return (i ? (this.ends[i - 1] as number) : 0) + place;
  }
}

/** The lowest number below `count` for which it is true, or `count`; true ones follow false ones. */
function lowest(count: number, isTrue: (number: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
