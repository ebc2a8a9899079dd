// The workers as the kernel tells them.

export interface Worker {
  pid: number;
  state: string;
  function: string;
  bundle: number;
  row: number;
  memory: number;
  peak_memory: number;
  /** 0 without one. */
  memory_limit: number;
  /** Seconds since the epoch. */
  started: number;
  seen: number;
  bundles_done: number;
  rows_done: number;
  failures: number;
  /** Seconds of a processor, and how many a second now. */
  cpu: number;
  cpu_now: number;
  query: string;
  partition: number;
  error: string;
}

export interface Ended extends Omit<Worker, "row" | "cpu_now" | "query" | "partition"> {
  how: string;
}

export interface Data {
  size: number;
  log_level: string;
  log_levels: string[];
  alive: number;
  workers: Worker[];
  ended: Ended[];
  /** All that ended, also those that are not told. */
  gone: number;
}

/** What a worker is at, in words. */
export function task(worker: Worker): string {
  const parts = [];
  if (worker.query) parts.push(`query ${worker.query}`);
  if (worker.partition >= 0) parts.push(`partition ${worker.partition}`);
  return parts.join(", ");
}

/** How much of its limit a worker takes, from 0 to 1; of the largest worker's, without a limit. */
export function share(worker: Worker, all: readonly Worker[]): number {
  const most = worker.memory_limit || Math.max(1, ...all.map((each) => each.peak_memory));
  return Math.min(1, worker.memory / most);
}
