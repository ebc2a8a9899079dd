// What every thread of a worker is doing, as it was when it was asked for.

export interface Stack {
  pid: number;
  text: string;
}

export function StackPane({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  return (
    <div class="nu-stack" role="region" aria-label={`Stack of worker ${stack.pid}`} tabIndex={0}>
      <button type="button" class="nu-close" aria-label="Close the stack" onClick={onClose}>
        ×
      </button>
      <h4>What worker {stack.pid} was doing</h4>
      <pre>{stack.text}</pre>
    </div>
  );
}
