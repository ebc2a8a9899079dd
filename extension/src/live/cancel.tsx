// The button that ends the run. It goes to the Jupyter server, which interrupts the kernel as the
// notebook's own stop button does: the kernel itself does not listen while a cell runs.

import { useState } from "preact/hooks";
import { canInterrupt, interrupt } from "../shared/jupyter.ts";

export function Cancel({ kernel, cancelling }: { kernel: string; cancelling: boolean }) {
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState("");
  if (!kernel || !canInterrupt()) {
    return <span class="nu-quiet">press the notebook's stop button to cancel</span>;
  }
  const cancel = async () => {
    setAsked(true);
    setProblem("");
    try {
      await interrupt(kernel);
    } catch (error) {
      setAsked(false);
      setProblem(`not cancelled: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const pending = asked || cancelling;
  return (
    <>
      <span class="nu-problem" role="alert" title={problem}>
        {problem}
      </span>
      <button type="button" onClick={cancel} aria-disabled={pending} disabled={pending && !asked}>
        {pending ? "cancelling…" : "Cancel"}
      </button>
    </>
  );
}
