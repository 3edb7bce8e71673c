import type { ErrorRow, ErrorTable } from "#src/standard/api-version.ts";
import { type RefusalCode, refusalCodes } from "#src/standard/error-codes.ts";
import { denials, type FaultCode } from "#src/standard/faults.ts";

/** Statuses whose refusals have a body in every version. Source: PC-16, A-030. */
export const explainedStatuses: ReadonlySet<number> = new Set([400, 403, 409, 413, 422, 500, 503]);

/**
 * The same with the statuses that the published files declare without a body, or not at all: a
 * path, method or media type that the bank does not serve, or a request that does not arrive. A
 * body is allowed there, and says what is served.
 */
export const answeredStatuses: ReadonlySet<number> = new Set([
  ...explainedStatuses,
  404,
  405,
  406,
  408,
  415,
]);

/**
 * Makes the text of a fault in a version, given its row; `row` is null for one of our own denials.
 */
type Wording = (
  code: FaultCode,
  row: RefusalCode | null,
) => { name: string; text: string; codeAt(status: number): string };

/** Makes a version's error table: each fault, at each status that it may have, in its words. */
export function makeErrorTable(wording: Wording): ErrorTable {
  const faults: [FaultCode, readonly number[], RefusalCode | null][] = [
    ...entriesOf(refusalCodes).map(([code, row]): [FaultCode, readonly number[], RefusalCode] => [
      code,
      row.statuses,
      row,
    ]),
    ...entriesOf(denials).map(([code, { statuses }]): [FaultCode, readonly number[], null] => [
      code,
      statuses,
      null,
    ]),
  ];
  const rows = faults.map(([code, statuses, row]): [FaultCode, ErrorRow] => {
    const { name, text, codeAt } = wording(code, row);
    const codes = Object.fromEntries(statuses.map((status) => [status, codeAt(status)]));
    return [code, { name, text, codes } as ErrorRow]; // a code at each status
  });
  return Object.fromEntries(rows) as ErrorTable; // made of every code and its statuses
}

const entriesOf = <Name extends string, Row>(table: Readonly<Record<Name, Row>>): [Name, Row][] =>
  Object.entries(table) as [Name, Row][]; // a table of ours has no other members
