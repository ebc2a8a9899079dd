import { expect, test } from "vitest";
import { counted, cut, seconds, short, size, whole } from "../src/shared/format.ts";
import { many, numbers } from "./random.ts";

test("counts", () => {
  expect(whole(1234567)).toBe("1,234,567");
  expect(counted(1, "row")).toBe("1 row");
  expect(counted(0, "row")).toBe("0 rows");
  expect(counted(2000, "row")).toBe("2,000 rows");
});

test.each([
  [0, "0"],
  [999, "999"],
  [1000, "1.0 k"],
  [9949, "9.9 k"],
  [10_000, "10 k"],
  [1_200_000, "1.2 M"],
  [3e9, "3.0 G"],
])("%d in few characters", (value, text) => expect(short(value)).toBe(text));

test("what is short is what was meant, within a twentieth", () => {
  const units: Record<string, number> = { k: 1e3, M: 1e6, G: 1e9 };
  const next = numbers(1);
  for (const value of many(2000, () => 1 + next(10 ** (1 + next(12))))) {
    const [figures = "", unit = ""] = short(value).split(" ");
    const meant = Number(figures.replaceAll(",", "")) * (units[unit] ?? 1);
    expect(Math.abs(meant - value) / value).toBeLessThan(0.0501);
  }
});

test.each([
  [0.0004, "0.4 ms"],
  [0.25, "250.0 ms"],
  [1, "1.00 s"],
  [59.994, "59.99 s"],
  [60, "1 min 0 s"],
  [125.9, "2 min 5 s"],
])("%d seconds", (value, text) => expect(seconds(value)).toBe(text));

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1.0 KiB"],
  [1.5 * 2 ** 20, "1.5 MiB"],
  [2 ** 40, "1.0 TiB"],
  [2 ** 51, "2048.0 TiB"],
])("%d bytes", (value, text) => expect(size(value)).toBe(text));

test("a text is cut to what was asked for, and only where it is longer", () => {
  for (const length of many(30, (at) => at)) {
    const text = "x".repeat(length);
    for (const most of many(29, (at) => at + 2)) {
      const shown = cut(text, most);
      expect(shown.length).toBe(Math.min(length, most));
      expect(shown.endsWith("…")).toBe(length > most);
    }
  }
});
