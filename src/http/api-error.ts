/**
 * One fault of a request. `code` is the internal key: the v4 code (`U002`), or an ISO reason code.
 * Each version of the standard renders it in its own words. `path` is a dotted JSON path, a header
 * name, a JOSE claim or a query parameter.
 */
export type Fault = { code: string; message: string; path?: string; url?: string };

/** A refusal: not a failure of the bank, and not a bug. Rendered by the one error renderer. */
export class ApiError extends Error {
  readonly status: number;
  /** Empty: the answer has no body. */
  readonly faults: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, faults: readonly Fault[], headers: Record<string, string> = {}) {
    super(faults.map((fault) => `${fault.code} ${fault.path ?? ""}`).join(", ") || `${status}`);
    this.status = status;
    this.faults = faults;
    this.headers = headers;
  }
}

/** A refusal with 400 and one fault. */
export const refusal = (code: string, path: string | undefined, message: string): ApiError =>
  new ApiError(400, [path === undefined ? { code, message } : { code, message, path }]);

/** A refusal without body: 401, 404, 405, 406, 415 or 429. */
export const bareRefusal = (status: number, headers: Record<string, string> = {}): ApiError =>
  new ApiError(status, [], headers);

/** 403; `path` names what was not allowed. Reveals nothing about what exists. */
export const forbidden = (code: string, path: string, message: string): ApiError =>
  new ApiError(403, [{ code, message, path }]);
