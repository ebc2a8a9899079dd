// What may be asked of a kernel, as `messages.ts` says it: words and result by a command's name.

export type Commands<C> = Record<keyof C, [words: object, result: unknown]>;

/** Where nothing may be asked. */
export type NoCommands = Record<never, never>;
