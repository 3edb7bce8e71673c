import { checkNamesOf } from "#src/http/admit.ts";
import type { Operation } from "#src/http/operation.ts";
import type { OperationError } from "#src/pages/portal/api-document.ts";
import type { Block } from "#src/pages/portal/blocks.ts";
import { code } from "#src/pages/portal/inline.ts";
import { codeAdvice } from "#src/request-log/explain/advice.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { FaultCode } from "#src/standard/faults.ts";

// What refuses a request, by the name of the check. The handler's own refusals are rows of its
// operation.
const ofChecks: Readonly<Record<string, readonly [status: number, ...codes: FaultCode[]]>> = {
  "interaction-id": [400, "U006"],
  accept: [406, "U006"],
  "content-type": [415, "U006"],
  "auth-date": [400, "U006"],
  "idempotency-key": [400, "U007", "U006"],
  body: [400, "U010"],
};
const ofSignatures: readonly FaultCode[] = ["U015", "U016", "U017", "U018", "U019"];

/** The errors of an operation in its version's words, each once. */
export function errorsOf(operation: Operation): OperationError[] {
  const found = new Map<string, OperationError>();
  const add = (status: number, fault: FaultCode): void => {
    const { codes, text } = operation.api.errors.table[fault];
    const shown = (codes as Readonly<Record<number, string>>)[status];
    if (shown !== undefined) found.set(`${status} ${fault}`, { status, code: shown, cause: text });
  };
  for (const name of checkNamesOf(operation)) {
    const [status = 400, ...codes] = ofChecks[name] ?? [];
    for (const fault of codes) add(status, fault);
  }
  if (operation.signed && operation.request) for (const fault of ofSignatures) add(400, fault);
  for (const [status, codes] of Object.entries(operation.refusals)) {
    for (const fault of codes) add(Number(status), fault);
  }
  const bare = [
    {
      status: 401,
      code: null,
      cause: "The token is missing, unknown, expired or of another client",
    },
    { status: 403, code: null, cause: "The token has another grant, scope or consent" },
    { status: 429, code: null, cause: "Too many requests: wait for the seconds of `Retry-After`" },
    { status: 500, code: null, cause: "A bug of the bank: report it with the interaction id" },
    { status: 503, code: null, cause: "A part of the bank is out of service: repeat later" },
  ];
  const explained = new Set([...found.values()].map(({ status }) => status));
  return [...found.values(), ...bare.filter(({ status }) => !explained.has(status))];
}

/** The table of every error code: its names in each version, its meaning and what to do. */
export function errorTable(versions: readonly ApiVersion[]): Block {
  const rows = new Map<string, { names: Set<string>; text: string; fault: FaultCode }>();
  for (const { errors } of versions) {
    for (const [fault, { codes, name, text }] of entriesOf(errors.table)) {
      for (const shown of Object.values(codes) as string[]) {
        const row = rows.get(shown) ?? { names: new Set(), text, fault };
        if (name !== shown) row.names.add(name);
        rows.set(shown, row);
      }
    }
  }
  return {
    is: "table",
    head: ["Code", "Meaning", "What to do"],
    rows: [...rows].map(([shown, { names, text, fault }]) => [
      `{#${shown}}${[shown, ...names].map(code).join(" ")}`,
      text,
      codeAdvice[fault]?.next ?? "Read `Message` and `Path` of the answer.",
    ]),
  };
}

const entriesOf = <Name extends string, Row>(table: Readonly<Record<Name, Row>>): [Name, Row][] =>
  Object.entries(table) as [Name, Row][]; // a table of ours has no other members
