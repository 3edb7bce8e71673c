import { setTimeout } from "node:timers/promises";
import { whyNotLogged } from "#src/request-log/explain/wire-ids.ts";
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
      const { shown, latest } = await list(requests, filter);
      shown.forEach(print);
      if (follow) await followOn(requests, { filter, print, latest, signal: stop.signal });
      else if (shown.length === 0) cli.print("No request fits.");
      return { lines: [], json: null };
    });
  },
};

type Filter = Record<string, unknown>;

type Some = { shown: ShownEntry[]; latest: string };

/** The requests that fit, the latest last, and where to go on. */
async function list(requests: LogReader, filter: Filter): Promise<Some> {
  try {
    const { requests: found, latest } = await requests.list(filter);
    return { shown: found.reverse(), latest };
  } catch (error) {
    if (error instanceof FilterFault) throw new UsageError(error.message);
    throw error;
  }
}

type Following = {
  filter: Filter;
  print(entry: ShownEntry): void;
  latest: string;
  signal: AbortSignal;
};

const mostAtOnce = 200;

async function followOn(
  requests: LogReader,
  { filter, print, latest, signal }: Following,
): Promise<void> {
  const limit = String(mostAtOnce);
  for (let after = latest; !signal.aborted; ) {
    const more = await list(requests, { ...filter, after, limit });
    more.shown.forEach(print);
    after = more.latest;
    // there are more of them
    if (more.shown.length === mostAtOnce) continue;
    await setTimeout(followMs, undefined, { signal }).catch(() => undefined);
  }
}

function lineOf(entry: ShownEntry): string {
  const { at, method, path, status, codes, milliseconds, clientId, interactionId } = entry;
  const why = codes.length === 0 ? "" : `  ${codes.join(",")}`;
  return `${at}  ${status}  ${method} ${path}${why}  ${milliseconds} ms  ${clientId ?? "-"}  ${interactionId}`;
}

async function showOne(requests: LogReader, id: string): Promise<Result> {
  const found = await requests.show(id);
  if (!found) throw new BankRefused(whyNotLogged(id));
  return { lines: requestLines(found), json: found };
}
