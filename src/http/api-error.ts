import type { CodeOf, FaultCode, FaultStatus, StatedFault } from "#src/standard/faults.ts";

/** A status of a refusal that needs no explanation. */
type BareStatus = 401 | 429;

type RefusalStatus = FaultStatus | BareStatus;

/**
 * The error codes that a refusal with this status may have; none for a status that needs no
 * explanation.
 */
export type CodeFor<Status extends RefusalStatus> = [Status] extends [FaultStatus]
  ? CodeOf<Status>
  : never;

/** A fault that a refusal with this status may have. The default status is 400. */
export type Fault<Status extends RefusalStatus = 400> = StatedFault<CodeFor<Status>>;

/**
 * A refusal: not a failure of the bank, and not a bug. Rendered in the version's words by the one
 * error renderer. A code with a status that its row in the error table lacks does not compile.
 */
export class ApiError<const Status extends RefusalStatus = RefusalStatus> extends Error {
  readonly status: Status;
  /** If empty, the response has no body. */
  readonly faults: readonly StatedFault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: Status,
    faults: readonly Fault<Status>[],
    headers: Record<string, string> = {},
  ) {
    super(faults.map((fault) => `${fault.code} ${fault.path ?? ""}`).join(", ") || `${status}`);
    this.status = status;
    this.faults = faults;
    this.headers = headers;
  }
}

/** A refusal with 400 and one fault. */
export const refusal = (code: CodeFor<400>, path: string | undefined, message: string): ApiError =>
  new ApiError(400, [path === undefined ? { code, message } : { code, message, path }]);

/** A refusal without body. */
export const bareRefusal = (status: BareStatus, headers: Record<string, string> = {}): ApiError =>
  new ApiError(status, [], headers);

/** 403; `path` names what was not allowed. Reveals nothing about what exists. */
export const forbidden = (code: CodeFor<403>, path: string, message: string): ApiError =>
  new ApiError(403, [{ code, message, path }]);

/** Codes of refusals by status, as an operation lists them. */
export type ListedRefusals = {
  readonly [Status in RefusalStatus]?: readonly (FaultCode & CodeFor<Status>)[];
};
