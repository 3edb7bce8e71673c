import { portCalls } from "#src/bank/port-calls.ts";
import { callRows } from "#src/connector/operations.ts";
import type { CoreAbout } from "./kit.ts";
import type { KitOperation } from "./kit-case.ts";

const isCall = (name: KitOperation): name is keyof typeof callRows => name in callRows;

/** Returns why a core need not have an operation; null if it has it. */
export function whyLacking(about: CoreAbout, name: KitOperation): string | null {
  if (name === "readAbout") return null;
  if (!isCall(name) || portCalls[name].isOptional) {
    const isListed = about.operations?.includes(name) ?? false;
    return isListed ? null : `the core does not list ${name} in /about`;
  }
  const { parts } = portCalls[name];
  if (!parts || parts.some((part) => about.parts.includes(part))) return null;
  const [first, ...more] = parts;
  const words = more.length === 0 ? first : `${first} or any other part that needs ${name}`;
  return `the core has no ${words} in /about`;
}

/** Whether the core has an operation. */
export const has = (about: CoreAbout, name: KitOperation): boolean =>
  whyLacking(about, name) === null;
