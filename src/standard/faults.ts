import type { refusalCodes } from "./error-codes.ts";

/** The statuses of our own refusals of access to account information, by name. */
export const denials = {
  PermissionMissing: { statuses: [403] },
  AccountNotAccessible: { statuses: [403] },
} as const;

type Table = typeof refusalCodes & typeof denials;

/**
 * The reason for a refusal, independent of versions: a code of the v4 code set, or one of our own
 * denials. Each version's error table has a row for every one of them.
 */
export type FaultCode = keyof Table;

/** The statuses that a fault may have. */
export type StatusOf<Code extends FaultCode> = Table[Code]["statuses"][number];

/** A status of a refusal that explains itself. */
export type FaultStatus = StatusOf<FaultCode>;

/** The faults that may have this status (if it is a union, every status of it). */
export type CodeOf<Status extends FaultStatus> = {
  [Code in FaultCode]: [Status] extends [StatusOf<Code>] ? Code : never;
}[FaultCode];

/**
 * One fault of a request. `path` is a dotted JSON path, a header name, a JOSE claim or a query
 * parameter.
 */
export type StatedFault<Code extends FaultCode = FaultCode> = {
  code: Code;
  message: string;
  path?: string;
  url?: string;
};
