// Everything that is known of the operator that was chosen, and what was said of the whole plan.

import type { ComponentChildren } from "preact";
import { seconds, size, whole } from "../shared/format.ts";
import type { FunctionCost, FunctionUse, Metric, PlanNode } from "../shared/messages.ts";
import type { Reading } from "./state.ts";

export function Details({ reading }: { reading: Reading }) {
  const { chosen, nodes } = reading;
  const node = chosen.value === null ? undefined : nodes.value.get(chosen.value);
  if (!node) return <Overview reading={reading} />;
  return <OfOperator reading={reading} node={node} />;
}

/** Everything about one operator. */
export function OfOperator({ reading, node }: { reading: Reading; node: PlanNode }) {
  const { plan } = reading;
  const advice = reading.advised.value.has(node.id)
    ? plan.value.advice.filter((each) => each.node === node.id)
    : [];
  return (
    <>
      <button type="button" class="nu-link" onClick={() => reading.choose(null)}>
        ← the whole plan
      </button>
      <h3>
        {node.id} {node.name}
      </h3>
      <p class="nu-code">{node.detail}</p>
      {advice.map((each, at) => (
        <p key={at} class="nu-advice">
          {each.cost} {each.remedy}
        </p>
      ))}
      {node.functions.map((use, at) => (
        <Use
          key={at}
          use={use}
          cost={node.costs.find((cost) => cost.name === use.name)}
          node={node}
        />
      ))}
      <Facts node={node} />
      <Metrics metrics={node.metrics.filter((each) => each.value)} />
    </>
  );
}

function Overview({ reading }: { reading: Reading }) {
  const { advice, strategies, note } = reading.plan.value;
  return (
    <>
      {note && <p class="nu-quiet">{note}</p>}
      {advice.length > 0 && (
        <section>
          <h3>Advice</h3>
          <ul>
            {advice.map((each, at) => (
              <li key={at}>
                <button type="button" class="nu-link" onClick={() => reading.choose(each.node)}>
                  operator {each.node}
                </button>
                : {each.cost} {each.remedy}
              </li>
            ))}
          </ul>
        </section>
      )}
      {strategies.length > 0 && (
        <section>
          <h3>How the functions run</h3>
          <ul>
            {strategies.map((each, at) => (
              <li key={at}>
                <span class="nu-code">{each.call || each.function}</span>: {each.form}, because{" "}
                {each.reason}
              </li>
            ))}
          </ul>
        </section>
      )}
      {!advice.length && !strategies.length && !note && (
        <p class="nu-quiet">Choose an operator to see what it did.</p>
      )}
    </>
  );
}

function Use(props: { use: FunctionUse; cost: FunctionCost | undefined; node: PlanNode }) {
  const { use, cost, node } = props;
  const elsewhere = cost && cost.nodes[0] !== node.id;
  return (
    <section>
      <h4>{use.version ? `${use.name} v${use.version}` : use.name}</h4>
      <p>{[use.task, use.way].filter(Boolean).join("; ")}</p>
      {use.call && <p class="nu-code">{use.call}</p>}
      {use.source && (
        <details>
          <summary>code</summary>
          <pre class="nu-code" tabIndex={0}>
            {use.source}
          </pre>
        </details>
      )}
      {elsewhere && <p class="nu-quiet">counted with operator {cost.nodes[0]}</p>}
      {cost && !elsewhere && (
        <Table
          rows={[
            ["rows", `${whole(cost.rows_in)} in, ${whole(cost.rows_out)} out`],
            ["bundles", whole(cost.bundles)],
            [<Key part="user" text="own code" />, seconds(cost.user)],
            [<Key part="decode" text="decode" />, seconds(cost.decode)],
            [<Key part="encode" text="encode" />, seconds(cost.encode)],
            [<Key part="waiting" text="waiting" />, seconds(cost.waiting)],
            ...(cost.errors ? [["errors", whole(cost.errors)] as [string, string]] : []),
          ]}
        />
      )}
    </section>
  );
}

const Key = ({ part, text }: { part: string; text: string }) => (
  <>
    <span class={`nu-key nu-key-${part}`} />
    {text}
  </>
);

function Facts({ node }: { node: PlanNode }) {
  const rows: [string, string][] = Object.entries(node.facts);
  if (node.columns.length) rows.push(["columns", node.columns.join(", ")]);
  rows.push(["stage", String(node.stage)]);
  return <Table rows={rows} />;
}

function Metrics({ metrics }: { metrics: Metric[] }) {
  return <Table rows={metrics.map((each) => [each.name, shown(each)])} />;
}

function shown(each: Metric): string {
  const write = { rows: whole, bytes: size, seconds }[each.unit];
  const spread =
    each.median !== null && each.most !== null
      ? ` (a task: ${write(each.median)}, at most ${write(each.most)}${each.most_at ? `, ${each.most_at}` : ""})`
      : "";
  return write(each.value) + spread;
}

function Table({ rows }: { rows: [ComponentChildren, ComponentChildren][] }) {
  if (!rows.length) return null;
  return (
    <table>
      <tbody>
        {rows.map(([name, value], at) => (
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
