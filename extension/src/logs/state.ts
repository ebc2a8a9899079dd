// What the reader of a log wants to see, and the lines that are it.

import { batch, computed, effect, signal } from "@preact/signals";
import type { FailuresMessage, LinesMessage, LogCommands, LogData } from "../shared/messages.ts";
import type { Kernel } from "../shared/mount.tsx";
import { Block, inflate, type Line } from "./block.ts";
import { Book } from "./book.ts";
import { Failures } from "./failures.ts";
import { chosen, type Filter, matching, pattern } from "./filter.ts";
import { type Places, Rows } from "./rows.ts";

/** The lines come beside what is kept in sync. */
export type LogKernel = Kernel<LogData, LogCommands, LinesMessage | FailuresMessage>;

interface Hits {
  chosen: Places;
  matches: Places;
}

const NOTHING = new Uint16Array(0);
// Longer, and a reader who scrolls meanwhile would see it.
const SLICE_MS = 8;

export class Log {
  readonly filter = signal<Filter>({ level: "", name: "", query: "", pid: null });
  readonly text = signal("");
  readonly regex = signal(false);
  readonly onlyMatches = signal(true);
  readonly wrap = signal(false);
  readonly following = signal(true);
  /** The number of the line that was chosen. */
  readonly current = signal<number | null>(null);
  readonly pane = signal<"" | "line" | "failures">("");
  readonly failures = signal(new Failures());
  readonly scanned = signal(1);
  /** What was done last: so many lines saved. */
  readonly said = signal("");
  readonly rows = signal(new Rows([], []));
  readonly matches = signal(new Rows([], []));
  readonly names = signal<string[]>([]);
  readonly queries = signal<string[]>([]);
  readonly pids = signal<number[]>([]);
  readonly levels = signal<string[]>([]);
  readonly book = new Book();

  /** What is looked for; null for nothing, a text if the pattern is none. */
  readonly sought = computed<RegExp | null | string>(() => {
    try {
      return pattern({ text: this.text.value, regex: this.regex.value });
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  });
  /** The pattern, if there is one. */
  readonly pattern = computed(() =>
    this.sought.value instanceof RegExp ? this.sought.value : null,
  );

  private hits = new Map<Block, Hits>();
  private arriving: Promise<void> = Promise.resolve();
  private awaited = false;

  constructor(private readonly kernel: LogKernel) {
    const { level, function: name, query, pid, text } = kernel.data.peek().choice;
    this.filter.value = { level: level ?? "", name: name ?? "", query: query ?? "", pid };
    this.text.value = text ?? "";
  }

  /** Whether tests of failed calls can be written. */
  get captures(): boolean {
    return this.kernel.data.value.captures;
  }

  /** Writes a test of a function's failed calls; what it was, or undefined if it was refused. */
  capture(name: string): Promise<string | undefined> {
    return this.kernel.ask("capture", { function: name, failed: true });
  }

  /** Begins to listen; returns what ends it. */
  start(): () => void {
    this.kernel.listen((content, buffers) => {
      if (content.kind === "failures") {
        this.failures.value = this.failures.value.with(content.failures);
      } else if (buffers[0]) {
        const data = buffers[0];
        // One after the other: a piece must not come after the block that replaces it.
        this.arriving = this.arriving
          .then(async () => this.take(new Block(content, await inflate(data))))
          .catch((error: unknown) =>
            console.error("a block of log lines could not be read", error),
          );
      }
    });
    void this.kernel.ask("resend", {});
    return effect(() => {
      // Whatever changes what is wanted.
      void [this.filter.value, this.sought.value];
      this.hits = new Map();
      this.schedule();
    });
  }

  /** Chooses the next line that matches, or the one before. */
  step(by: 1 | -1): void {
    const matches = this.matches.peek();
    if (!matches.count) return;
    const here = this.current.peek();
    const at =
      here === null
        ? by > 0
          ? 0
          : matches.count - 1
        : by > 0
          ? matches.find(here + 1)
          : matches.find(here) - 1;
    this.choose(matches.line((at + matches.count) % matches.count));
  }

  /** Chooses a line, and stops following so that it stays in view. */
  choose(number: number | null): void {
    batch(() => {
      this.current.value = number;
      if (number !== null) this.following.value = false;
    });
  }

  /** The line that was chosen, if this page holds it. */
  line(): Line | undefined {
    const number = this.current.value;
    void this.rows.value;
    const block = this.book.blocks.find(
      (each) => number !== null && each.start <= number && number < each.end,
    );
    return block && number !== null ? block.line(number - block.start) : undefined;
  }

  private take(block: Block): void {
    this.book.forget(this.kernel.data.peek().first);
    if (this.book.add(block)) {
      this.meet(block);
      this.schedule();
    }
  }

  /** Adds what is new to what can be chosen from. */
  private meet(block: Block): void {
    const add = <T>(known: { value: T[] }, values: T[]) => {
      const all = new Set([...known.value, ...values]);
      if (all.size > known.value.length) known.value = [...all].slice(0, MOST_CHOICES);
    };
    batch(() => {
      add(
        this.pids,
        block.origins.map((each) => each[0]),
      );
      add(this.queries, block.origins.map((each) => each[1]).filter(Boolean));
      add(
        this.levels,
        block.origins.map((each) => each[2]),
      );
      add(this.names, block.origins.map((each) => each[4]).filter(Boolean));
    });
  }

  private schedule(): void {
    if (this.awaited) return;
    this.awaited = true;
    idle(() => {
      this.awaited = false;
      this.scan();
    });
  }

  /** Looks through blocks that were not looked through yet, the newest first, for a short while. */
  private scan(): void {
    const until = performance.now() + SLICE_MS;
    const { blocks } = this.book;
    const filter = this.filter.peek();
    const sought = this.pattern.peek();
    let at = blocks.length - 1;
    for (; at >= 0 && performance.now() < until; at--) {
      const block = blocks[at] as Block;
      if (this.hits.has(block)) continue;
      const places = chosen(block, filter);
      this.hits.set(block, {
        chosen: places,
        matches: sought ? matching(block, places, sought) : NOTHING,
      });
    }
    if (at >= 0) this.schedule();
    this.publish(at < 0);
  }

  private publish(complete: boolean): void {
    const blocks = [...this.book.blocks];
    const only = this.onlyMatches.peek() && this.pattern.peek() !== null;
    const hits = blocks.map((block) => this.hits.get(block));
    if (complete) this.hits = new Map(blocks.map((block, i) => [block, hits[i] as Hits]));
    batch(() => {
      this.scanned.value = complete ? 1 : hits.filter(Boolean).length / hits.length;
      this.matches.value = new Rows(
        blocks,
        hits.map((each) => each?.matches ?? NOTHING),
      );
      this.rows.value = only
        ? this.matches.value
        : new Rows(
            blocks,
            hits.map((each) => (each ? each.chosen : NOTHING)),
          );
    });
  }

  /** Shows all lines, or those that match. */
  show(only: boolean): void {
    this.onlyMatches.value = only;
    this.schedule();
  }
}

const MOST_CHOICES = 500;

function idle(work: () => void): void {
  // Safari has none.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(work, { timeout: 100 });
  else setTimeout(work, 0);
}
