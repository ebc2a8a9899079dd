// Bundles each widget into the Python package: one script, its style sheet inside; and the
// JupyterLab extension into a folder that is installed beside the package.
// Fails if a bundle is larger than what a saved notebook should have to carry.

import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildLab } from "./lab.mjs";

const LIMIT = 250_000;
const here = dirname(fileURLToPath(import.meta.url));
const widgets = readdirSync(join(here, "src")).filter((name) =>
  existsSync(join(here, "src", name, "widget.tsx")),
);

for (const name of widgets) {
  const result = await build({
    entryPoints: [join(here, "src", name, "widget.tsx")],
    outfile: join(here, "..", "notebook_udf", "widgets", "static", `${name}.js`),
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".css": "text" },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  for (const [file, { bytes }] of Object.entries(result.metafile.outputs)) {
    console.log(`${name}: ${(bytes / 1000).toFixed(0)} KB`);
    if (bytes > LIMIT) throw new Error(`${file} has ${bytes} bytes, more than ${LIMIT}`);
  }
}

await buildLab(join(here, "src", "lab"), join(here, "build", "labextensions", "notebook-udf"));
