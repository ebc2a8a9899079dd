// The status bar's item: whether there is a session, its workers, their memory and rows a second.

import { Widget } from "@lumino/widgets";
import { effect, type Signal } from "@preact/signals";
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

export class StatusItem extends Widget {
  private readonly end: () => void;

  constructor(front: Signal<Front | null>, open: () => void) {
    super();
    this.addClass("nu-status");
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Show functions, workers and queries";
    button.addEventListener("click", open);
    this.node.append(button);
    this.end = effect(() => {
      const text = statusOf(front.value);
      if (button.textContent !== text) button.textContent = text;
      button.hidden = text === "";
    });
  }

  override dispose(): void {
    this.end();
    super.dispose();
  }
}
