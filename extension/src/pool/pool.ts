// The workers as the kernel tells them.

import type { LivingWorker } from "../shared/messages.ts";

/** What a worker is at, in words. */
export function task(worker: LivingWorker): string {
  const parts = [];
  if (worker.query) parts.push(`query ${worker.query}`);
  if (worker.partition >= 0) parts.push(`partition ${worker.partition}`);
  return parts.join(", ");
}

/** How much of its limit a worker takes, from 0 to 1; of the largest worker's, without a limit. */
export function share(worker: LivingWorker, all: readonly LivingWorker[]): number {
  const most = worker.memory_limit || Math.max(1, ...all.map((each) => each.peak_memory));
  return Math.min(1, worker.memory / most);
}
