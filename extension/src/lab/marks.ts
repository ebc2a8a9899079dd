// A line above each %%udf cell: its kind, whether it is registered, and a button that does it.

import type { Cell } from "@jupyterlab/cells";
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import { effect } from "@preact/signals";
import { isUdf, type Mark, markOf } from "./cells.ts";
import type { Connection } from "./connection.ts";

const SOON = 150;
const SYMBOLS = { new: "○", registered: "●", changed: "◐", replaced: "◌", failed: "✕" };

/** Marks the cells of a notebook for as long as it is open. */
export class Marks {
  private readonly lines = new Map<string, Line>();
  private due = 0;

  constructor(
    private readonly panel: NotebookPanel,
    private readonly connection: Connection,
  ) {
    const end = effect(() => {
      void connection.parts.value;
      void connection.loaded.value;
      this.soon();
    });
    panel.content.modelContentChanged.connect(this.soon, this);
    panel.content.model?.cells.changed.connect(this.soon, this);
    panel.disposed.connect(() => {
      end();
      clearTimeout(this.due);
    });
  }

  private soon(): void {
    // Not put off by what comes meanwhile: outputs may change all the time.
    this.due ||= window.setTimeout(() => {
      this.due = 0;
      this.draw();
    }, SOON);
  }

  private draw(): void {
    if (this.panel.isDisposed) return;
    const parts = this.connection.parts.value;
    const loaded = this.connection.loaded.value;
    const left = new Set(this.lines.keys());
    for (const cell of this.panel.content.widgets) {
      const source = cell.model.sharedModel.getSource();
      if (cell.model.type !== "code" || !isUdf(source)) continue;
      const { id } = cell.model;
      left.delete(id);
      let line = this.lines.get(id);
      if (line === undefined || line.cell !== cell) {
        line?.remove();
        line = new Line(cell, () => this.register(cell));
        this.lines.set(id, line);
      }
      line.show(markOf(id, source, parts), loaded);
    }
    for (const id of left) {
      this.lines.get(id)?.remove();
      this.lines.delete(id);
    }
  }

  private async register(cell: Cell): Promise<void> {
    const { content, sessionContext } = this.panel;
    await NotebookActions.runCells(content, [cell], sessionContext);
  }
}

class Line {
  private readonly node = document.createElement("div");
  private readonly kind = document.createElement("span");
  private readonly state = document.createElement("span");
  private readonly button = document.createElement("button");

  constructor(
    readonly cell: Cell,
    register: () => Promise<void>,
  ) {
    this.node.className = "nu-mark";
    this.kind.className = "nu-mark-kind";
    this.state.className = "nu-mark-state";
    this.state.setAttribute("role", "status");
    this.button.type = "button";
    this.button.addEventListener("click", () => void register());
    this.node.append(this.kind, this.state, this.button);
    cell.node.prepend(this.node);
  }

  show({ kind, state, text }: Mark, loaded: boolean): void {
    if (!loaded) text = "not registered: run %load_ext notebook_udf first";
    // Its magic is unknown to such a kernel.
    this.button.disabled = !loaded;
    this.node.dataset.state = state;
    set(this.kind, kind);
    set(this.state, `${SYMBOLS[state]} ${text}`);
    this.state.title = text;
    set(this.button, state === "registered" ? "Register again" : "Register");
    this.button.setAttribute(
      "aria-label",
      `${this.button.textContent} the ${kind} function of this cell`,
    );
  }

  remove(): void {
    this.node.remove();
  }
}

function set(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
