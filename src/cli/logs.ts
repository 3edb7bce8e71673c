import { setTimeout } from "node:timers/promises";
import { FilterFault, filterParameters } from "#src/request-log/filter.ts";
import type { LogReader } from "#src/request-log/reader.ts";
import type { ShownEntry } from "#src/request-log/shown-request.ts";
import { type Command, type Result, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { requestLines } from "./request-lines.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withRequests } from "./with-requests.ts";

const followMs = 1000;
const names = Object.keys(filterParameters).filter((name) => !["before", "after"].includes(name));

/** `./aldgate logs` */
export const command: Command = {
  name: "logs",
  summary: "lists TPPs' requests, or shows one with its checks; --follow also prints new ones",
  usage: [
    "  ./aldgate logs [--follow]     the latest requests, the most recent last",
    "  ./aldgate logs ID             one request, by its interaction id or its id in the log",
    "      --status 4xx    also a single status, such as 404",
    "      --client ID     --consent ID     --order ID     --interactionId ID",
    "      --path TEXT     part of the path",
    "      --code CODE     U015, jwtExpired, …",
    "      --since TIME    --until TIME     2026-11-24T09:00:00Z",
    "      --limit N       at most 200; 50 by default",
    "Ctrl-C stops --follow.",
  ].join("\n"),
  hasItems: true,
  json: {
    "": "each request as in `requests` of `GET /sandbox/v1/requests`",
    ID: "one document: what `GET /sandbox/v1/requests/{id}` returns",
  },
  next: [["explain ID", "says why a request was rejected"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" as const }])),
      follow: { type: "boolean" },
    });
    const { follow = false, ...filter } = values;
    const [id, ...more] = rest;
    if (more.length > 0) throw new UsageError("Give at most one id.");
    const print = (entry: ShownEntry) => cli.print(lineOf(entry), entry);
    // Before the first line is printed: a reader of it may end this at once.
    const stop = new AbortController();
    if (follow) cli.onSignal(() => stop.abort());
    return withRequests(cli, async (requests) => {
      if (id !== undefined) return showOne(requests, id);
      const shown = await list(requests, filter);
      shown.forEach(print);
      const from = shown.at(-1);
      if (follow) await followOn(requests, { filter, print, from, signal: stop.signal });
      else if (shown.length === 0) cli.print("No request fits.");
      return { lines: [], json: null };
    });
  },
};

type Filter = Record<string, unknown>;

/** The requests that fit, the latest last. */
async function list(requests: LogReader, filter: Filter): Promise<ShownEntry[]> {
  try {
    return (await requests.list(filter)).requests.reverse();
  } catch (error) {
    if (error instanceof FilterFault) throw new UsageError(error.message);
    throw error;
  }
}

type Following = {
  filter: Filter;
  print(entry: ShownEntry): void;
  from: ShownEntry | undefined;
  signal: AbortSignal;
};

async function followOn(
  requests: LogReader,
  { filter, print, from, signal }: Following,
): Promise<void> {
  let after = from?.logId;
  while (!signal.aborted) {
    await setTimeout(followMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const more = await list(requests, { ...filter, ...(after ? { after } : {}), limit: "200" });
    more.forEach(print);
    after = more.at(-1)?.logId ?? after;
  }
}

function lineOf(entry: ShownEntry): string {
  const { at, method, path, status, codes, milliseconds, clientId, interactionId } = entry;
  const why = codes.length === 0 ? "" : `  ${codes.join(",")}`;
  return `${at}  ${status}  ${method} ${path}${why}  ${milliseconds} ms  ${clientId ?? "-"}  ${interactionId}`;
}

async function showOne(requests: LogReader, id: string): Promise<Result> {
  const found = await requests.show(id);
  if (!found) throw new BankRefused(`The log has no request with the id ${id}.`);
  return { lines: requestLines(found), json: found };
}
