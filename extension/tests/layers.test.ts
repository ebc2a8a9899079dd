// The folders of `src` are the architecture: what is shared knows no panel, a panel no other one.

import { expect, test } from "vitest";

declare global {
  interface ImportMeta {
    glob(pattern: string, options: object): Record<string, string>;
  }
}

const sources = import.meta.glob("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const modules = new Map(
  Object.entries(sources).map(([path, text]) => [
    path.replace("../src/", ""),
    imported(path, text),
  ]),
);

/** What a module imports from here, types as well. */
function imported(path: string, text: string): string[] {
  const folder = path.replace("../src/", "").split("/")[0];
  const found = [...text.matchAll(/from "(\.[^"]+\.tsx?)"/g)].map(([, to]) => to ?? "");
  return found.map((to) => (to.startsWith("../") ? to.slice(3) : `${folder}/${to.slice(2)}`));
}

const folderOf = (module: string) => module.split("/")[0];

/** Modules that import each other, in their order; empty if there are none. */
function circle(arrows: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>();
  const visit = (module: string, above: string[]): string[] => {
    if (above.includes(module)) return [...above.slice(above.indexOf(module)), module];
    if (done.has(module)) return [];
    for (const other of arrows.get(module) ?? []) {
      const found = visit(other, [...above, module]);
      if (found.length) return found;
    }
    done.add(module);
    return [];
  };
  for (const module of arrows.keys()) {
    const found = visit(module, []);
    if (found.length) return found;
  }
  return [];
}

test("every import from here is of a module that there is", () => {
  expect(modules.size).toBeGreaterThan(50);
  const missing = [...modules].flatMap(([path, to]) =>
    to.filter((each) => !modules.has(each)).map((each) => `${path} imports ${each}`),
  );
  // What has no code is declared in css.d.ts.
  expect(missing).toEqual([]);
});

test("no two modules import each other", () => {
  expect(circle(modules)).toEqual([]);
});

test("a circle would be found", () => {
  const three = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["b"]],
    ["d", []],
  ]);
  expect(circle(three)).toEqual(["b", "c", "b"]);
});

test("what is shared imports no panel, and a panel imports no other one", () => {
  const astray = [...modules].flatMap(([path, to]) =>
    to
      .filter((each) => ![folderOf(path), "shared"].includes(folderOf(each)))
      .map((each) => `${path} imports ${each}`),
  );
  expect(astray).toEqual([]);
});
