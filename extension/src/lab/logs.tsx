import { useLayoutEffect, useRef } from "preact/hooks";
import { whole } from "../shared/format.ts";
import type { LineNews } from "../shared/messages.ts";

interface LogsProps {
  lines: LineNews[];
  count: number;
  dropped: number;
}

/** The end of the log; it stays at its end unless the reader went up. */
export function Logs({ lines, count, dropped }: LogsProps) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (count === 0) return <p class="nu-quiet">Nothing has been written yet.</p>;
  const onScroll = ({ currentTarget: at }: { currentTarget: HTMLDivElement }) => {
    follows.current = at.scrollTop + at.clientHeight >= at.scrollHeight - 4;
  };
  return (
    <>
      {count > lines.length && <p class="nu-quiet">The last {whole(lines.length)} of them.</p>}
      {dropped > 0 && <p class="nu-quiet">{whole(dropped)} lines are missing.</p>}
      <div
        class="nu-log nu-code"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="The end of the log"
      >
        {lines.map((line, at) => (
          <div key={count - lines.length + at} data-level={line.level}>
            <span class="nu-quiet">
              {new Date(line.time * 1e3).toLocaleTimeString()} {line.level} {line.pid}{" "}
              {line.function}
            </span>{" "}
            {line.text}
          </div>
        ))}
      </div>
    </>
  );
}
