// The plan as a file of its own: the graph as a picture, or all of it as a page.

import type { PlanData } from "../shared/messages.ts";
import type { Kernel } from "../shared/mount.tsx";

/** The graph as it is laid out, whole, with the colours it has on the page. */
export function svgText(graph: SVGSVGElement): string {
  const copy = graph.cloneNode(true) as SVGSVGElement;
  const { width = "0", height = "0" } = graph.dataset;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.querySelector("g")?.removeAttribute("transform");
  const from = [...graph.querySelectorAll<SVGElement>("rect, path, text, tspan")];
  const to = [...copy.querySelectorAll<SVGElement>("rect, path, text, tspan")];
  from.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of [
      "fill",
      "stroke",
      "stroke-width",
      "stroke-dasharray",
      "font",
      "text-anchor",
    ]) {
      const value = style.getPropertyValue(name);
      if (value) to[at]?.style.setProperty(name, value);
    }
  });
  return new XMLSerializer().serializeToString(copy);
}

/** The page that stands alone: this very script, and the plan as it is now. */
export function wholePage(kernel: Kernel<PlanData>): string {
  const sent = kernel.data.value;
  // Inside a script element only "</" and "<!--" mean something; JSON has a way to write both.
  const data = JSON.stringify(sent).replaceAll("<", "\\u003c");
  const script = kernel.script().replaceAll("</script", "<\\/script");
  const filled: Record<string, string> = { script, data };
  return sent.page.replace(/%\((\w+)\)s/g, (whole, name: string) => filled[name] ?? whole);
}
