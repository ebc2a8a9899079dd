// Bundles the JupyterLab extension as JupyterLab loads it: a script that adds a container to
// `window._JUPYTERLAB`. Jupyter's own packages are not in it; JupyterLab hands them over.

import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const NAME = "notebook-udf";

const wrapped = (code, shared) => `(() => {
let scopes = {};
const newest = (a, b) => b.localeCompare(a, undefined, { numeric: true });
const load = async (name) => {
  const offered = Object.entries(scopes[name] ?? {}).sort(([a], [b]) => newest(a, b));
  const chosen = offered.find(([, each]) => each.loaded) ?? offered[0];
  return chosen ? (await chosen[1].get())() : {};
};
const container = {
  init: (scope) => void (scopes = scope),
  get: async () => {
    const names = ${JSON.stringify(shared)};
    const found = new Map(await Promise.all(names.map(async (name) => [name, await load(name)])));
    const module = { exports: {} };
    ((require, module, exports) => {
${code}
    })((name) => found.get(name), module, module.exports);
    return () => module.exports;
  },
};
(window._JUPYTERLAB ??= {})[${JSON.stringify(NAME)}] = container;
})();
`;

export async function buildLab(source, target) {
  const result = await build({
    entryPoints: [join(source, "index.ts")],
    bundle: true,
    write: false,
    format: "cjs",
    target: "es2022",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    loader: { ".css": "text" },
    external: ["@jupyterlab/*", "@lumino/*"],
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  const [output] = Object.values(result.metafile.outputs);
  const shared = [
    ...new Set(output.imports.filter((each) => each.external).map((each) => each.path)),
  ];
  const code = wrapped(result.outputFiles[0].text, shared.sort());
  const load = `static/remoteEntry.${createHash("sha256").update(code).digest("hex").slice(0, 12)}.js`;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(join(target, "static"), { recursive: true });
  writeFileSync(join(target, load), code);
  cpSync(join(source, "schemas"), join(target, "schemas", NAME), { recursive: true });
  const { version, license } = JSON.parse(
    readFileSync(join(source, "..", "..", "package.json"), "utf8"),
  );
  // Last: with it, the extension counts as built.
  const about = {
    name: NAME,
    version,
    license,
    jupyterlab: { _build: { load, extension: "./extension" } },
  };
  writeFileSync(join(target, "package.json"), JSON.stringify(about, null, 2));
  console.log(`lab: ${(code.length / 1000).toFixed(0)} KB`);
}
