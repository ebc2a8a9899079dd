import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { rest, shares, telling } from "../src/live/run.ts";
import { share, task } from "../src/pool/pool.ts";
import type {
  HistoryData,
  LivingWorker,
  Progress,
  StageProgress,
  StateCommands,
  StateData,
} from "../src/shared/messages.ts";
import type { Kernel } from "../src/shared/mount.tsx";
import { markOf, range, request, type SentPage, type Wish } from "../src/state/data.ts";
import { Reading } from "../src/state/reading.ts";
import { many, numbers } from "./random.ts";

const stage = (number: number, more: Partial<StageProgress> = {}): StageProgress => {
  const counts = { tasks: 4, done: 0, running: 0, failed: 0, seconds: 0, spilled: 0 };
  return { number, name: "", state: "done", ...counts, rest: null, skew: null, ...more };
};
const progress = (stages: StageProgress[], earlier = 0): Progress => {
  const counts = { tasks: 0, done: 0, jobs: 0, active: true, seconds: 0, spilled: 0, failed: 0 };
  return { stages, earlier, ...counts };
};

describe("a run", () => {
  test("splits its time into shares of one", () => {
    expect(shares({ user: 1, transfer: 1, waiting: 2 })).toEqual({
      user: 0.25,
      transfer: 0.25,
      waiting: 0.5,
    });
    expect(shares({ user: 0, transfer: 0, waiting: 0 })).toEqual({
      user: 0,
      transfer: 0,
      waiting: 0,
    });
  });

  test("tells of the stages that matter, in Spark's order", () => {
    const states = ["skipped", "running", "done", "waiting", "failed", "done"] as const;
    const stages = states.map((state, number) => stage(number, { state }));
    const told = (most: number) => telling(progress(stages, 3), most);
    expect(told(1).stages.map(({ number }) => number)).toEqual([1]);
    expect(told(2).stages.map(({ number }) => number)).toEqual([1, 4]);
    // Of those that are done, the latest.
    expect(told(3).stages.map(({ number }) => number)).toEqual([1, 4, 5]);
    expect(told(5).stages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  test("tells of so many stages, and counts the others", () => {
    const next = numbers(9);
    const states = ["running", "done", "waiting", "failed", "skipped", "ended"] as const;
    for (let turn = 0; turn < 200; turn++) {
      const all = many(next(10), (number) => stage(number, { state: states[next(6)] ?? "done" }));
      const earlier = next(5);
      const { stages, others } = telling(progress(all, earlier), 4);
      expect(stages).toHaveLength(Math.min(4, all.length));
      expect(others + stages.length).toBe(earlier + all.length);
      expect(all.filter((each) => stages.includes(each))).toEqual(stages);
      const running = all.filter(({ state }) => state === "running");
      if (running.length <= 4) expect(stages).toEqual(expect.arrayContaining(running));
    }
  });

  test("says how long it will take only where one stage runs", () => {
    const one = stage(1, { state: "running", rest: 12 });
    expect(rest(progress([stage(0), one]))).toBe(12);
    expect(rest(progress([one, stage(2, { state: "running", rest: 3 })]))).toBeNull();
    expect(rest(progress([stage(1, { state: "running" })]))).toBeNull();
    expect(rest(progress([]))).toBeNull();
  });
});

describe("a worker", () => {
  const worker = (more: Partial<LivingWorker> = {}): LivingWorker => {
    const counts = { bundle: 0, bundles_done: 0, rows_done: 0, failures: 0, row: -1, seen: 0 };
    const sizes = { memory: 50, peak_memory: 80, memory_limit: 0, started: 0, cpu: 0, cpu_now: 0 };
    const texts = { state: "idle", function: "", error: "", query: "", partition: -1 };
    return { pid: 1, ...counts, ...sizes, ...texts, ...more };
  };

  test("takes a part of its limit, or of the largest worker's most", () => {
    expect(share(worker({ memory_limit: 100 }), [])).toBe(0.5);
    expect(share(worker({ memory_limit: 10 }), [])).toBe(1);
    expect(share(worker(), [worker(), worker({ peak_memory: 200 })])).toBe(0.25);
    expect(share(worker({ memory: 0, peak_memory: 0 }), [worker({ peak_memory: 0 })])).toBe(0);
  });

  test("is at a partition of a query, if it is at anything", () => {
    expect(task(worker())).toBe("");
    expect(task(worker({ query: "3", partition: 0 }))).toBe("query 3, partition 0");
    expect(task(worker({ partition: 2 }))).toBe("partition 2");
  });
});

describe("a stream's state", () => {
  const page = (more: Partial<SentPage> = {}): SentPage => ({
    columns: ["key"],
    keys: 1,
    rows: [["a"]],
    offset: 0,
    total: 1,
    batch: 5,
    ...more,
  });
  const data = (more: Partial<StateData> = {}): StateData => ({
    checkpoint: "",
    batches: [2, 5],
    operators: [],
    functions: ["f"],
    keys: [],
    latest: { name: "f", ...page() },
    error: "",
    ...more,
  });
  const wish = (more: Partial<Wish> = {}): Wish => {
    const none = { name: "f", batch: null, other: null, timers: false, search: "", offset: 0 };
    return { ...none, ...more };
  };

  test("what became of a key", () => {
    expect(markOf(["k", null, "1"])).toBe("added");
    expect(markOf(["k", "1", "2"])).toBe("changed");
    expect(markOf(["k", "1", null])).toBe("removed");
  });

  test("a page says where it is", () => {
    expect(range(page({ total: 0, rows: [] }))).toBe("none");
    expect(range(page({ offset: 1000, rows: [["a"], ["b"]], total: 12345 }))).toBe(
      "1,001–1,002 of 12,345",
    );
  });

  test("what is pushed is not asked for, all else is", () => {
    expect(request(wish(), data())).toBeNull();
    expect(request(wish(), data({ latest: null }))).toEqual([
      "page",
      { name: "f", batch: null, search: "", offset: 0 },
    ]);
    for (const other of [{ name: "g" }, { batch: 5 }, { search: "x" }, { offset: 50 }]) {
      expect(request(wish(other), data())?.[0]).toBe("page");
    }
    expect(request(wish({ timers: true, batch: 3 }), data())).toEqual([
      "timers",
      { batch: 3, offset: 0 },
    ]);
    // The latest batch is the second one where none was chosen.
    expect(request(wish({ other: 2 }), data())).toEqual([
      "diff",
      { name: "f", batch1: 2, batch2: 5, search: "", offset: 0 },
    ]);
  });

  /** A kernel that answers when it is told to. */
  function kernel() {
    const asked: { command: string; words: object; answer: (found: unknown) => void }[] = [];
    const made: Partial<Kernel<StateData, StateCommands>> = {
      data: signal(data()),
      ask: (command, words) =>
        new Promise((resolve) => asked.push({ command, words, answer: resolve as () => void })),
    };
    return { asked, kernel: made as Kernel<StateData, StateCommands> };
  }

  test("the answer to what is not wanted any more is not shown", async () => {
    const { asked, kernel: own } = kernel();
    const reading = new Reading(own);
    expect(reading.page.value?.rows).toEqual([["a"]]);
    reading.want({ search: "x" });
    reading.want({ search: "xy" });
    expect(asked.map(({ words }) => (words as Wish).search)).toEqual(["x", "xy"]);
    asked[1]?.answer(page({ rows: [["second"]] }));
    asked[0]?.answer(page({ rows: [["first"]] }));
    await Promise.resolve();
    expect(reading.page.value?.rows).toEqual([["second"]]);
    reading.want({ search: "" });
    expect(reading.page.value?.rows).toEqual([["a"]]);
    expect(asked).toHaveLength(2);
    reading.end();
  });

  test("pages are turned, and another wish begins at the first", () => {
    const { asked, kernel: own } = kernel();
    const reading = new Reading(own);
    reading.turn(-1);
    expect(reading.wish.value.offset).toBe(0);
    reading.turn(1);
    reading.turn(1);
    expect(reading.wish.value.offset).toBe(100);
    reading.want({ batch: 3 });
    expect(reading.wish.value.offset).toBe(0);
    reading.end();
    reading.want({ batch: 4 });
    expect(asked).toHaveLength(3);
  });

  test("what is said of the latest batch is asked anew when there is a later one", () => {
    const { asked, kernel: own } = kernel();
    const reading = new Reading(own);
    reading.want({ search: "x" });
    own.data.value = data({ error: "another one" });
    expect(asked).toHaveLength(1);
    own.data.value = data({ batches: [2, 6] });
    expect(asked).toHaveLength(2);
    reading.want({ batch: 4 });
    own.data.value = data({ batches: [2, 7] });
    expect(asked).toHaveLength(3);
    reading.end();
  });

  test("of a key's history the one that was opened last is shown", async () => {
    const { asked, kernel: own } = kernel();
    const reading = new Reading(own);
    const history = (first: number): HistoryData => ({ first, last: 9, rows: [] });
    reading.open(1, "a");
    reading.open(2, "b");
    asked[1]?.answer(history(2));
    asked[0]?.answer(history(1));
    await Promise.resolve();
    expect(reading.history.value?.first).toBe(2);
    reading.end();
  });
});
