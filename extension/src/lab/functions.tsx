import { whole } from "../shared/format.ts";
import type { FunctionNews } from "../shared/messages.ts";

/** The functions of a session, each with its source behind it. */
export function Functions({ functions, count }: { functions: FunctionNews[]; count: number }) {
  if (count === 0) return <p class="nu-quiet">None is registered yet.</p>;
  return (
    <>
      <ul class="nu-items" aria-label="Functions">
        {functions.map((each) => (
          <li key={each.name}>
            <details class="nu-function">
              <summary>
                <span class="nu-code">{each.name}</span>{" "}
                <span class="nu-quiet">
                  {each.kind}, version {each.version}
                </span>
              </summary>
              <p class="nu-code nu-signature">{each.signature}</p>
              {each.source ? (
                <pre tabIndex={0} role="region" aria-label={`Source of ${each.name}`}>
                  {each.source}
                </pre>
              ) : (
                <p class="nu-quiet">Its source is not known.</p>
              )}
            </details>
          </li>
        ))}
      </ul>
      {count > functions.length && (
        <p class="nu-quiet">{whole(count - functions.length)} more are not shown.</p>
      )}
    </>
  );
}
