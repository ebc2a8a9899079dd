// Gives a reader a copy of the tutorials. They are in the Python package, so a kernel copies them.

import type { JupyterFrontEnd } from "@jupyterlab/application";
import { PageConfig, PathExt } from "@jupyterlab/coreutils";
import type { KernelMessage } from "@jupyterlab/services";

const FOLDER = "notebook-udf-tutorials";
const COPY = `\
from pathlib import Path
from notebook_udf.tutorials import copy_tutorials
print(copy_tutorials(Path("${FOLDER}")).as_posix())
`;

/** Copies them into a folder below `cwd`, leaving alone what is there, and opens the first. */
export async function openTutorials(app: JupyterFrontEnd, cwd: string): Promise<void> {
  const { sessions, kernelspecs } = app.serviceManager;
  await kernelspecs.ready;
  const session = await sessions.startNew({
    name: "notebook-udf tutorials",
    path: PathExt.join(cwd, `${FOLDER}.copying`),
    type: "console",
    kernel: { name: kernelspecs.specs?.default ?? "python3" },
  });
  try {
    let printed = "";
    const future = session.kernel!.requestExecute({ code: COPY, store_history: false });
    future.onIOPub = (message) => {
      if (message.header.msg_type === "stream") {
        printed += (message as KernelMessage.IStreamMsg).content.text;
      }
    };
    const { content } = await future.done;
    if (content.status !== "ok") {
      const { ename, evalue } = content as KernelMessage.IReplyErrorContent;
      throw new Error(`the tutorials could not be copied: ${ename}: ${evalue}`);
    }
    const path = PathExt.join(cwd, printed.trim());
    await app.commands.execute("docmanager:open", { path });
  } finally {
    await session.shutdown();
    session.dispose();
  }
}

/** The folder that is open in the file browser. */
export const startFolder = (args: { cwd?: unknown }): string =>
  typeof args.cwd === "string" ? args.cwd : PageConfig.getOption("treePath").replace(/[^/]*$/, "");
