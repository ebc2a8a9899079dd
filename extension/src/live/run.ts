// A run as the kernel sends it, and what follows from it. No DOM in here.

import type { Progress, RunData, StageProgress } from "../shared/messages.ts";

export const PARTS = ["user", "transfer", "waiting"] as const;
export type Part = (typeof PARTS)[number];
export const PART_NAMES: Record<Part, string> = {
  user: "user code",
  transfer: "transfer",
  waiting: "waiting",
};

/** How much of the workers' time each part took, 0 to 1. */
export function shares(split: RunData["split"]): Record<Part, number> {
  const whole = PARTS.reduce((sum, part) => sum + split[part], 0) || 1;
  return {
    user: split.user / whole,
    transfer: split.transfer / whole,
    waiting: split.waiting / whole,
  };
}

/** The stages that fit: those that run or failed first, then the latest; in Spark's order. */
export function telling(
  progress: Progress,
  most: number,
): { stages: StageProgress[]; others: number } {
  const order = { running: 0, failed: 1, waiting: 3, done: 2, ended: 2, skipped: 4 };
  const chosen = [...progress.stages]
    .sort((a, b) => order[a.state] - order[b.state] || b.number - a.number)
    .slice(0, most);
  const stages = progress.stages.filter((stage) => chosen.includes(stage));
  return { stages, others: progress.earlier + progress.stages.length - stages.length };
}

/** Seconds the only stage that runs will need still; null where that cannot be said honestly. */
export function rest(progress: Progress): number | null {
  const running = progress.stages.filter((stage) => stage.state === "running");
  return running.length === 1 ? (running[0]?.rest ?? null) : null;
}
