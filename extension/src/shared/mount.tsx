// What every widget's script has in common: Preact under an anywidget model.

import { signal, type Signal } from "@preact/signals";
import { render, type ComponentType } from "preact";

/** The part of an anywidget model that is used here. */
export interface Model {
  get(name: string): unknown;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** A trait as a signal, for as long as the view lives. */
export type Trait = <T>(name: string) => Signal<T>;

interface View {
  model: Model;
  el: HTMLElement;
}

/** The module an anywidget loads: `component` shows the model's traits, `css` is its own. */
export function widget(component: ComponentType<{ trait: Trait }>, css: string) {
  return {
    render({ model, el }: View): () => void {
      const endings: (() => void)[] = [];
      const trait: Trait = <T,>(name: string) => {
        const value = signal(model.get(name) as T);
        const changed = () => (value.value = model.get(name) as T);
        model.on(`change:${name}`, changed);
        endings.push(() => model.off(`change:${name}`, changed));
        return value;
      };
      const style = document.createElement("style");
      style.textContent = css;
      const root = document.createElement("div");
      el.replaceChildren(style, root);
      const Component = component;
      render(<Component trait={trait} />, root);
      return () => {
        render(null, root);
        endings.forEach((end) => end());
      };
    },
  };
}
