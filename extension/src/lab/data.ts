// What a browser knows of a session: what the kernel said last of each part of it.

import type { News, StreamNews } from "../shared/messages.ts";

/** Every part; null where there is no session. */
export type Parts = Required<News>;

export const NOTHING: Parts = {
  session: null,
  functions: null,
  workers: null,
  queries: null,
  streams: null,
  logs: null,
  cells: {},
  busy: false,
};

export const isOver = (stream: StreamNews): boolean => ["ended", "failed"].includes(stream.state);
