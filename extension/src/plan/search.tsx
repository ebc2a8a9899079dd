// Searching in a plan, or in two at once: Enter goes to the next operator that was found.

import type { Reading } from "./state.ts";

export function Search({ readings }: { readings: Reading[] }) {
  const count = readings.reduce((sum, reading) => sum + reading.found.value.length, 0);
  const sought = readings[0]?.sought.value ?? "";
  return (
    <span class="nu-search">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search in the plan"
        value={sought}
        onInput={({ currentTarget }) => {
          for (const reading of readings) reading.sought.value = currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            readings.find((each) => each.found.value.length)?.next(event.shiftKey ? -1 : 1);
          }
        }}
      />
      <span role="status">{sought.trim() ? `${count} found` : ""}</span>
    </span>
  );
}
