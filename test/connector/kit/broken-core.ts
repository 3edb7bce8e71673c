import type { FastifyInstance } from "fastify";
import type { Bank } from "#src/bank/port.ts";
import { type ServedCore, serveCore } from "#src/connector/serve-core.ts";

/** A core, the case that must catch it, and those that then fail too, with the reason. */
export type BrokenCore = {
  /** What it does wrong. */
  name: string;
  caughtBy: string;
  /** Cases that ask for the same in another situation. */
  also?: readonly string[];
  /** The groups that are run. */
  groups: readonly string[];
  /** Returns the calls that are broken, or changes the server. */
  make(core: ServedCore): Partial<Bank> | ((app: FastifyInstance) => void);
  /** Breaks what is no call of the port. */
  feed?: ServedCore["readChanges"] extends infer Read
    ? (read: NonNullable<Read>) => NonNullable<Read>
    : never;
};

/** Serves a broken core. Called again after a restart. */
export function serveBroken(core: ServedCore, { make, feed }: BrokenCore): FastifyInstance {
  const made = make(core);
  const bank = typeof made === "function" ? core.bank : { ...core.bank, ...made };
  const { readChanges } = core;
  const read = readChanges && feed ? { readChanges: feed(readChanges) } : {};
  const app = serveCore({ ...core, bank, ...read });
  if (typeof made === "function") made(app);
  return app;
}
