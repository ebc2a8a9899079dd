// Where the code of a cell's magic begins, for language servers.

import type { IForeignCodeExtractor } from "@jupyterlab/lsp";

/** The code below the line of a cell's magic, in a language of its own. */
class BelowMagic implements IForeignCodeExtractor {
  readonly cellType = ["code"];
  private readonly pattern: RegExp;

  constructor(
    magic: string,
    readonly language: string,
    readonly fileExtension: string,
    /** Whether each cell is a document by itself. */
    readonly standalone: boolean,
  ) {
    this.pattern = new RegExp(`^\\s*%%${magic}(?:[ \\t][^\\n]*)?\\n`);
  }

  hasForeignCode(code: string, cellType: string): boolean {
    return this.cellType.includes(cellType) && this.pattern.test(code);
  }

  extractForeignCode(code: string): ReturnType<IForeignCodeExtractor["extractForeignCode"]> {
    const head = this.pattern.exec(code)?.[0];
    if (head === undefined) return [];
    const lines = code.split("\n");
    const start = { line: head.split("\n").length - 1, column: 0 };
    const end = { line: lines.length - 1, column: lines[lines.length - 1]!.length };
    const foreignCode = code.slice(head.length);
    return [{ hostCode: "", foreignCode, range: { start, end }, virtualShift: null }];
  }
}

export const extractors = [
  // Names are those of the notebook: one document with the other cells of its kind.
  new BelowMagic("udf", "python", "py", false),
  new BelowMagic("sparksql", "sql", "sql", true),
];
