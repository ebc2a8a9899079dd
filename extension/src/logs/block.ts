// A block of log lines as the kernel packs them: columns, and the text of all lines in one piece.
// Text is decoded when it is looked at; a million lines as strings would be too many.

import type { LineOrigin, LinesMessage } from "../shared/messages.ts";

/** One line, for whoever shows or saves it. */
export interface Line {
  number: number;
  time: number;
  pid: number;
  query: string;
  /** Spark's number of the task attempt; -1 outside of one. */
  task: number;
  level: string;
  source: string;
  name: string;
  bundle: number;
  row: number;
  text: string;
}

const utf8 = new TextDecoder();
const ESCAPE = 0x1b;

export class Block {
  readonly start: number;
  readonly count: number;
  readonly full: boolean;
  readonly origins: readonly LineOrigin[];
  /** Missing lines by the place before which they are missing. */
  readonly missing: ReadonlyMap<number, number>;
  /** Whether any of its lines holds an escape sequence. */
  readonly coloured: boolean;
  private readonly times: Float64Array;
  private readonly offsets: Uint32Array;
  private readonly rows: Int32Array;
  private readonly bundles: Int32Array;
  private readonly codes: Uint16Array;
  private readonly bytes: Uint8Array;

  constructor(head: LinesMessage, data: ArrayBuffer) {
    const n = head.count;
    this.start = head.start;
    this.count = n;
    this.full = head.full;
    this.origins = head.origins;
    const missing = new Map<number, number>();
    for (const [at, , count] of head.gaps) missing.set(at, (missing.get(at) ?? 0) + count);
    this.missing = missing;
    let at = 0;
    const next = (bytes: number) => {
      at += bytes;
      return at - bytes;
    };
    this.times = new Float64Array(data, next(8 * n), n);
    this.offsets = new Uint32Array(data, next(4 * (n + 1)), n + 1);
    this.rows = new Int32Array(data, next(4 * n), n);
    this.bundles = new Int32Array(data, next(4 * n), n);
    this.codes = new Uint16Array(data, next(2 * n), n);
    this.bytes = new Uint8Array(data, at);
    this.coloured = this.bytes.includes(ESCAPE);
  }

  get end(): number {
    return this.start + this.count;
  }

  get size(): number {
    return this.bytes.buffer.byteLength;
  }

  originOf(at: number): number {
    return this.codes[at] as number;
  }

  text(at: number): string {
    return utf8.decode(this.bytes.subarray(this.offsets[at], this.offsets[at + 1]));
  }

  line(at: number): Line {
    const [pid, query, level, source, name, task] = this.origins[this.originOf(at)] as LineOrigin;
    return {
      number: this.start + at,
      time: this.times[at] as number,
      bundle: this.bundles[at] as number,
      row: this.rows[at] as number,
      pid,
      query,
      task,
      level,
      source,
      name,
      text: this.text(at),
    };
  }

  /** The text of every line; of all at once it is decoded several times as fast. */
  texts(): (at: number) => string {
    const whole = utf8.decode(this.bytes);
    // Where all is ASCII, a byte is a character.
    if (whole.length !== this.bytes.length) return (at) => this.text(at);
    return (at) => whole.slice(this.offsets[at], this.offsets[at + 1]);
  }
}

/** What zlib has deflated. */
export async function inflate(data: DataView): Promise<ArrayBuffer> {
  const stream = new DecompressionStream("deflate");
  const writer = stream.writable.getWriter();
  // What is wrong with the data is told to whoever reads.
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  void writer.write(bytes).catch(() => {});
  void writer.close().catch(() => {});
  return new Response(stream.readable).arrayBuffer();
}
