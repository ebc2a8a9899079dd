// What the kernel tells the lab of a session. Mirrors notebook_udf/lab.

export interface Session {
  spark: string;
  master: string;
  notes: string[];
  /** Living workers, their bytes, and rows a second now. */
  workers: number;
  memory: number;
  rate: number;
}

export interface Udf {
  name: string;
  kind: string;
  version: number;
  signature: string;
  source: string;
}

export interface Worker {
  pid: number;
  state: string;
  function: string;
  memory: number;
  rows: number;
  failures: number;
  error: string;
}

export interface Query {
  query: number;
  text: string;
  state: "running" | "done" | "failed" | "cancelled";
  /** Seconds since the epoch. */
  began: number;
  ended: number | null;
  error: string;
  functions: string[];
  rows: number;
}

export interface Stream {
  run: string;
  id: string;
  name: string;
  /** running, draining, suspending, cancelling, ended or failed. */
  state: string;
  message: string;
  batch: number | null;
  rows: number | null;
  rate: number | null;
  error: string;
}

export interface LogLine {
  time: number;
  level: string;
  pid: number;
  function: string;
  text: string;
}

/** What is known of a %%udf cell that ran. */
export interface RanCell {
  /** CRC-32 of its text as it ran. */
  code: number;
  functions: { name: string; kind: string; version: number }[];
  error: string;
}

/** Every part; null where there is no session. */
export interface Parts {
  session: Session | null;
  functions: { functions: Udf[]; count: number } | null;
  workers: { workers: Worker[]; alive: number; size: number } | null;
  queries: Query[] | null;
  streams: Stream[] | null;
  logs: { lines: LogLine[]; count: number; dropped: number } | null;
  cells: Record<string, RanCell>;
  /** Whether a cell runs. The kernel's status also tells of messages that are no cells. */
  busy: boolean;
}

export const NOTHING: Parts = {
  session: null,
  functions: null,
  workers: null,
  queries: null,
  streams: null,
  logs: null,
  cells: {},
  busy: false,
};

export const isOver = (stream: Stream): boolean => ["ended", "failed"].includes(stream.state);
