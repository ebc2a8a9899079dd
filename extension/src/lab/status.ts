// The status bar's item: whether there is a session, its workers, their memory and rows a second.

import { Widget } from "@lumino/widgets";
import { effect, type Signal } from "@preact/signals";
import type { Front } from "./shown.ts";
import { statusOf } from "./summary.ts";

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
