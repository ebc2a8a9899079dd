// What a terminal would show: colours (ECMA-48, SGR) as spans, everything else as visible text.
// Nothing in here is ever HTML.

export interface Span {
  text: string;
  /** "" or the classes of what is bold, faint and so on. */
  className: string;
  colour: string;
  back: string;
}

interface Style {
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
  colour: string;
  back: string;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const SEQUENCE = /\x1b\[([0-9;:]*)m/;
const SEQUENCES = /\x1b\[[0-9;:]*m/g;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: they were.
const PLAIN: Style = {
  bold: false,
  faint: false,
  italic: false,
  underline: false,
  inverse: false,
  colour: "",
  back: "",
};
// The terminal's sixteen, chosen to be told apart when mixed with the theme's text colour.
// biome-ignore format: two rows of eight
const BASE = [
  "#666666", "#d32f2f", "#2e7d32", "#b26a00", "#1565c0", "#8e24aa", "#00838f", "#9e9e9e",
  "#757575", "#e53935", "#43a047", "#f9a825", "#1e88e5", "#ab47bc", "#00acc1", "#bdbdbd",
];

export const withoutColours = (text: string): string => text.replace(SEQUENCES, "");

/** Control characters by their pictures; what reorders text, by the sign of what is unknown. */
export function visible(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      .replace(/[\x00-\x08\x0a-\x1f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
      .replace(/\x7f/g, "\u2421")
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, "\ufffd")
  );
}

/** The parts of a text that look alike. */
export function spans(text: string): Span[] {
  if (!text.includes("\x1b")) return [{ text: visible(text), className: "", colour: "", back: "" }];
  const found: Span[] = [];
  let style = PLAIN;
  // Split by a pattern with one group: texts and the groups between them take turns.
  text.split(SEQUENCE).forEach((part, at) => {
    if (at % 2) style = changed(style, part);
    else if (part) found.push(span(visible(part), style));
  });
  return found;
}

function span(text: string, style: Style): Span {
  const names = (["bold", "faint", "italic", "underline"] as const).filter((name) => style[name]);
  const { colour, back } = style;
  const shown = style.inverse
    ? { colour: back || "var(--nu-back)", back: colour || "var(--nu-text)" }
    : { colour, back };
  return { text, className: names.map((name) => `nu-${name}`).join(" "), ...shown };
}

function changed(style: Style, codes: string): Style {
  let next = { ...style };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] as number;
    if (code === 0) next = { ...PLAIN };
    else if (code === 1) next.bold = true;
    else if (code === 2) next.faint = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next.bold = next.faint = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code >= 30 && code <= 37) next.colour = palette(code - 30);
    else if (code >= 90 && code <= 97) next.colour = palette(code - 82);
    else if (code >= 40 && code <= 47) next.back = palette(code - 40, 30);
    else if (code >= 100 && code <= 107) next.back = palette(code - 92, 30);
    else if (code === 39) next.colour = "";
    else if (code === 49) next.back = "";
    else if (code === 38 || code === 48) {
      const [colour, taken] = extended(numbers.slice(at + 1), code === 38 ? 65 : 30);
      if (code === 38) next.colour = colour;
      else next.back = colour;
      at += taken;
    }
  }
  return next;
}

/** One of 256 colours, or three numbers; and how many codes that took. */
function extended([kind, ...rest]: number[], share: number): [string, number] {
  if (kind === 5) return [palette(rest[0] ?? 0, share), 2];
  if (kind === 2) return [mixed(rest.slice(0, 3), share), 4];
  return ["", 1];
}

function palette(index: number, share = 65): string {
  if (index < 16) return mix(BASE[index] ?? "", share);
  if (index >= 232) return mixed(Array(3).fill(8 + 10 * (index - 232)), share);
  const level = (step: number) => (step ? 55 + 40 * step : 0);
  const at = index - 16;
  return mixed([level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)], share);
}

function mixed(parts: number[], share: number): string {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Math.min(255, Math.max(0, part || 0)));
  return mix(`rgb(${red} ${green} ${blue})`, share);
}

// Mixed with what the theme writes in, so that it can be read on light and on dark.
const mix = (colour: string, share: number): string =>
  colour &&
  `color-mix(in srgb, ${colour} ${share}%, var(${share > 50 ? "--nu-text" : "--nu-back"}))`;

/** A span, and whether it is a part of what was looked for. */
export interface Marked extends Span {
  hit: boolean;
}

/** The same spans, cut where matches begin and end. */
export function marked(parts: Span[], sought: RegExp | null): Marked[] {
  if (!sought) return parts.map((part) => ({ ...part, hit: false }));
  const whole = parts.map((part) => part.text).join("");
  const all = new RegExp(sought.source, "gi");
  const borders = [...whole.matchAll(all)]
    .slice(0, 200)
    .flatMap((m) => [m.index, m.index + m[0].length]);
  const found: Marked[] = [];
  let from = 0;
  for (const part of parts) {
    const inside = borders.filter((border) => border > from && border < from + part.text.length);
    let last = from;
    for (const border of [...inside, from + part.text.length]) {
      const text = whole.slice(last, border);
      // An odd number of borders up to here: a match has begun and not ended.
      const hit = borders.filter((each) => each <= last).length % 2 === 1;
      if (text) found.push({ ...part, text, hit });
      last = border;
    }
    from += part.text.length;
  }
  return found;
}
