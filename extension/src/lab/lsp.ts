// Tells jupyterlab-lsp what language the cells of the magics are in.

import type { JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ILSPCodeExtractorsManager } from "@jupyterlab/lsp";
import { extractors } from "./extractors.ts";

export const lsp: JupyterFrontEndPlugin<void> = {
  id: "notebook-udf:lsp",
  description: "Code of %%udf and %%sparksql cells for language servers.",
  autoStart: true,
  // A page without language servers does not have it.
  optional: [ILSPCodeExtractorsManager].filter(Boolean),
  activate: (_, manager: ILSPCodeExtractorsManager | null) => {
    for (const extractor of extractors) manager?.register(extractor, "python");
  },
};
