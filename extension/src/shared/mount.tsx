// What every widget's script has in common: Preact under an anywidget model.

import { type Signal, signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import type { Commands, NoCommands } from "./commands.ts";
import type { Reply, Request } from "./messages.ts";
import theme from "./theme.css";

type Listener = (content: unknown, buffers: DataView[]) => void;

/** The part of an anywidget model that is used here. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: Listener): void;
  off(event: string, callback: Listener): void;
  send(content: unknown): void;
}

/**
 * What a component sees of the kernel. `T` is what the panel's `read` returns there, `C` what it
 * answers, `M` what it sends beside its data.
 */
export interface Kernel<T, C extends Commands<C> = NoCommands, M = never> {
  /** What is to be shown, as it was sent last. */
  readonly data: Signal<T>;
  /** Whether an answer of the kernel is awaited. A cell that runs delays it until it ends. */
  readonly waiting: Signal<boolean>;
  /** What the kernel said no to last; "" once something else was asked. */
  readonly refusal: Signal<string>;
  /** Calls one of the panel's commands; undefined if it was refused, which `refusal` says. */
  ask<K extends keyof C & string>(command: K, words: C[K][0]): Promise<C[K][1] | undefined>;
  /** Listens to what the panel sends beside its data. */
  listen(callback: (content: M, buffers: DataView[]) => void): void;
  /** The script of this widget, for pages that stand alone. */
  script(): string;
}

interface View {
  model: Model;
  el: HTMLElement;
}

let asked = 0;

const isReply = (content: unknown): content is Reply =>
  (content as Partial<Reply>).id !== undefined;

/** The module an anywidget loads: `component` shows what the kernel sends, `css` is its own. */
export function widget<T, C extends Commands<C>, M>(
  component: ComponentType<{ kernel: Kernel<T, C, M> }>,
  css: string,
) {
  return {
    render({ model, el }: View): () => void {
      const endings: (() => void)[] = [];
      const on = (event: string, callback: Listener) => {
        model.on(event, callback);
        endings.push(() => model.off(event, callback));
      };
      const data = signal(model.get("data") as T);
      on("change:data", () => {
        data.value = model.get("data") as T;
      });

      const open = new Map<unknown, (reply: Reply) => void>();
      const waiting = signal(false);
      const refusal = signal("");
      on("msg:custom", (content) => {
        if (!isReply(content)) return;
        open.get(content.id)?.(content);
        open.delete(content.id);
        waiting.value = open.size > 0;
      });
      const kernel: Kernel<T, C, M> = {
        data,
        waiting,
        refusal,
        ask<K extends keyof C & string>(command: K, words: C[K][0]) {
          const id = ++asked;
          refusal.value = "";
          waiting.value = true;
          return new Promise<C[K][1] | undefined>((resolve) => {
            open.set(id, ({ result, error }) => {
              if (error !== undefined) refusal.value = error;
              resolve(error === undefined ? (result as C[K][1]) : undefined);
            });
            const request: Request = { id, command, arguments: { ...(words as object) } };
            model.send(request);
          });
        },
        listen(callback) {
          on("msg:custom", (content, buffers) => {
            if (!isReply(content)) callback(content as M, buffers);
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
        for (const end of endings) end();
      };
    },
  };
}
