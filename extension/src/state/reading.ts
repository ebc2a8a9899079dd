// What a reader has chosen to see of a state, and what the kernel answered.

import { computed, effect, type ReadonlySignal, signal, batch as together } from "@preact/signals";
import type { HistoryData, StateCommands, StateData } from "../shared/messages.ts";
import type { Kernel } from "../shared/mount.tsx";
import { request, type SentPage, type Wish } from "./data.ts";

const PAGE = 50;

export class Reading {
  readonly wish = signal<Wish>({
    name: "",
    batch: null,
    other: null,
    timers: false,
    search: "",
    offset: 0,
  });
  readonly answer = signal<SentPage | null>(null);
  readonly key = signal<{ id: number; text: string } | null>(null);
  readonly history = signal<HistoryData | null>(null);
  readonly page: ReadonlySignal<SentPage | null>;
  readonly end: () => void;
  private asked = 0;
  private last = "";

  constructor(readonly kernel: Kernel<StateData, StateCommands>) {
    const first = kernel.data.value;
    const name =
      first.latest?.name ??
      first.functions[0] ??
      Object.keys(first.operators[0]?.variables ?? {})[0] ??
      "";
    this.wish.value = { ...this.wish.value, name };
    this.page = computed(() =>
      request(this.wish.value, kernel.data.value) ? this.answer.value : kernel.data.value.latest,
    );
    this.end = effect(() => this.ask(this.wish.value, kernel.data.value));
  }

  /** Changes what is wanted, from its first page on. */
  want(change: Partial<Wish>): void {
    this.wish.value = { ...this.wish.value, offset: 0, ...change };
  }

  turn(step: 1 | -1): void {
    this.want({ offset: Math.max(0, this.wish.value.offset + step * PAGE) });
  }

  open(id: number, text: string): void {
    together(() => {
      this.key.value = { id, text };
      this.history.value = null;
    });
    void this.kernel.ask("history", { key: id }).then((found) => {
      if (this.key.value?.id === id) this.history.value = found ?? null;
    });
  }

  private ask(wish: Wish, data: StateData): void {
    const wanted = request(wish, data);
    // What is said of the latest batch is asked anew when there is a later one.
    const key = JSON.stringify([wanted, wish.batch === null ? data.batches[1] : 0]);
    if (key === this.last) return;
    this.last = key;
    const number = ++this.asked;
    if (!wanted) return;
    const [command, words] = wanted;
    void this.kernel.ask(command, words).then((found) => {
      if (number === this.asked) this.answer.value = found ?? null;
    });
  }
}
