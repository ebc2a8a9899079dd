// A button that writes a test of a function's calls, and says which file it is in.

import { useState } from "preact/hooks";

export function Capture({ name, ask }: { name: string; ask: () => Promise<string | undefined> }) {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const write = async () => {
    setBusy(true);
    setSaid("The test is written and run …");
    setSaid((await ask()) ?? "No test was written.");
    setBusy(false);
  };
  return (
    <p>
      <button type="button" disabled={busy} onClick={() => void write()}>
        Capture a test of {name}
      </button>{" "}
      <span class="nu-quiet" role="status">
        {said}
      </span>
    </p>
  );
}
