import { describe, expect, test } from "vitest";
import { marked, spans, visible, withoutColours } from "../src/logs/ansi.ts";
import { Block, inflate, type Line } from "../src/logs/block.ts";
import { Book } from "../src/logs/book.ts";
import { Failures } from "../src/logs/failures.ts";
import { chosen, type Filter, LEVELS, matching, pattern, wanted } from "../src/logs/filter.ts";
import { type Places, Rows } from "../src/logs/rows.ts";
import { clock, lineText, place } from "../src/logs/text.ts";
import type { FailureData, LineOrigin } from "../src/shared/messages.ts";
import { block, deflated, ORIGIN, packed, type Written } from "./blocks.ts";
import { many, numbers } from "./random.ts";

const ANY: Filter = { level: "", name: "", query: "", pid: null };

describe("colours of a terminal", () => {
  test("what is without any is one span", () => {
    expect(spans("plain")).toEqual([{ text: "plain", className: "", colour: "", back: "" }]);
  });

  test("a colour lasts until it is taken back", () => {
    const found = spans("a\x1b[31mb\x1b[1mc\x1b[0md");
    expect(found.map(({ text }) => text)).toEqual(["a", "b", "c", "d"]);
    expect(found.map(({ className }) => className)).toEqual(["", "", "nu-bold", ""]);
    expect(found[1]?.colour).toContain("#d32f2f");
    expect(found[2]?.colour).toBe(found[1]?.colour);
    expect(found[3]?.colour).toBe("");
  });

  test("of 256, of sixteen million, and nonsense", () => {
    expect(spans("\x1b[38;5;196mx")[0]?.colour).toContain("rgb(255 0 0)");
    expect(spans("\x1b[48;5;232mx")[0]?.back).toContain("rgb(8 8 8)");
    expect(spans("\x1b[38;2;1;2;999mx")[0]?.colour).toContain("rgb(1 2 255)");
    expect(spans("\x1b[38;2mx")[0]?.colour).toContain("rgb(0 0 0)");
    expect(spans("\x1b[38;9mx")[0]?.colour).toBe("");
  });

  test("inverse changes places, also of what the theme gives", () => {
    expect(spans("\x1b[7mx")[0]).toMatchObject({
      colour: "var(--nu-back)",
      back: "var(--nu-text)",
    });
    const [both] = spans("\x1b[7;31;42mx");
    expect(both?.back).toContain("#d32f2f");
    expect(both?.colour).toContain("#2e7d32");
  });

  test("nothing that controls a terminal or turns text round is left", () => {
    const bad = [...many(0x20, (at) => at), 0x7f, 0x202a, 0x202e, 0x2066, 0x2069];
    for (const code of bad) {
      const shown = visible(`a${String.fromCharCode(code)}b`);
      expect(shown).toHaveLength(3);
      // A tab stays: it is only space.
      expect(shown.charCodeAt(1) === code).toBe(code === 9);
    }
    expect(visible("\x1b]0;title\x07")).toBe("␛]0;title␇");
  });

  test("no text is lost and none is added, whatever the codes", () => {
    const next = numbers(2);
    for (let turn = 0; turn < 500; turn++) {
      const parts = many(next(8), () => {
        const codes = many(next(4), () => next(110)).join(";");
        return `${"abc<&".slice(0, next(6))}\x1b[${codes}m`;
      });
      const text = `${parts.join("")}end`;
      expect(
        spans(text)
          .map((each) => each.text)
          .join(""),
      ).toBe(withoutColours(text));
    }
  });

  test("hits are cut out of spans where they are, across their borders", () => {
    const found = marked(spans("ab\x1b[1mcd\x1b[0mef"), /bcde/i);
    expect(found.map(({ text, hit }) => [text, hit])).toEqual([
      ["a", false],
      ["b", true],
      ["cd", true],
      ["e", true],
      ["f", false],
    ]);
    expect(marked(spans("abc"), null)).toMatchObject([{ text: "abc", hit: false }]);
  });

  test("what is marked is what the pattern finds", () => {
    const next = numbers(3);
    for (let turn = 0; turn < 500; turn++) {
      const text = many(next(30), () => "abx"[next(3)]).join("");
      const sought = ["ab", "b+", "x"][next(3)] ?? "";
      const found = marked(spans(text), new RegExp(sought, "i"));
      expect(found.map((each) => each.text).join("")).toBe(text);
      const hits = found.filter((each) => each.hit).map((each) => each.text);
      expect(hits.join("")).toBe([...text.matchAll(new RegExp(sought, "gi"))].join(""));
    }
  });
});

describe("a block", () => {
  const lines: Written[] = [
    { text: "one", row: 4, bundle: 2, time: 1.5 },
    { text: "zwei ü ☃" },
    { text: "", origin: [8, "", "ERROR", "logging", "", -1] },
  ];

  test("gives its lines back", () => {
    const made = block(100, lines);
    expect(made.end).toBe(103);
    expect(made.line(0)).toEqual({
      number: 100,
      time: 1.5,
      pid: 7,
      query: "3",
      task: 11,
      level: "INFO",
      source: "print",
      name: "score",
      bundle: 2,
      row: 4,
      text: "one",
    });
    expect(made.line(2)).toMatchObject({ number: 102, pid: 8, name: "", task: -1, text: "" });
    expect(many(3, made.texts())).toEqual(lines.map(({ text }) => text));
    expect(made.coloured).toBe(false);
  });

  test("of ASCII alone is read at once, to the same effect", () => {
    const made = block(0, [{ text: "a\x1b[1mb" }, { text: "" }, { text: "c" }]);
    expect(many(3, made.texts())).toEqual(many(3, (at) => made.text(at)));
    expect(made.coloured).toBe(true);
  });

  test("comes deflated", async () => {
    const [head, data] = packed(0, lines);
    expect(new Block(head, await inflate(await deflated(data))).line(1).text).toBe("zwei ü ☃");
    await expect(inflate(new DataView(new ArrayBuffer(8)))).rejects.toThrow();
  });

  test("counts what is missing before a line, of all workers", () => {
    const [head, data] = packed(0, lines);
    const gaps: [number, number, number][] = [
      [1, 7, 2],
      [1, 8, 3],
      [2, 7, 1],
    ];
    expect([...new Block({ ...head, gaps }, data).missing]).toEqual([
      [1, 5],
      [2, 1],
    ]);
  });
});

describe("a book", () => {
  const of = (start: number, end: number, full = true) =>
    block(
      start,
      many(end - start, (at) => ({ text: `${start + at}` })),
      full,
    );
  const ranges = (book: Book) => book.blocks.map(({ start, end }) => [start, end]);

  test("takes a block in place of the pieces it holds", () => {
    const book = new Book();
    expect(book.add(of(0, 3, false))).toBe(true);
    expect(book.add(of(3, 5, false))).toBe(true);
    expect(book.add(of(0, 5))).toBe(true);
    expect(ranges(book)).toEqual([[0, 5]]);
    expect(book.add(of(0, 3, false))).toBe(false);
    expect(book.add(of(2, 5, false))).toBe(false);
    expect(book.add(of(0, 5))).toBe(false);
  });

  test("holds every line once, in whatever order blocks come", () => {
    const next = numbers(4);
    for (let turn = 0; turn < 200; turn++) {
      const edges = many(10, (at) => at * 4);
      const whole = edges.slice(1).map((end, at) => of(edges[at] ?? 0, end));
      const pieces = whole.flatMap(({ start }) => [
        of(start, start + 2, false),
        of(start + 2, start + 4, false),
      ]);
      // A block comes after its pieces, and the pieces in their order; nothing else is promised.
      const waiting = whole.map((full, at) => [pieces[2 * at], pieces[2 * at + 1], full]);
      const book = new Book();
      while (waiting.some((each) => each.length)) {
        const one = waiting[next(waiting.length)]?.shift();
        if (one) book.add(one);
      }
      expect(ranges(book)).toEqual(whole.map(({ start, end }) => [start, end]));
    }
  });

  test("lets go of what the kernel has let go of", () => {
    const book = new Book();
    for (const start of [0, 5, 10]) book.add(of(start, start + 5));
    expect(book.forget(7)).toBe(true);
    expect(ranges(book)).toEqual([
      [5, 10],
      [10, 15],
    ]);
    expect(book.withheld).toBe(5);
    expect(book.forget(7)).toBe(false);
  });
});

describe("a filter", () => {
  test.each([
    ["nothing is asked for", {}, true],
    ["of that function", { name: "score" }, true],
    ["of another function", { name: "other" }, false],
    ["of that query", { query: "3" }, true],
    ["of another query", { query: "4" }, false],
    ["of that worker", { pid: 7 }, true],
    ["of another worker", { pid: 8 }, false],
    ["as severe", { level: "info" }, true],
    ["more severe", { level: "WARNING" }, false],
    ["of a level that logging does not know", { level: "TRACE" }, false],
  ])("%s", (_, filter, is) => expect(wanted({ ...ANY, ...filter }, ORIGIN)).toBe(is));

  test("levels are in their order, and strange ones stand for themselves", () => {
    const of = (level: string): LineOrigin => [1, "", level, "", "", -1];
    LEVELS.forEach((least, at) => {
      const fits = LEVELS.map((level) => wanted({ ...ANY, level: least }, of(level)));
      expect(fits).toEqual(LEVELS.map((_, other) => other >= at));
    });
    expect(wanted({ ...ANY, level: "TRACE" }, of("TRACE"))).toBe(true);
    expect(wanted({ ...ANY, level: "INFO" }, of("TRACE"))).toBe(false);
  });

  test("a text is looked for as it stands, a pattern as one", () => {
    const special = "a.b*c[d](e)^$|\\{f}+?";
    expect(pattern({ text: special, regex: false })?.test(`>${special.toUpperCase()}<`)).toBe(true);
    expect(pattern({ text: "a.c", regex: false })?.test("abc")).toBe(false);
    expect(pattern({ text: "a.c", regex: true })?.test("ABC")).toBe(true);
    expect(pattern({ text: "", regex: true })).toBeNull();
    expect(() => pattern({ text: "(", regex: true })).toThrow();
  });

  test("finds what looking at every line finds", () => {
    const next = numbers(5);
    for (let turn = 0; turn < 200; turn++) {
      const lines: Written[] = many(1 + next(20), () => ({
        text: many(next(6), () => ["a", "B", "\x1b[31m", "ü"][next(4)]).join(""),
        origin: [next(3), "", LEVELS[next(5)] ?? "", "", ["f", "g"][next(2)] ?? "", -1],
      }));
      const made = block(0, lines);
      const filter: Filter = {
        ...ANY,
        level: ["", "ERROR"][next(2)] ?? "",
        pid: next(2) ? next(3) : null,
      };
      const sought = pattern({ text: "ab", regex: false }) as RegExp;
      const all = many(lines.length, (at) => at);
      const from = all.filter((at) => wanted(filter, lines[at]?.origin ?? ORIGIN));
      const places = chosen(made, filter);
      expect([...(places ?? all)]).toEqual(from);
      expect([...matching(made, places, sought)]).toEqual(
        from.filter((at) => /ab/i.test(withoutColours(lines[at]?.text ?? ""))),
      );
    }
  });
});

test("rows are the chosen places of blocks, and can be found by their lines", () => {
  const next = numbers(6);
  for (let turn = 0; turn < 200; turn++) {
    let start = next(5);
    const blocks = many(1 + next(4), () => {
      const made = block(
        start,
        many(1 + next(5), () => ({ text: "" })),
      );
      start = made.end + next(3);
      return made;
    });
    const places = blocks.map((each): Places => {
      const kept = many(each.count, (at) => at).filter(() => next(2));
      return next(2) ? null : Uint16Array.from(kept);
    });
    const rows = new Rows(blocks, places);
    const lines = blocks.flatMap((each, i) =>
      [...(places[i] ?? many(each.count, (at) => at))].map((at) => each.start + at),
    );
    expect(rows.count).toBe(lines.length);
    expect(many(rows.count, (at) => rows.line(at))).toEqual(lines);
    expect(rows.row(rows.count)).toBeUndefined();
    expect(rows.row(-1)).toBeUndefined();
    expect(rows.line(rows.count)).toBe(blocks[blocks.length - 1]?.end);
    for (let line = 0; line < start + 2; line++) {
      const first = lines.findIndex((each) => each >= line);
      expect(rows.find(line)).toBe(first < 0 ? lines.length : first);
    }
  }
});

describe("calls that failed", () => {
  const failure = (id: string, more: Partial<FailureData> = {}): FailureData => ({
    id,
    time: 100,
    pid: 7,
    query: "3",
    task: 11,
    function: "score",
    bundle: 2,
    row: 4,
    headline: "",
    message: "",
    position: "",
    outcome: "fail",
    code: [],
    arguments: [],
    frames: [],
    more_frames: 0,
    replay: false,
    ...more,
  });
  const line = (more: Partial<Line> = {}): Line => ({
    ...block(0, [{ text: "", row: 4, bundle: 2, time: 100 }]).line(0),
    ...more,
  });

  test("belong to the lines of the same call", () => {
    const failures = new Failures([failure("a")]);
    expect(failures.of(line())?.id).toBe("a");
    for (const other of [{ row: 5 }, { bundle: 3 }, { task: 12 }, { pid: 8 }, { row: -1 }]) {
      expect(failures.of(line(other))).toBeUndefined();
    }
    // Of an earlier call with the same numbers.
    expect(failures.of(line({ time: 101 }))).toBeUndefined();
  });

  test("of one call the first that ended after the line", () => {
    const failures = new Failures([failure("a", { time: 90 }), failure("b")]);
    expect(failures.of(line({ time: 80 }))?.id).toBe("a");
    expect(failures.of(line({ time: 95 }))?.id).toBe("b");
  });

  test("are taken once, and the latest are kept", () => {
    const one = new Failures([failure("a")]);
    expect(one.with([failure("a"), failure("b")]).all.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(one.all).toHaveLength(1);
    const most = new Failures(many(300, (at) => failure(String(at))));
    expect(most.all).toHaveLength(200);
    expect(most.all[199]?.id).toBe("299");
  });
});

test("a line as text", () => {
  const time = new Date(2026, 0, 2, 9, 5, 1).getTime() / 1000;
  expect(clock(time)).toBe("09:05:01");
  expect(clock(time + 0.9)).toBe("09:05:01");
  expect(clock(time + 1)).toBe("09:05:02");
  const made = block(0, [
    { text: "\x1b[31mred\x1b[0m", row: 17, time },
    { text: "x", origin: [8, "", "ERROR", "logging", "", -1], time },
  ]);
  expect(lineText(made.line(0))).toBe("09:05:01 INFO    7 score row 17: red");
  expect(lineText(made.line(1))).toBe("09:05:01 ERROR   8 worker: x");
  expect(place({ ...made.line(0), row: -1 })).toBe("score");
});
