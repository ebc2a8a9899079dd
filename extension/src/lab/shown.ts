// What the side panel and the status bar are about, and where they lead.

import type { Connection } from "./connection.ts";

/** What is in front: a notebook's name and its connection. */
export interface Front {
  name: string;
  connection: Connection;
}

/** What opens in a tab of its own. */
export interface Views {
  plan(): void;
  logs(): void;
  state(query?: string): void;
  workers(): void;
}
