import type { LogReader } from "#src/request-log/reader.ts";

/** Sends a request to the sandbox's interface. Throws if the bank refuses the request. */
type Call = (method: string, path: string, body?: object) => Promise<unknown>;

/** The log of requests through the sandbox's interface, which says what it refuses. */
export const remoteRequests = (call: Call): LogReader => ({
  async list(filter) {
    const query = new URLSearchParams(filter as Record<string, string>);
    return (await call("GET", `/requests?${query}`)) as Awaited<ReturnType<LogReader["list"]>>;
  },
  async show(id) {
    const path = `/requests/${encodeURIComponent(id)}`;
    return (await call("GET", path)) as Awaited<ReturnType<LogReader["show"]>>;
  },
  async explain(id) {
    const path = `/explanations/${encodeURIComponent(id)}`;
    return (await call("GET", path)) as Awaited<ReturnType<LogReader["explain"]>>;
  },
});
