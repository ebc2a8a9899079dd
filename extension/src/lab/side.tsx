// The side panel: the session of the notebook in front.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { counted, whole } from "../shared/format.ts";
import type { Connection } from "./connection.ts";
import { isOver, type Parts } from "./data.ts";
import { Functions } from "./functions.tsx";
import { Logs } from "./logs.tsx";
import { Queries } from "./queries.tsx";
import type { Front, Views } from "./shown.ts";
import { Streams } from "./streams.tsx";
import { summary } from "./summary.ts";
import { Workers } from "./workers.tsx";

interface SideProps {
  front: Signal<Front | null>;
  views: Views;
}

export function Side({ front, views }: SideProps) {
  const shown = front.value;
  if (shown === null) return <Empty>Open a notebook to see its functions and workers.</Empty>;
  const { connection, name } = shown;
  return (
    <>
      <header class="nu-side-head">
        <strong title={name}>{name}</strong>
      </header>
      <Body key={name} connection={connection} views={views} />
    </>
  );
}

function Body({ connection, views }: { connection: Connection; views: Views }) {
  if (!connection.hasKernel.value) return <Empty>This notebook has no kernel.</Empty>;
  if (!connection.loaded.value) {
    return (
      <Empty>
        Its kernel has not loaded notebook-udf. Run <code>%load_ext notebook_udf</code> in a cell.
      </Empty>
    );
  }
  const parts = connection.parts.value;
  if (parts.session === null) {
    return (
      <Empty>
        There is no session. Start one with <code>nu.session()</code>, or register a function.
      </Empty>
    );
  }
  const { session, functions, workers, queries, streams, logs } = parts;
  return (
    <>
      <p class="nu-side-sum">
        Spark {session.spark}, {session.master}; {summary(session)}
      </p>
      <div class="nu-side-tools" role="group" aria-label="In a tab of its own">
        <button type="button" onClick={views.plan}>
          Plan…
        </button>
        <button type="button" onClick={views.logs}>
          Logs
        </button>
        <button type="button" onClick={() => views.state()}>
          State…
        </button>
        <button type="button" onClick={views.workers}>
          Workers
        </button>
      </div>
      {/* One place, always there, so that a screen reader hears what is said in it. */}
      <div role="alert" class="nu-refusal">
        {connection.refusal.value}
      </div>
      {session.notes.length > 0 && (
        <Section title="Notes" count={whole(session.notes.length)} open={!long(session.notes)}>
          {session.notes.map((note) => (
            <p class="nu-quiet">{note}</p>
          ))}
        </Section>
      )}
      <Section title="Functions" count={whole(functions?.count ?? 0)}>
        {functions && <Functions {...functions} />}
      </Section>
      <Section title="Workers" count={whole(workers?.alive ?? 0)}>
        {workers && <Workers {...workers} connection={connection} />}
      </Section>
      <Section title="Queries" count={`${whole(running(parts))} running`}>
        {queries && <Queries queries={queries} connection={connection} />}
      </Section>
      <Section title="Streaming queries" count={`${whole(streaming(parts))} running`}>
        {streams && <Streams streams={streams} connection={connection} views={views} />}
      </Section>
      <Section title="Log" count={counted(logs?.count ?? 0, "line")}>
        {logs && <Logs {...logs} />}
      </Section>
    </>
  );
}

/** A Spark that was started elsewhere has a wall of them, above what one came to see. */
const long = (notes: string[]) => notes.length > 2;

const running = ({ queries }: Parts) =>
  (queries ?? []).filter(({ state }) => state === "running").length;

const streaming = ({ streams }: Parts) =>
  (streams ?? []).filter((stream) => !isOver(stream)).length;

const Empty = ({ children }: { children: ComponentChildren }) => (
  <p class="nu-side-empty" role="status">
    {children}
  </p>
);

interface SectionProps {
  title: string;
  count: string;
  /** Whether it is at first. */
  open?: boolean;
  children: ComponentChildren;
}

const Section = ({ title, count, open = true, children }: SectionProps) => (
  <details open={open} class="nu-section" data-section={title}>
    <summary>
      <span class="nu-section-title">{title}</span> <span class="nu-quiet">{count}</span>
    </summary>
    <div class="nu-section-body">{children}</div>
  </details>
);
