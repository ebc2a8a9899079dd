// Every open notebook has a connection; the one in front is what the panel shows.

import type { INotebookTracker, NotebookPanel } from "@jupyterlab/notebook";
import { type Signal, signal } from "@preact/signals";
import { Connection } from "./connection.ts";
import { Marks } from "./marks.ts";
import type { Front } from "./shown.ts";

export class Fronts {
  readonly front: Signal<Front | null> = signal(null);
  private readonly connections = new Map<NotebookPanel, Connection>();

  constructor(private readonly tracker: INotebookTracker) {
    tracker.forEach((panel) => void this.add(panel));
    tracker.widgetAdded.connect((_, panel) => this.add(panel));
    tracker.currentChanged.connect(() => this.turn());
    this.turn();
  }

  private add(panel: NotebookPanel): void {
    if (this.connections.has(panel)) return;
    const connection = new Connection(panel.sessionContext);
    this.connections.set(panel, connection);
    panel.disposed.connect(() => {
      this.connections.delete(panel);
      this.turn();
    });
    panel.title.changed.connect(() => this.turn());
    void panel.context.ready.then(() => {
      if (!panel.isDisposed) new Marks(panel, connection);
    });
  }

  private turn(): void {
    const panel = this.tracker.currentWidget;
    const connection = panel && this.connections.get(panel);
    const before = this.front.value;
    if (!panel || !connection) this.front.value = null;
    else if (before?.connection !== connection || before.name !== panel.title.label) {
      this.front.value = { name: panel.title.label, connection };
    }
  }
}
