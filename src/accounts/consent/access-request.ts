import { ApiError, type Fault } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { isObject } from "#src/lib/assert.ts";
import {
  formatDateTime,
  type ParsedDateTime,
  parseDateTime,
  toInstant,
} from "#src/lib/date-time.ts";

const dateMembers = [
  "ExpirationDateTime",
  "TransactionFromDateTime",
  "TransactionToDateTime",
] as const;
type DateMember = (typeof dateMembers)[number];

/** A TPP's request for access as it was sent, without unknown members. */
export type AccessRequest = { Permissions: string[] } & Partial<Record<DateMember, string>>;

/**
 * Checks the body of a consent request against a version's schema and the rules of every version.
 * Returns the request, or throws an ApiError with all faults. Source: A-060…A-089, E-003.
 */
export function parseAccessRequest(
  schema: CompiledSchema,
  body: unknown,
  supported: ReadonlySet<string>,
  now: Temporal.Instant,
): AccessRequest {
  const wrong = judge(schema, body).map((fault) => atPermissions(fault, body, supported));
  const faults = [...wrong, ...findDateFaults(sentDates(body), now)];
  // checked by the schema above, if nothing is wrong
  const { Data } = body as { Data: AccessRequest };
  if (wrong.length === 0) faults.push(...findPermissionFaults(Data, supported));
  if (faults.length > 0) throw new ApiError(400, withoutRepeats(faults));
  const request: AccessRequest = { Permissions: Data.Permissions };
  for (const member of dateMembers) {
    if (Data[member] !== undefined) request[member] = Data[member];
  }
  return request;
}

// An invalid code is reported as a fault of the list, which names the code. Source: A-070.
function atPermissions(fault: Fault, body: unknown, supported: ReadonlySet<string>): Fault {
  if (!fault.path?.startsWith("Data.Permissions[")) return fault;
  const at = Number.parseInt(fault.path.slice("Data.Permissions[".length), 10);
  // the path leads to an item of the list
  const value = (body as { Data: { Permissions: unknown[] } }).Data.Permissions[at];
  const named = typeof value === "string" ? `${JSON.stringify(value.slice(0, 32))} is not. ` : "";
  const message =
    `Each of Permissions must be a permission code. ${named}Send ` +
    `${permissionWords([...supported])}.`;
  return { code: "U002", path: "Data.Permissions", message };
}

/**
 * The permissions that a consent may have, in words. The whole list is too long for a message, so
 * codes that end with Basic or with Detail are listed once.
 */
export function permissionWords(codes: readonly string[]): string {
  const stems = codes
    .filter((code) => code.endsWith("Basic") && codes.includes(code.replace(/Basic$/, "Detail")))
    .map((code) => code.slice(0, -"Basic".length));
  const listed = new Set(stems.flatMap((stem) => [`${stem}Basic`, `${stem}Detail`]));
  const others = codes.filter((code) => !listed.has(code));
  const [first] = stems;
  return [
    ...(first === undefined
      ? []
      : [`one of ${stems.join(", ")} with Basic or Detail after it, such as ${first}Basic`]),
    ...(others.length === 0 ? [] : [`one of ${others.join(", ")}`]),
  ].join(", or ");
}

const withoutRepeats = (faults: Fault[]): Fault[] =>
  faults.filter(({ path }, index) => faults.findIndex((other) => other.path === path) === index);

function findPermissionFaults(
  { Permissions }: AccessRequest,
  supported: ReadonlySet<string>,
): Fault[] {
  const message = whyNotTogether(Permissions, supported);
  return message === null ? [] : [{ code: "U002", path: "Data.Permissions", message }];
}

type SentDates = Partial<Record<DateMember, string>>;

/** The dates of a body that may have faults, as far as they are texts. */
function sentDates(body: unknown): SentDates {
  const data = isObject(body) && isObject(body.Data) ? body.Data : {};
  const texts = dateMembers.flatMap((member) => {
    const value = data[member];
    return typeof value === "string" ? [[member, value] as const] : [];
  });
  return Object.fromEntries(texts);
}

// Source: A-081…A-086.
function findDateFaults(data: SentDates, now: Temporal.Instant): Fault[] {
  const faults: Fault[] = [];
  const expiry = dateOf(data, "ExpirationDateTime");
  const from = dateOf(data, "TransactionFromDateTime");
  const to = dateOf(data, "TransactionToDateTime");
  const add = (member: DateMember, message: string) =>
    void faults.push({ code: "U003", path: `Data.${member}`, message });
  if (expiry && Temporal.Instant.compare(expiry, now) <= 0) {
    const time = now.toString({ smallestUnit: "second" });
    add("ExpirationDateTime", `The expiry must be after the bank's time, ${time}.`);
  }
  if (from && to && Temporal.Instant.compare(from, to) > 0) {
    add(
      "TransactionToDateTime",
      "TransactionToDateTime must not be before TransactionFromDateTime.",
    );
  }
  return faults;
}

/** The instant of a date in a request; null if it is absent. Without a time zone it is UTC. */
export function dateOf(data: SentDates, member: DateMember): Temporal.Instant | null {
  const parsed = parse(data[member]);
  return parsed ? toInstant(parsed) : null;
}

const parse = (text: string | undefined): ParsedDateTime | null =>
  text === undefined ? null : parseDateTime(text);

/**
 * Returns the dates of a request in RFC 3339 with the offset that was sent. The instant is never
 * moved or rounded. Source.
 */
export function renderDates(data: AccessRequest): Partial<Record<DateMember, string>> {
  const dates: Partial<Record<DateMember, string>> = {};
  for (const member of dateMembers) {
    const parsed = parse(data[member]);
    if (parsed) dates[member] = formatDateTime(parsed);
  }
  return dates;
}

/**
 * Returns why permissions cannot be combined, in a sentence; null if they can. A repeated code, and
 * Basic together with Detail, are allowed. Source: AISP resource pages, Account Access Consents,
 * A-071…A-080.
 */
function whyNotTogether(
  permissions: readonly string[],
  supported: ReadonlySet<string>,
): string | null {
  const has = (...anyOf: string[]) => anyOf.some((code) => permissions.includes(code));
  const unsupported = permissions.filter((code) => !supported.has(code));
  if (unsupported.length > 0) {
    return `This bank does not offer these permissions: ${[...new Set(unsupported)].join(", ")}.`;
  }
  if (!has("ReadAccountsBasic", "ReadAccountsDetail")) {
    return "Permissions must include ReadAccountsBasic or ReadAccountsDetail.";
  }
  const which = has("ReadTransactionsBasic", "ReadTransactionsDetail");
  const direction = has("ReadTransactionsCredits", "ReadTransactionsDebits");
  if (which && !direction) {
    return (
      "Permissions for transactions must include ReadTransactionsCredits or " +
      "ReadTransactionsDebits."
    );
  }
  if (direction && !which) {
    return (
      "Permissions for transactions must include ReadTransactionsBasic or " +
      "ReadTransactionsDetail."
    );
  }
  return null;
}
