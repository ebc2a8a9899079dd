// JupyterLab's part of notebook-udf: a side panel, a status item, marks on cells, commands.

import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from "@jupyterlab/application";
import {
  Dialog,
  ICommandPalette,
  InputDialog,
  Notification,
  showDialog,
} from "@jupyterlab/apputils";
import { ILauncher } from "@jupyterlab/launcher";
import { INotebookTracker, NotebookActions } from "@jupyterlab/notebook";
import { IStatusBar } from "@jupyterlab/statusbar";
import { LabIcon } from "@jupyterlab/ui-components";
import { Widget } from "@lumino/widgets";
import { h, render } from "preact";
import theme from "../shared/theme.css";
import { isUdf, queryBelow } from "./cells.ts";
import { Fronts } from "./front.ts";
import { lsp } from "./lsp.ts";
import type { Views } from "./shown.ts";
import { Side } from "./side.tsx";
import { StatusItem } from "./status.ts";
import css from "./style.css";
import { Tabs } from "./tabs.ts";
import { openTutorials, startFolder } from "./tutorials.ts";

const PANEL = "notebook-udf-side";
const CATEGORY = "notebook-udf";
const icon = new LabIcon({
  name: "notebook-udf:icon",
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" viewBox="0 0 24 24">' +
    '<g class="jp-icon3 jp-icon-selectable" fill="#616161">' +
    '<path d="M4 5h7v2H6v10h5v2H4zM20 19h-7v-2h5V7h-5V5h7z"/><circle cx="12" cy="12" r="2.4"/></g></svg>',
});

const main: JupyterFrontEndPlugin<void> = {
  id: "notebook-udf:plugin",
  description: "Functions on Spark: a side panel, marks on cells, commands.",
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette, IStatusBar, ILauncher, ILayoutRestorer],
  activate,
};

function activate(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  palette: ICommandPalette | null,
  statusBar: IStatusBar | null,
  launcher: ILauncher | null,
  restorer: ILayoutRestorer | null,
): void {
  const style = document.createElement("style");
  style.textContent = theme + css;
  document.head.append(style);

  const { front } = new Fronts(tracker);
  const tabs = new Tabs(app);
  const { commands } = app;
  const run = (id: string, args = {}) => void commands.execute(id, args);
  const hasSession = () => front.value?.connection.parts.value.session != null;

  const views: Views = {
    plan: () => run("notebook-udf:plan"),
    logs: () => run("notebook-udf:logs"),
    state: (query) => run("notebook-udf:state", query ? { query } : {}),
    workers: () => run("notebook-udf:workers"),
  };
  const side = new Widget();
  side.id = PANEL;
  side.addClass("nu-panel");
  side.addClass("nu-side");
  side.title.icon = icon;
  side.title.caption = "notebook-udf: functions, workers, queries";
  side.node.setAttribute("role", "region");
  side.node.setAttribute("aria-label", "notebook-udf");
  render(h(Side, { front, views }), side.node);
  app.shell.add(side, "right", { rank: 450 });
  restorer?.add(side, PANEL);

  const shown = (title: string, code: string) => {
    const panel = tracker.currentWidget;
    if (panel) tabs.show(panel, title, code);
  };
  const asked = async (title: string, label: string, text: string): Promise<string | null> => {
    const { value } = await InputDialog.getText({ title, label, text, okLabel: "Show" });
    return value?.replace(/\s+/g, " ").trim() || null;
  };

  const add = (
    name: string,
    label: string,
    execute: (args: { query?: string; cwd?: unknown }) => unknown,
    isEnabled: () => boolean = () => true,
  ) => {
    const command = `notebook-udf:${name}`;
    commands.addCommand(command, {
      label,
      execute,
      isEnabled,
      icon: name === "tutorials" ? icon : undefined,
    });
    palette?.addItem({ command, category: CATEGORY });
  };
  add("panel", "Show Functions, Workers and Queries", () => app.shell.activateById(PANEL));
  add(
    "register",
    "Register the Function of This Cell",
    () => {
      const panel = tracker.currentWidget;
      const cell = panel?.content.activeCell;
      return panel && cell && NotebookActions.runCells(panel.content, [cell], panel.sessionContext);
    },
    () =>
      (front.value?.connection.loaded.value ?? false) &&
      isUdf(tracker.activeCell?.model.sharedModel.getSource() ?? ""),
  );
  add(
    "cancel",
    "Cancel the Running Query",
    () => front.value?.connection.interrupt(),
    () => front.value?.connection.hasKernel.value ?? false,
  );
  add(
    "plan",
    "Plan of a Query…",
    async ({ query }) => {
      const text =
        query ?? (await asked("Plan", "A query, or the variable of a DataFrame", below(tracker)));
      if (text) shown("Plan", `%udf plan ${text}`);
    },
    hasSession,
  );
  add("logs", "Logs", () => shown("Logs", "%udf logs"), hasSession);
  add("workers", "Workers", () => shown("Workers", "%udf pool"), hasSession);
  add(
    "state",
    "State of a Streaming Query…",
    async ({ query }) => {
      const streams = front.value?.connection.parts.value.streams ?? [];
      const first = streams.find(({ name }) => name)?.name ?? "";
      const label = "A streaming query's variable, its name, or the path of its checkpoint";
      const text = query ?? (await asked("State", label, first));
      if (text) shown("State", `%udf state ${text}`);
    },
    hasSession,
  );
  add(
    "restart-workers",
    "Restart All Workers",
    async () => {
      const { button } = await showDialog({
        title: "Restart all workers?",
        body: "Queries that run in them fail.",
        buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: "Restart" })],
      });
      if (button.accept) await front.value?.connection.tell("restart", {});
    },
    hasSession,
  );
  add("tutorials", "notebook-udf Tutorials", async (args) => {
    try {
      await openTutorials(app, startFolder(args));
    } catch (error) {
      Notification.error((error as Error).message, { autoClose: false });
    }
  });
  launcher?.add({ command: "notebook-udf:tutorials", category: "Other", rank: 0 });

  if (statusBar) {
    const item = new StatusItem(front, () => run("notebook-udf:panel"));
    statusBar.registerStatusItem("notebook-udf:status", { item, align: "left", rank: 90 });
  }
}

/** The query of the cell that is selected, as a suggestion. */
const below = (tracker: INotebookTracker): string =>
  queryBelow(tracker.activeCell?.model.sharedModel.getSource() ?? "");

export default [main, lsp];
