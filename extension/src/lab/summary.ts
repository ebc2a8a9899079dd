// A session in a few words.

import { counted, short, size } from "../shared/format.ts";
import type { SessionNews } from "../shared/messages.ts";
import type { Front } from "./shown.ts";

/** In words; "" if there is nothing to say. */
export function statusOf(front: Front | null): string {
  if (front === null || !front.connection.loaded.value) return "";
  const { session } = front.connection.parts.value;
  if (session === null) return "udf: no session";
  return `udf: ${summary(session)}`;
}

/** A session's workers, their memory, and rows a second. */
export function summary({ workers, memory, rate }: SessionNews): string {
  return `${counted(workers, "worker")} · ${size(memory)} · ${short(rate)} rows/s`;
}
