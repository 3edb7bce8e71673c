import type { Bank } from "#src/bank/port.ts";
import { portCalls } from "#src/bank/port-calls.ts";
import { inSpan } from "./span.ts";

type Call = (...given: unknown[]) => Promise<unknown>;

/** Makes a span for each call of the bank's core, also outside a request. */
export function traceBank(bank: Bank): Bank {
  const calls = Object.keys(portCalls).flatMap((name) => {
    const call = bank[name as keyof Bank] as Call | undefined;
    if (call === undefined) return []; // the core leaves it out
    return [[name, (...given: unknown[]) => inSpan(`core ${name}`, {}, () => call(...given))]];
  });
  return { ...bank, ...(Object.fromEntries(calls) as Partial<Bank>) };
}
