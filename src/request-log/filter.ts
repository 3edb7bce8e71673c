import type { VersionWords } from "./explain/version-words.ts";
import type { LogFilter } from "./find-requests.ts";
import { logIdPattern } from "./place.ts";

/** A filter that cannot be read. The message says what is allowed. */
export class FilterFault extends Error {
  /** The parameter that is wrong. */
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(message);
    this.parameter = parameter;
  }
}

/** The names of a filter's parameters, each with a description. */
export const filterParameters = {
  interactionId: "The `x-fapi-interaction-id` of the request.",
  client: "The client id of the TPP.",
  consent: "The ConsentId that the request belongs to or names.",
  order: "The id of the order, or of another resource that the request reads or creates.",
  path: "A part of the path.",
  status: "A status, such as `404`, or a class of them, such as `4xx`.",
  code: "An error code or its name in v3.1, such as `U015`, or the reason of a refusal, such as `jwtExpired`.",
  since: "Only requests from this time on, by the machine's clock: a date-time with an offset.",
  until: "Only requests up to this time.",
  before: "The `logId` of a request: only older ones. For the next page, send `next` here.",
  after: "The `latest` of an earlier answer: only what the log took since. A `logId` works, too.",
  limit: "How many requests to return, at most 200; 50 by default.",
} as const;

type Parameter = keyof typeof filterParameters;

const usualLimit = 50;
const longestValue = 400;

/** Reads a filter from texts, of which empty ones count as absent. Throws FilterFault. */
export function readFilter(
  given: Readonly<Record<string, unknown>>,
  words: Pick<VersionWords, "codesNamed">,
): LogFilter {
  const values: Partial<Record<Parameter, string>> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === "") continue;
    if (!Object.hasOwn(filterParameters, name)) {
      const allowed = Object.keys(filterParameters).join(", ");
      throw new FilterFault(name, `There is no filter ${name}. The filters are ${allowed}.`);
    }
    if (typeof value !== "string" || value.length > longestValue) {
      const message = `${name} must be given once, with at most ${longestValue} characters.`;
      throw new FilterFault(name, message);
    }
    values[name as Parameter] = value;
  }
  const { client, consent, order, interactionId, path, code, before, after } = values;
  const filter: LogFilter = { limit: limitOf(values.limit) };
  if (interactionId !== undefined) filter.interactionId = interactionId;
  if (client !== undefined) filter.clientId = client;
  if (consent !== undefined) filter.consentId = consent;
  if (order !== undefined) filter.resourceId = order;
  if (path !== undefined) filter.path = path;
  // the log keeps the codes of no version
  if (code !== undefined) filter.codes = words.codesNamed(code);
  if (values.status !== undefined) filter.status = statusOf(values.status);
  if (values.since !== undefined) filter.since = instantOf("since", values.since);
  if (values.until !== undefined) filter.until = instantOf("until", values.until);
  if (before !== undefined) filter.before = logIdOf("before", before);
  if (after !== undefined) filter.after = logIdOf("after", after);
  return filter;
}

function limitOf(text = String(usualLimit)): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 200)
    throw new FilterFault("limit", "limit must be a number from 1 to 200.");
  return limit;
}

function statusOf(text: string): string {
  if (/^[1-5](\d\d|xx)$/.test(text)) return text;
  const message = "status must be three digits, such as 404, or a class, such as 4xx.";
  throw new FilterFault("status", message);
}

function logIdOf(name: string, text: string): string {
  if (logIdPattern.test(text)) return text;
  const example = "1795858360118.118.3";
  throw new FilterFault(name, `${name} must be the logId of a request, such as ${example}.`);
}

function instantOf(name: string, text: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(text);
  } catch {
    throw new FilterFault(
      name,
      `${name} must be a date-time with an offset, such as 2026-11-24T09:00:00Z.`,
    );
  }
}
