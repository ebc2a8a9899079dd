// What a %%udf cell is, told from its text and from what the kernel says of it.

import type { Parts } from "./data.ts";

export interface Mark {
  kind: string;
  state: "new" | "registered" | "changed" | "replaced" | "failed";
  text: string;
}

export const isUdf = (source: string): boolean => /^\s*%%udf(\s|$)/.test(source);

/** The query of a %%sparksql cell in one line, without comments; "" of any other cell. */
export function queryBelow(source: string): string {
  const query = /^\s*%%sparksql[^\n]*\n([\s\S]*)/.exec(source)?.[1] ?? "";
  return query
    .replace(/--[^\n]*/g, " ")
    .replace(/[\s;]+$/, "")
    .replace(/\s+/g, " ")
    .trim();
}

const BASES: [RegExp, string][] = [
  [/\bclass\s+\w+\s*\([^)]*\b(Table)?AggregateFunction\b/, "aggregate"],
  [/\bclass\s+\w+\s*\([^)]*\bTableFunction\b/, "table"],
  [/\bclass\s+\w+\s*\([^)]*\bAsyncScalarFunction\b/, "async"],
  [/\bclass\s+\w+\s*\([^)]*\bOneInputStreamProcessFunction\b/, "process"],
  [/^\s*@(\w+\.)?(udaf|udtaf)\b/m, "aggregate"],
  [/^\s*@(\w+\.)?udtf\b/m, "table"],
  [/^\s+def\s+accumulate\b/m, "aggregate"],
  [/^\s+def\s+process_record\b/m, "process"],
  [/^(\s+async\s+def\s+eval|async\s+def)\b/m, "async"],
  [/^\s+(?:.*=\s*)?yield\b/m, "table"],
];

/** The kind of function a cell's code looks like. The kernel knows better once it ran. */
export function kindOf(source: string): string {
  const said = /^\s*%%udf[^\n]*--kind[\s=]+(\w+)/.exec(source)?.[1];
  return said ?? BASES.find(([pattern]) => pattern.test(source))?.[1] ?? "scalar";
}

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte >>> 0;
});

/** CRC-32 of a text in UTF-8, as zlib has it. */
export function crc32(text: string): number {
  let sum = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) sum = TABLE[(sum ^ byte) & 255]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

/** How a %%udf cell stands. */
export function markOf(id: string, source: string, { cells, functions }: Parts): Mark {
  const kind = kindOf(source);
  const ran = cells[id];
  if (ran === undefined) return { kind, state: "new", text: "not registered" };
  const same = ran.code === crc32(source);
  if (ran.error) {
    const text = same ? `failed: ${ran.error}` : "changed since it failed";
    return { kind, state: same ? "failed" : "changed", text };
  }
  const known = (functions?.functions ?? []).filter((each) =>
    ran.functions.some(({ name }) => name === each.name),
  );
  // A session that was stopped has forgotten its functions.
  if (known.length === 0) return { kind, state: "new", text: "not registered" };
  const kinds = [...new Set(ran.functions.map((each) => each.kind))].join(", ");
  const names = ran.functions.map(({ name, version }) => `${name}, version ${version}`).join("; ");
  if (!same) return { kind: kinds, state: "changed", text: `changed since ${names}` };
  const newer = known.filter((each) =>
    ran.functions.some(({ name, version }) => name === each.name && version !== each.version),
  );
  if (newer.length > 0) {
    const now = newer.map(({ name, version }) => `${name} is at version ${version}`).join("; ");
    return { kind: kinds, state: "replaced", text: `replaced since: ${now}` };
  }
  return { kind: kinds, state: "registered", text: `registered as ${names}` };
}
