// What every widget's script has in common: Preact under an anywidget model.

import { type Signal, signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import theme from "./theme.css";

/** The part of an anywidget model that is used here. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: (...words: any[]) => void): void;
  off(event: string, callback: (...words: any[]) => void): void;
  send(content: unknown): void;
}

/** What a component sees of the kernel. `T` is what the panel's `read` returns there. */
export interface Kernel<T> {
  /** What is to be shown, as it was sent last. */
  readonly data: Signal<T>;
  /** Whether an answer of the kernel is awaited. A cell that runs delays it until it ends. */
  readonly waiting: Signal<boolean>;
  /** What the kernel said no to last; "" once something else was asked. */
  readonly refusal: Signal<string>;
  /** Calls one of the panel's commands; undefined if it was refused, which `refusal` says. */
  ask<R>(command: string, words?: Record<string, unknown>): Promise<R | undefined>;
  /** Listens to what the panel sends beside its data. */
  listen(callback: (content: any, buffers: DataView[]) => void): void;
  /** The script of this widget, for pages that stand alone. */
  script(): string;
}

interface View {
  model: Model;
  el: HTMLElement;
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: string;
}

let asked = 0;

/** The module an anywidget loads: `component` shows what the kernel sends, `css` is its own. */
export function widget<T>(component: ComponentType<{ kernel: Kernel<T> }>, css: string) {
  return {
    render({ model, el }: View): () => void {
      const endings: (() => void)[] = [];
      const on = (event: string, callback: (...words: any[]) => void) => {
        model.on(event, callback);
        endings.push(() => model.off(event, callback));
      };
      const data = signal(model.get("data") as T);
      on("change:data", () => (data.value = model.get("data") as T));

      const open = new Map<number, (answer: Answer) => void>();
      const waiting = signal(false);
      const refusal = signal("");
      on("msg:custom", (answer: Answer) => {
        if (answer.id === undefined) return;
        open.get(answer.id)?.(answer);
        open.delete(answer.id);
        waiting.value = open.size > 0;
      });
      const kernel: Kernel<T> = {
        data,
        waiting,
        refusal,
        ask<R>(command: string, words: Record<string, unknown> = {}) {
          const id = ++asked;
          refusal.value = "";
          waiting.value = true;
          return new Promise<R | undefined>((resolve) => {
            open.set(id, ({ result, error }) => {
              if (error !== undefined) refusal.value = error;
              resolve(error === undefined ? (result as R) : undefined);
            });
            model.send({ id, command, arguments: words });
          });
        },
        listen(callback) {
          on("msg:custom", (content: Answer, buffers: DataView[]) => {
            if (content.id === undefined) callback(content, buffers);
          });
        },
        script: () => String(model.get("_esm")),
      };
      const style = document.createElement("style");
      style.textContent = theme + css;
      const root = document.createElement("div");
      root.className = "nu-panel";
      el.replaceChildren(style, root);
      const Component = component;
      render(<Component kernel={kernel} />, root);
      return () => {
        render(null, root);
        endings.forEach((end) => end());
      };
    },
  };
}
