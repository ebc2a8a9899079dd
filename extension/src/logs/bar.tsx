// What the reader can choose, and how much that leaves.

import { useEffect, useRef, useState } from "preact/hooks";
import { cut, whole } from "../shared/format.ts";
import { copyLines, saveLines } from "./export.ts";
import { LEVELS } from "./filter.ts";
import type { Log } from "./state.ts";

export function Bar({ log }: { log: Log }) {
  const { filter, names, pids, queries } = log;
  const change = (part: Partial<typeof filter.value>) =>
    (filter.value = { ...filter.value, ...part });
  const levels = [...LEVELS, ...log.levels.value.filter((each) => !LEVELS.includes(each))];
  return (
    <div class="nu-bar" role="toolbar" aria-label="Log">
      <Choice
        label="Level"
        value={filter.value.level}
        of={levels}
        any="every level"
        on={(level) => change({ level })}
      />
      <Choice
        label="Function"
        value={filter.value.name}
        of={names.value}
        any="every function"
        on={(name) => change({ name })}
      />
      <Choice
        label="Worker"
        value={String(filter.value.pid ?? "")}
        of={pids.value.map(String)}
        any="every worker"
        on={(pid) => change({ pid: pid ? Number(pid) : null })}
      />
      <Choice
        label="Query"
        value={filter.value.query}
        of={queries.value}
        any="every query"
        on={(query) => change({ query })}
      />
      <Search log={log} />
      <span class="nu-buttons">
        <Toggle text="Wrap" pressed={log.wrap.value} on={(on) => (log.wrap.value = on)} />
        <Toggle
          text="Follow"
          pressed={log.following.value}
          on={(on) => (log.following.value = on)}
        />
        <button type="button" onClick={() => void copyLines(log)}>
          Copy
        </button>
        <button type="button" onClick={() => void saveLines(log)}>
          Save
        </button>
      </span>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  of: string[];
  any: string;
  on: (value: string) => void;
}

function Choice({ label, value, of, any, on }: ChoiceProps) {
  const all = of.includes(value) || !value ? of : [value, ...of];
  return (
    <select aria-label={label} value={value} onChange={(event) => on(event.currentTarget.value)}>
      <option value="">{any}</option>
      {all.map((each) => (
        <option key={each} value={each}>
          {cut(each, 40)}
        </option>
      ))}
    </select>
  );
}

function Toggle(props: {
  text: string;
  pressed: boolean;
  on: (pressed: boolean) => void;
  label?: string;
}) {
  const { text, pressed, on, label } = props;
  return (
    <button type="button" aria-pressed={pressed} aria-label={label} onClick={() => on(!pressed)}>
      {text}
    </button>
  );
}

function Search({ log }: { log: Log }) {
  const [typed, setTyped] = useState(log.text.peek());
  const waiting = useRef(0);
  const wrong = typeof log.sought.value === "string" ? log.sought.value : "";
  const { count } = log.matches.value;
  const here = log.current.value === null ? -1 : log.matches.value.find(log.current.value);
  const chosen = log.current.value !== null && log.matches.value.line(here) === log.current.value;
  useEffect(() => () => clearTimeout(waiting.current), []);
  const seek = (text: string) => {
    clearTimeout(waiting.current);
    log.text.value = text;
  };
  return (
    <span class="nu-search" role="search">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search in the lines"
        aria-invalid={wrong !== ""}
        value={typed}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(waiting.current);
          // A million lines are not looked through for every key.
          waiting.current = window.setTimeout(() => seek(text), 120);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          seek(event.currentTarget.value);
          log.step(event.shiftKey ? -1 : 1);
        }}
      />
      <Toggle
        text=".*"
        label="Regular expression"
        pressed={log.regex.value}
        on={(on) => (log.regex.value = on)}
      />
      <button
        type="button"
        aria-label="Match before"
        disabled={!count}
        onClick={() => log.step(-1)}
      >
        ↑
      </button>
      <button type="button" aria-label="Next match" disabled={!count} onClick={() => log.step(1)}>
        ↓
      </button>
      <Toggle text="Only matches" pressed={log.onlyMatches.value} on={(on) => log.show(on)} />
      <span role="status" class={wrong ? "nu-bad" : "nu-quiet"}>
        {wrong
          ? cut(wrong, 60)
          : log.pattern.value &&
            (chosen ? `${whole(here + 1)} of ` : "") +
              `${whole(count)} found` +
              (log.scanned.value < 1 ? `, ${Math.floor(100 * log.scanned.value)} % searched` : "")}
      </span>
    </span>
  );
}
