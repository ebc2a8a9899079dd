// All lines this page holds, in blocks. Blocks come in any order, pieces of one before the whole.

import type { Block } from "./block.ts";

/** Bytes of columns and text that are held; a tab has to live with what else is open. */
export const MOST_BYTES = 150e6;

export class Book {
  /** By their lines, none overlapping. */
  blocks: Block[] = [];
  /** Older lines that the kernel has, for which there was no room. */
  withheld = 0;
  private bytes = 0;

  /** Takes a block; false if it brings nothing new. */
  add(block: Block): boolean {
    const at = this.after(block.start);
    const same = this.blocks[at - 1];
    if (same && same.end >= block.end) return false;
    if (this.bytes + block.size > MOST_BYTES && at === 0 && this.blocks.length) {
      this.withheld = Math.max(this.withheld, block.end);
      return false;
    }
    let covered = at;
    while ((this.blocks[covered]?.start ?? Infinity) < block.end) covered++;
    const from = same && same.start === block.start ? at - 1 : at;
    if (same && same.start < block.start && same.end > block.start) return false;
    const gone = this.blocks.splice(from, covered - from, block);
    this.bytes += block.size - gone.reduce((sum, each) => sum + each.size, 0);
    while (this.bytes > MOST_BYTES && this.blocks.length > 1) this.drop();
    return true;
  }

  /** Lets go of blocks that hold nothing from that line on; whether there were any. */
  forget(first: number): boolean {
    const before = this.blocks.length;
    while (this.blocks[0] && this.blocks[0].end <= first) this.drop();
    return this.blocks.length < before;
  }

  private drop(): void {
    const oldest = this.blocks.shift();
    if (!oldest) return;
    this.bytes -= oldest.size;
    this.withheld = Math.max(this.withheld, oldest.end);
  }

  /** Place of the first block that begins after that line. */
  private after(line: number): number {
    let low = 0;
    let high = this.blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.blocks[middle] as Block).start <= line) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
