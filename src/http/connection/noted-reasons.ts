import type { IncomingMessage } from "node:http";

const noted = new WeakMap<IncomingMessage, string[]>();

/** Notes why a request is refused, for the log of requests: a reason or the id of a rule. */
export function noteReason(request: IncomingMessage, reason: string): void {
  const reasons = noted.get(request) ?? [];
  noted.set(request, reasons);
  if (!reasons.includes(reason)) reasons.push(reason);
}

/** The reasons that were noted about a request. */
export const reasonsOf = (request: IncomingMessage): readonly string[] => noted.get(request) ?? [];
