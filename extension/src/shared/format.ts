// Numbers for people, as the static forms write them.

const count = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A count: 1,234,567. */
export const whole = (value: number): string => count.format(value);

/** A count of things: 1 row, 2,000 rows. */
export const counted = (value: number, thing: string): string =>
  `${whole(value)} ${thing}${value === 1 ? "" : "s"}`;

/** A count in few characters: 1.2 M. */
export function short(value: number): string {
  for (const [unit, size] of [
    ["G", 1e9],
    ["M", 1e6],
    ["k", 1e3],
  ] as const) {
    if (value >= size) return `${(value / size).toFixed(value >= 10 * size ? 0 : 1)} ${unit}`;
  }
  return whole(value);
}

/** A time in seconds. */
export function seconds(value: number): string {
  if (value >= 60) return `${Math.floor(value / 60)} min ${Math.floor(value % 60)} s`;
  return value >= 1 ? `${value.toFixed(2)} s` : `${(value * 1e3).toFixed(1)} ms`;
}

/** A number of bytes. */
export function size(value: number): string {
  for (const unit of ["B", "KiB", "MiB", "GiB"]) {
    if (value < 1024) return unit === "B" ? `${whole(value)} B` : `${value.toFixed(1)} ${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(1)} TiB`;
}

/** A text cut to so many characters. */
export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, Math.max(1, most - 1))}…` : text;
