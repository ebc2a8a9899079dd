import { describe, expect, test, vi } from "vitest";
import { crc32, isUdf, kindOf, markOf, queryBelow } from "../src/lab/cells.ts";
import { Connection } from "../src/lab/connection.ts";
import { isOver, NOTHING, type Parts } from "../src/lab/data.ts";
import { extractors } from "../src/lab/extractors.ts";
import type { Front } from "../src/lab/shown.ts";
import { statusOf, summary } from "../src/lab/summary.ts";
import type { LabMessage, Reply, Request, SessionNews } from "../src/shared/messages.ts";

vi.stubGlobal("window", globalThis);

describe("a cell", () => {
  test.each([
    ["%%udf\ndef f(x): ...", true],
    ["\n  %%udf --kind table\n", true],
    ["%%udf", true],
    ["%%udfs\n", false],
    ["x = 1\n%%udf", false],
    ["%udf logs", false],
  ])("%j is one of ours: %s", (source, is) => expect(isUdf(source)).toBe(is));

  test.each([
    ["%%udf\ndef f(x):\n    return x", "scalar"],
    ["%%udf\nasync def f(x): ...", "async"],
    ["%%udf\nclass F(nu.AsyncScalarFunction):\n    async def eval(self, x): ...", "async"],
    ["%%udf\ndef f(x):\n    yield x", "table"],
    ["%%udf\nclass F(nu.TableFunction): ...", "table"],
    ["%%udf\n@nu.udtf(returns='a INT')\ndef f(x): ...", "table"],
    ["%%udf\nclass F(AggregateFunction): ...", "aggregate"],
    ["%%udf\nclass F(nu.TableAggregateFunction): ...", "aggregate"],
    ["%%udf\nclass F:\n    def accumulate(self, a, x): ...", "aggregate"],
    ["%%udf\nclass F(nu.OneInputStreamProcessFunction): ...", "process"],
    ["%%udf --kind aggregate\ndef f(x):\n    yield x", "aggregate"],
    ["%%udf --kind=table\ndef f(x): ...", "table"],
    ["%%udf\nyields = 1\ndef f(x):\n    return x", "scalar"],
  ])("%j looks like %s", (source, kind) => expect(kindOf(source)).toBe(kind));

  test("its text has the sum that zlib gives", () => {
    expect(crc32("")).toBe(0);
    expect(crc32("123456789")).toBe(0xcbf43926);
    expect(crc32("%%udf\ndef grün(x): ...")).toBe(0x1e3c16d9);
  });

  const SOURCE = "%%udf\ndef f(x): ...";
  const told = (more: object = {}, versions: [string, number][] = [["f", 1]]): Parts => {
    const functions = [{ name: "f", kind: "scalar", version: 1 }];
    const cell = { code: crc32(SOURCE), functions, error: "", ...more };
    const known = versions.map(([name, version]) => {
      return { name, kind: "scalar", version, signature: "", source: "" };
    });
    const listed = { functions: known, count: known.length };
    return { ...NOTHING, cells: { a: cell }, functions: listed };
  };

  test.each([
    ["never ran", NOTHING, SOURCE, "new", "not registered"],
    ["is registered", told(), SOURCE, "registered", "registered as f, version 1"],
    ["was edited", told(), `${SOURCE} `, "changed", "changed since f, version 1"],
    ["was replaced", told({}, [["f", 2]]), SOURCE, "replaced", "replaced since: f is at version 2"],
    ["failed", told({ error: "E: no" }), SOURCE, "failed", "failed: E: no"],
    ["failed, and was edited", told({ error: "E" }), "%%udf", "changed", "changed since it failed"],
    ["was forgotten", told({}, [["g", 1]]), SOURCE, "new", "not registered"],
    ["is of a session that ended", { ...told(), functions: null }, SOURCE, "new", "not registered"],
  ] as const)("that %s says so", (_, parts, source, state, text) => {
    expect(markOf("a", source, parts)).toMatchObject({ state, text });
  });

  test("knows its kind from the kernel once it ran", () => {
    const functions = [{ name: "f", kind: "async", version: 1 }];
    expect(markOf("a", SOURCE, told({ functions })).kind).toBe("async");
    expect(markOf("b", SOURCE, told({ functions })).kind).toBe("scalar");
  });

  test("of %%sparksql suggests its query in one line", () => {
    expect(queryBelow("%%sparksql --live\nSELECT a, -- why\n  b\nFROM t ;\n")).toBe(
      "SELECT a, b FROM t",
    );
    expect(queryBelow("%%sparksql")).toBe("");
    expect(queryBelow("SELECT 1")).toBe("");
  });
});

test("a language server is given what stands below a magic, where it stands", () => {
  const [python, sql] = extractors;
  const code = "%%udf --kind table\ndef f(x):\n    yield x";
  expect(python?.hasForeignCode(code, "code")).toBe(true);
  expect(python?.hasForeignCode(code, "markdown")).toBe(false);
  expect(sql?.hasForeignCode(code, "code")).toBe(false);
  const [found] = python?.extractForeignCode(code) ?? [];
  expect(found?.foreignCode).toBe("def f(x):\n    yield x");
  expect(found?.range).toEqual({ start: { line: 1, column: 0 }, end: { line: 2, column: 11 } });
  expect(python?.extractForeignCode("%%udfs\nx")).toEqual([]);
});

const SESSION: SessionNews = {
  spark: "4.3",
  master: "local[2]",
  notes: [],
  workers: 2,
  memory: 3 * 2 ** 20,
  rate: 1500,
};

/** A signal of Jupyter's. */
function jupyterSignal<T>() {
  const slots: ((sender: unknown, value: T) => void)[] = [];
  return {
    connect: (slot: (sender: unknown, value: T) => void, self?: unknown) =>
      void slots.push(slot.bind(self)),
    emit: (value: T) => {
      for (const slot of slots) slot(null, value);
    },
  };
}

/** A notebook whose kernel does what it is told to. */
function notebook({ known = true, kernel = true } = {}) {
  const sent: Request[] = [];
  const looking: (() => void)[] = [];
  const comm = {
    isDisposed: false,
    open: () => ({ done: Promise.resolve() }),
    send: (data: Request) => {
      sent.push(data);
      for (const look of looking) look();
    },
    dispose: () => undefined,
  };
  const comms = known ? { "notebook-udf": {} } : {};
  const requestCommInfo = async () => ({ content: { status: "ok", comms } });
  const own = {
    requestCommInfo,
    createComm: () => comm,
    info: Promise.resolve({}),
    interrupt: vi.fn(async () => undefined),
  };
  const context = {
    session: kernel ? { kernel: own } : null,
    kernelChanged: jupyterSignal<unknown>(),
    statusChanged: jupyterSignal<string>(),
    iopubMessage: jupyterSignal<unknown>(),
    connectionStatusChanged: jupyterSignal<string>(),
    disposed: jupyterSignal<unknown>(),
  };
  const connection = new Connection(context as unknown as Connection["context"]);
  const says = (data: LabMessage | Reply, session = "first") =>
    context.iopubMessage.emit({
      header: { msg_type: "comm_msg", session },
      content: { comm_id: "notebook-udf", data },
    });
  /** What was asked for, once it was. */
  const asked = (command: string): Promise<Request> =>
    new Promise((resolve) => {
      const look = () => {
        const found = sent.find((each) => each.command === command);
        if (found !== undefined) resolve(found);
      };
      looking.push(look);
      look();
    });
  return { connection, context, kernel: own, says, asked, sent };
}

describe("a connection", () => {
  test("greets a kernel that has loaded the extension, and no other", async () => {
    const { connection, asked } = notebook();
    await asked("hello");
    expect(connection.loaded.value).toBe(true);
    const without = notebook({ known: false });
    await Promise.resolve();
    expect(without.connection.hasKernel.value).toBe(true);
    expect(without.connection.loaded.value).toBe(false);
    expect(notebook({ kernel: false }).connection.hasKernel.value).toBe(false);
  });

  test("adds up news until the extension is gone", async () => {
    const { connection, says, asked } = notebook({ known: false });
    says({ news: { session: SESSION, busy: true } });
    // A kernel that loads it later tells so itself.
    await asked("hello");
    says({ news: { busy: false } });
    expect(connection.parts.value).toEqual({ ...NOTHING, session: SESSION });
    says({ gone: true });
    expect(connection.parts.value).toEqual(NOTHING);
    expect(connection.loaded.value).toBe(false);
  });

  test("gives answers to who asked", async () => {
    const { connection, says, asked } = notebook();
    const cancelled = connection.ask("cancel_query", { query: 3 });
    const ended = connection.ask("end_stream", { run: "r", how: "drain" });
    const one = await asked("cancel_query");
    const two = await asked("end_stream");
    expect(one.arguments).toEqual({ query: 3 });
    says({ id: two.id, error: "it has ended already" });
    says({ id: one.id, result: 2 });
    says({ id: "somebody else's", result: 9 });
    await expect(cancelled).resolves.toBe(2);
    await expect(ended).rejects.toThrow("it has ended already");
  });

  test("shows what was refused to a button, until another is pressed", async () => {
    const { connection, says, asked, sent } = notebook();
    const told = connection.tell("restart", { pid: 7 });
    says({ id: (await asked("restart")).id, error: "no" });
    await told;
    expect(connection.refusal.value).toBe("no");
    sent.length = 0;
    const again = connection.tell("restart", {});
    expect(connection.refusal.value).toBe("");
    says({ id: (await asked("restart")).id, result: [] });
    await again;
  });

  test("forgets all when the kernel ends, and does not hear what comes from it late", async () => {
    const { connection, context, says, asked } = notebook();
    says({ news: { session: SESSION } });
    const waiting = connection.ask("restart", {});
    await asked("restart");
    context.statusChanged.emit("restarting");
    await expect(waiting).rejects.toThrow("the kernel has ended");
    says({ news: { session: SESSION } });
    expect(connection.parts.value).toEqual(NOTHING);
    says({ news: { session: SESSION } }, "second");
    expect(connection.parts.value.session).toEqual(SESSION);
    context.disposed.emit(null);
  });

  test("cancels a query with the cell that waits for it, or else by itself", async () => {
    const { connection, kernel, says, asked, sent } = notebook();
    says({ news: { busy: true } });
    await connection.cancel(3);
    expect(kernel.interrupt).toHaveBeenCalledOnce();
    expect(sent.filter(({ command }) => command === "cancel_query")).toEqual([]);
    says({ news: { busy: false } });
    const cancelled = connection.cancel(3);
    says({ id: (await asked("cancel_query")).id, result: 1 });
    await cancelled;
    expect(kernel.interrupt).toHaveBeenCalledOnce();
  });
});

describe("the status bar", () => {
  test("says what there is in few words", () => {
    expect(summary(SESSION)).toBe("2 workers · 3.0 MiB · 1.5 k rows/s");
    expect(statusOf(null)).toBe("");
    const { connection, says } = notebook({ known: false });
    const front: Front = { name: "a.ipynb", connection };
    expect(statusOf(front)).toBe("");
    says({ news: { busy: true } });
    expect(statusOf(front)).toBe("udf: no session");
    says({ news: { session: SESSION } });
    expect(statusOf(front)).toBe(`udf: ${summary(SESSION)}`);
  });
});

test("a streaming query is over when it has ended or failed", () => {
  const stream = { run: "", name: "", id: "", message: "", batch: null, rows: null, rate: null };
  const states = ["running", "draining", "suspending", "cancelling", "ended", "failed"] as const;
  const over = states.filter((state) => isOver({ ...stream, error: "", state }));
  expect(over).toEqual(["ended", "failed"]);
});
