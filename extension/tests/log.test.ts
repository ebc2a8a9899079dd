// What is seen of a log: lines come, are filtered and searched, one is chosen.

import { effect, signal } from "@preact/signals";
import { expect, test } from "vitest";
import { Log, type LogKernel } from "../src/logs/state.ts";
import type { FailuresMessage, LineOrigin, LinesMessage, LogData } from "../src/shared/messages.ts";
import { deflated, packed, type Written } from "./blocks.ts";

const NO_CHOICE = { query: null, function: null, level: null, pid: null, text: null };

/** A log, and what the kernel does to it. */
function opened(choice: Partial<LogData["choice"]> = {}) {
  let hear: (content: LinesMessage | FailuresMessage, buffers: DataView[]) => void = () => {};
  const asked: string[] = [];
  const kernel: Partial<LogKernel> = {
    data: signal({
      first: 0,
      end: 0,
      dropped: 0,
      captures: true,
      choice: { ...NO_CHOICE, ...choice },
    }),
    ask: async (command) => {
      asked.push(command);
      return null;
    },
    listen: (callback) => {
      hear = callback;
    },
  };
  const log = new Log(kernel as LogKernel);
  const end = log.start();
  const send = async (start: number, lines: Written[], full = true) => {
    const [message, data] = packed(start, lines, full);
    hear(message, [await deflated(data)]);
  };
  return { log, end, send, asked, hear: (message: FailuresMessage) => hear(message, []) };
}

/** Comes back once the log has looked through all it has and shows so many lines. */
const shows = (log: Log, count: number): Promise<void> =>
  new Promise((resolve) => {
    const end = effect(() => {
      if (log.rows.value.count !== count || log.scanned.value !== 1) return;
      queueMicrotask(() => end());
      resolve();
    });
  });

const texts = ({ rows: { value: rows } }: Log): string[] =>
  Array.from({ length: rows.count }, (_, at) => {
    const row = rows.row(at);
    return row ? row.block.text(row.at) : "";
  });

const from = (pid: number, level: string, name: string): LineOrigin => [
  pid,
  "3",
  level,
  "",
  name,
  1,
];
const LINES: Written[] = [
  { text: "apple", origin: from(7, "INFO", "f") },
  { text: "Banana", origin: from(8, "ERROR", "f") },
  { text: "pineapple", origin: from(8, "INFO", "g") },
];

test("what was missed is asked for, and what comes is shown", async () => {
  const { log, end, send, asked } = opened();
  expect(asked).toEqual(["resend"]);
  const both = shows(log, 4);
  await send(3, [{ text: "later" }]);
  await send(0, LINES);
  await both;
  expect(texts(log)).toEqual(["apple", "Banana", "pineapple", "later"]);
  expect(log.pids.value).toEqual([7, 8]);
  expect(log.names.value).toEqual(["score", "f", "g"]);
  end();
});

test("a filter and a search leave what fits both", async () => {
  const { log, end, send } = opened();
  const all = shows(log, 3);
  await send(0, LINES);
  await all;
  const apples = shows(log, 2);
  log.text.value = "APPLE";
  await apples;
  expect(texts(log)).toEqual(["apple", "pineapple"]);
  const one = shows(log, 1);
  log.filter.value = { ...log.filter.value, pid: 8 };
  await one;
  expect(texts(log)).toEqual(["pineapple"]);
  // With the others in between, what matches can still be gone through.
  const around = shows(log, 2);
  log.show(false);
  await around;
  expect(texts(log)).toEqual(["Banana", "pineapple"]);
  expect(log.matches.value.count).toBe(1);
  end();
});

test("what was chosen in the kernel is what is wanted first", async () => {
  const { log, end, send } = opened({ level: "ERROR", function: "f" });
  const one = shows(log, 1);
  await send(0, LINES);
  await one;
  expect(texts(log)).toEqual(["Banana"]);
  end();
});

test("a pattern that is none is said, and nothing is hidden by it", async () => {
  const { log, end, send } = opened();
  log.regex.value = true;
  log.text.value = "(";
  const all = shows(log, 3);
  await send(0, LINES);
  await all;
  expect(log.sought.value).toMatch(/unterminated group/i);
  expect(log.pattern.value).toBeNull();
  end();
});

test("going from match to match goes round, and ends following", async () => {
  const { log, end, send } = opened({ text: "apple" });
  const two = shows(log, 2);
  await send(10, LINES);
  await two;
  expect(log.following.value).toBe(true);
  const seen = ([1, 1, 1, -1, -1] as const).map((by) => {
    log.step(by);
    return log.current.value;
  });
  expect(seen).toEqual([10, 12, 10, 12, 10]);
  expect(log.following.value).toBe(false);
  expect(log.line()?.text).toBe("apple");
  log.choose(99);
  expect(log.line()).toBeUndefined();
  end();
});

test("failures add up", () => {
  const { log, end, hear } = opened();
  const failure = { id: "a", pid: 1, task: 1, bundle: 1, row: 1 };
  for (const id of ["a", "b", "a"]) {
    const failures = [{ ...failure, id }] as FailuresMessage["failures"];
    hear({ kind: "failures", failures });
  }
  expect(log.failures.value.all.map(({ id }) => id)).toEqual(["a", "b"]);
  end();
});
