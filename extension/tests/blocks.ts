// Log lines packed as the kernel packs them.

import { Block } from "../src/logs/block.ts";
import type { LineOrigin, LinesMessage } from "../src/shared/messages.ts";

export interface Written {
  text: string;
  origin?: LineOrigin;
  time?: number;
  row?: number;
  bundle?: number;
}

export const ORIGIN: LineOrigin = [7, "3", "INFO", "print", "score", 11];

/** What comes of them on the wire: the message and the bytes beside it, before deflating. */
export function packed(start: number, lines: Written[], full = true): [LinesMessage, ArrayBuffer] {
  const origins: LineOrigin[] = [];
  const codes = lines.map(({ origin = ORIGIN }) => {
    const at = origins.findIndex((each) => each.join() === origin.join());
    return at < 0 ? origins.push(origin) - 1 : at;
  });
  const texts = lines.map(({ text }) => new TextEncoder().encode(text));
  let end = 0;
  const offsets = [0, ...texts.map((each) => (end += each.length))];
  const columns: [
    typeof Float64Array | typeof Uint32Array | typeof Int32Array | typeof Uint16Array,
    number[],
  ][] = [
    [Float64Array, lines.map(({ time = 1000 }) => time)],
    [Uint32Array, offsets],
    [Int32Array, lines.map(({ row = -1 }) => row)],
    [Int32Array, lines.map(({ bundle = 0 }) => bundle)],
    [Uint16Array, codes],
  ];
  const parts = [
    ...columns.map(([Kind, values]) => new Uint8Array(new Kind(values).buffer)),
    ...texts,
  ];
  const data = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  const message: LinesMessage = {
    kind: "lines",
    start,
    count: lines.length,
    full,
    origins,
    gaps: [],
  };
  return [message, data.buffer];
}

export const block = (start: number, lines: Written[], full = true): Block =>
  new Block(...packed(start, lines, full));

/** The same as zlib deflates it. */
export async function deflated(data: ArrayBuffer): Promise<DataView> {
  const stream = new Blob([data]).stream().pipeThrough(new CompressionStream("deflate"));
  return new DataView(await new Response(stream).arrayBuffer());
}
