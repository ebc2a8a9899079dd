// Numbers that look random and are the same in every run.

/** Whole numbers from 0 up to, not including, what is given. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // Of 32 bits, by Numerical Recipes; the upper ones are the better ones.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A list of so many things that are made one after the other. */
export const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
