// What a plan was made of: the query as written, what was handed to Spark, Spark's logical plans.

import type { PlanOrigin } from "../shared/messages.ts";

export function Written({ origin }: { origin: PlanOrigin }) {
  const named = new Map(
    origin.steps.filter(([name]) => name).map(([name], at) => [name, `rows ${at + 1}`]),
  );
  const readable = (text: string) =>
    [...named].reduce((all, [name, shown]) => all.replaceAll(name, `«${shown}»`), text);
  return (
    <div class="nu-text-pane" role="region" aria-label="SQL" tabIndex={0}>
      {origin.query && <Text title="As it was written" text={origin.query} />}
      {origin.steps.map(([name, text]) => (
        <Text
          key={name}
          title={name ? `Handed to Spark: ${named.get(name)}` : "Handed to Spark"}
          text={readable(text)}
        />
      ))}
      {!origin.steps.length && <p class="nu-quiet">Spark got it as it stands.</p>}
    </div>
  );
}

export function LogicalPlan({ origin }: { origin: PlanOrigin }) {
  return (
    <div class="nu-text-pane" role="region" aria-label="Logical plan" tabIndex={0}>
      <Text title="Optimised" text={origin.optimized} />
      <Text title="As analysed" text={origin.analyzed} />
    </div>
  );
}

const Text = ({ title, text }: { title: string; text: string }) => (
  <section>
    <h3>{title}</h3>
    <pre class="nu-code">{text}</pre>
  </section>
);
