// What a %udf line shows, in a tab of its own beside the notebook, with the notebook's kernel and
// widgets.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { MainAreaWidget, ToolbarButton } from "@jupyterlab/apputils";
import type { NotebookPanel } from "@jupyterlab/notebook";
import { OutputAreaModel, SimplifiedOutputArea } from "@jupyterlab/outputarea";
import { refreshIcon } from "@jupyterlab/ui-components";
import { Widget } from "@lumino/widgets";

/** Opens such a tab, or comes back to the one that is open for this notebook. */
export class Tabs {
  private readonly open = new Map<string, Tab>();

  constructor(private readonly app: JupyterFrontEnd) {}

  show(panel: NotebookPanel, title: string, code: string): void {
    const key = `${panel.id} ${title}`;
    let tab = this.open.get(key);
    if (tab === undefined || tab.main.isDisposed) {
      tab = new Tab(panel, title);
      const other = [...this.open].find(([each]) => each.startsWith(`${panel.id} `))?.[1];
      this.open.set(key, tab);
      tab.main.disposed.connect(() => this.open.delete(key));
      this.app.shell.add(
        tab.main,
        "main",
        other ? { ref: other.main.id, mode: "tab-after" } : { ref: panel.id, mode: "split-right" },
      );
    }
    tab.code = code;
    this.app.shell.activateById(tab.main.id);
    void tab.run();
  }
}

class Tab {
  readonly main: MainAreaWidget<SimplifiedOutputArea>;
  code = "";

  constructor(
    private readonly panel: NotebookPanel,
    title: string,
  ) {
    const area = new SimplifiedOutputArea({
      model: new OutputAreaModel({ trusted: true }),
      rendermime: panel.content.rendermime,
    });
    area.addClass("nu-tab");
    this.main = new MainAreaWidget({ content: area });
    this.main.title.label = `${title}: ${panel.title.label}`;
    this.main.title.caption = `${title} of ${panel.context.path}`;
    this.main.title.closable = true;
    const again = new ToolbarButton({
      icon: refreshIcon,
      tooltip: `Show the ${title.toLowerCase()} again`,
      onClick: () => void this.run(),
    });
    this.main.toolbar.addItem("again", again);
    panel.disposed.connect(() => this.main.dispose());
  }

  /** Runs the line; while a cell runs it waits for the end of that, and says so. */
  async run(): Promise<void> {
    const waits = new Widget();
    waits.addClass("nu-tab-waits");
    waits.node.textContent = "Waits until the running cell has ended …";
    waits.node.setAttribute("role", "status");
    this.main.contentHeader.addWidget(waits);
    try {
      const { content } = this.main;
      await SimplifiedOutputArea.execute(this.code, content, this.panel.sessionContext);
    } catch {
      // What failed stands in the output; a kernel that ended takes its tab's contents along.
    } finally {
      waits.dispose();
    }
  }
}
