// A notebook's connection to its kernel: what the kernel tells, and what is asked of it. It stays
// the same when the kernel is restarted or exchanged.

import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { signal } from "@preact/signals";
import type { LabCommands, LabMessage, Reply, Request } from "../shared/messages.ts";
import { NOTHING, type Parts } from "./data.ts";

const NAME = "notebook-udf";
// The kernel stops telling nobody; at most this often it is told that somebody is here.
const HERE_EVERY = 30_000;
const SUBSHELL_WITHIN = 3_000;

/** What a kernel may send. */
type Said = LabMessage & Partial<Reply>;

interface Asked {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

let asked = 0;
const page = Math.random().toString(36).slice(2);

export class Connection {
  /** Whether the kernel has loaded the extension. */
  readonly loaded = signal(false);
  readonly hasKernel = signal(false);
  readonly parts = signal<Parts>(NOTHING);
  /** What it said no to last. */
  readonly refusal = signal("");

  private readonly open = new Map<unknown, Asked>();
  private comm: Promise<Kernel.IComm> | null = null;
  private reassuring = 0;
  /** The process that told something last, and the one that has ended: it may go on for a while. */
  private speaker = "";
  private ended = "";

  constructor(readonly context: ISessionContext) {
    context.kernelChanged.connect(this.begin, this);
    context.statusChanged.connect((_, status) => {
      if (!["restarting", "autorestarting", "dead", "terminating"].includes(status)) return;
      this.ended = this.speaker;
      this.forget();
    });
    context.iopubMessage.connect((_, message) => this.hear(message as KernelMessage.IIOPubMessage));
    // A kernel that was out of reach may have stopped telling nobody.
    context.connectionStatusChanged.connect((_, status) => {
      if (status === "connected" && this.comm !== null)
        this.ask("hello", {}).catch(() => undefined);
    });
    context.disposed.connect(() => this.forget());
    this.begin();
  }

  private get kernel(): Kernel.IKernelConnection | null {
    return this.context.session?.kernel ?? null;
  }

  /** Asks a kernel that is new here whether it has loaded the extension. */
  private async begin(): Promise<void> {
    this.forget();
    const kernel = this.kernel;
    if (kernel === null) return;
    this.hasKernel.value = true;
    try {
      const reply = await kernel.requestCommInfo({ target_name: NAME });
      const known = reply.content.status === "ok" && NAME in reply.content.comms;
      if (known && kernel === this.kernel) this.greet();
    } catch {
      // A kernel that has gone meanwhile; another one is told of by a signal.
    }
  }

  private forget(): void {
    this.loaded.value = false;
    this.hasKernel.value = this.kernel !== null;
    this.parts.value = NOTHING;
    this.refusal.value = "";
    this.comm?.then((comm) => !comm.isDisposed && comm.dispose()).catch(() => undefined);
    this.comm = null;
    clearTimeout(this.reassuring);
    this.reassuring = 0;
    for (const { reject } of this.open.values()) reject(new Error("the kernel has ended"));
    this.open.clear();
  }

  private hear(message: KernelMessage.IIOPubMessage): void {
    if (message.header.msg_type !== "comm_msg") return;
    const { comm_id, data } = (message as KernelMessage.ICommMsgMsg<"iopub">).content;
    if (comm_id !== NAME || message.header.session === this.ended) return;
    this.speaker = message.header.session;
    const said = data as Said;
    if (said.gone) {
      this.forget();
      return;
    }
    if (said.news) {
      this.parts.value = { ...this.parts.value, ...said.news };
      this.loaded.value = true;
      if (this.comm === null) this.greet();
      else this.reassure();
    }
    const waiting = said.id === undefined ? undefined : this.open.get(said.id);
    if (waiting === undefined) return;
    this.open.delete(said.id!);
    if (said.error === undefined) waiting.resolve(said.result);
    else waiting.reject(new Error(said.error));
  }

  private reassure(): void {
    if (this.reassuring !== 0) return;
    this.reassuring = window.setTimeout(() => {
      this.reassuring = 0;
      this.ask("here", {}).catch(() => undefined);
    }, HERE_EVERY);
  }

  private greet(): void {
    if (this.comm !== null) return;
    this.loaded.value = true;
    this.ask("hello", {}).catch(() => undefined);
  }

  /** Calls one of the kernel's commands. Rejects with what it said. */
  async ask<K extends keyof LabCommands>(
    command: K,
    words: LabCommands[K][0],
  ): Promise<LabCommands[K][1]> {
    const kernel = this.kernel;
    if (kernel === null) throw new Error("there is no kernel");
    const id = `${page}-${++asked}`;
    const answer = new Promise<unknown>((resolve, reject) =>
      this.open.set(id, { resolve, reject }),
    );
    try {
      this.comm ??= connected(kernel);
      const request: Request = { id, command, arguments: { ...words } };
      (await this.comm).send(request as unknown as Parameters<Kernel.IComm["send"]>[0]);
    } catch (error) {
      this.open.delete(id);
      throw error;
    }
    return (await answer) as LabCommands[K][1];
  }

  /** The same for a button: what was refused is shown. */
  async tell<K extends keyof LabCommands>(command: K, words: LabCommands[K][0]): Promise<void> {
    this.refusal.value = "";
    try {
      await this.ask(command, words);
    } catch (error) {
      this.refusal.value = (error as Error).message;
    }
  }

  /** Interrupts the cell that runs, which cancels its queries; works while it blocks the kernel. */
  async interrupt(): Promise<void> {
    this.refusal.value = "";
    try {
      await this.kernel?.interrupt();
    } catch (error) {
      this.refusal.value = (error as Error).message;
    }
  }

  /** Cancels a query: with the cell that waits for it, or by itself where none runs. */
  async cancel(query: number): Promise<void> {
    await (this.parts.value.busy ? this.interrupt() : this.tell("cancel_query", { query }));
  }
}

/** A comm that is served beside a cell that runs, if the kernel can do that. */
async function connected(kernel: Kernel.IKernelConnection): Promise<Kernel.IComm> {
  const comm = kernel.createComm(NAME, NAME);
  await kernel.info;
  const beside = kernel as { supportsSubshells?: boolean };
  const started = (comm as { subshellStarted?: Promise<void> }).subshellStarted;
  if (beside.supportsSubshells && started) {
    const late = new Promise<void>((resolve) => setTimeout(resolve, SUBSHELL_WITHIN));
    await Promise.race([started, late]).catch(() => undefined);
  }
  return comm;
}
