import {
  type AccountEndpoint,
  isOfOneAccount,
  isPermitted,
  type PermissionRule,
} from "#src/accounts/resource.ts";
import { admitUnattended, allowanceUsed } from "#src/consents/unattended-access.ts";
import type { AccessConsent } from "#src/http/access/access.ts";
import { ApiError, type Fault, forbidden, refusal } from "#src/http/api-error.ts";
import { customerAddress } from "#src/http/headers/customer-device.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import { isBefore, laterOf } from "#src/lib/date-time.ts";
import type { Database } from "#src/storage/database.ts";
import { knownParameters, type PageRequest } from "./page.ts";
import type { PageQuery, PageRow } from "./page-statement.ts";

/** A 403 that names each permission that the consent lacks. Source: A-120, D-12. */
function permissionMissing(rule: PermissionRule, permissions: readonly string[]): ApiError {
  const missing = rule.filter((anyOf) => !anyOf.some((code) => permissions.includes(code)));
  return new ApiError(
    403,
    missing.map(
      (anyOf): Fault<403> => ({
        code: "PermissionMissing",
        path: "Data.Permissions",
        message:
          `The consent lacks ${anyOf.join(" or ")}. ` +
          "Ask the customer for a consent that has this permission.",
      }),
    ),
  );
}

/**
 * A 403 that does not reveal whether the account is another customer's or closed. Source: A-122.
 */
const accountNotAccessible = (): ApiError =>
  forbidden(
    "AccountNotAccessible",
    "AccountId",
    "This consent does not give access to the account. GET /accounts lists the accounts that " +
      "the consent covers.",
  );

/** The values on which the checks of an endpoint's reads depend, besides the read. */
export type ReadRules = {
  endpoint: AccountEndpoint;
  database: Database;
  /** Days for which an authentication opens old data; 0 asks for none. */
  reauthenticationDays: number;
  /** The number of calls per day without the customer; 0 means unlimited. */
  unattendedPerDay: number;
  /** The age from which data is not shown, in seconds; null for data of any age. */
  maxAgeSeconds: number | null;
};

/** A read of account data after the steps of its request: its caller is admitted. */
export type ReadState = {
  rules: ReadRules;
  request: OperationRequest;
  /** The account in the path; null if it has none, or an id that no account can have. */
  accountId: string | null;
  /** The request in the query, or the reason for its refusal. */
  asked: PageRequest | ApiError;
  /** The request in the query; empty if the query is refused. */
  window: PageRequest;
  page: PageRow;
  consent: AccessConsent;
};

/**
 * The checks of a read in the order in which the standard wants them, after those of the request.
 * Source: A-120….
 */
export const readSteps = stepsFrom<ReadState, ReadRules>()
  .add({
    name: "permission",
    check({ rules, consent }) {
      const { permissions } = rules.endpoint;
      if (isPermitted(permissions, consent.permissions)) return;
      throw permissionMissing(permissions, consent.permissions);
    },
  })
  .add({
    name: "account",
    applies: ({ endpoint }) => isOfOneAccount(endpoint),
    check({ page }) {
      if (!page.account_known) {
        // the customer shares it, and the bank has not sent it yet
        if (page.too_old) throw dataTooOld();
        throw refusal("U011", "AccountId", noAccount);
      }
      if (!page.account_readable) throw accountNotAccessible();
    },
  })
  .add({
    name: "part",
    applies: ({ endpoint }) => endpoint.part !== undefined,
    check({ rules, page }) {
      if (page.part_known) return;
      const { parameter, noun } = present(rules.endpoint.part, "a part that can be unknown");
      throw refusal("U011", parameter, `The account has no ${noun} with this id.`);
    },
  })
  .add({
    name: "query",
    applies: ({ endpoint }) => knownParameters(endpoint).length > 0,
    check({ asked }) {
      if (asked instanceof ApiError) throw asked;
    },
  })
  .add({
    name: "authentication",
    applies: ({ endpoint }) => endpoint.window !== undefined,
    check({ rules, window, request: { now }, page, consent }) {
      const { endpoint, reauthenticationDays } = rules;
      checkAuthentication(endpoint, reauthenticationDays, { ...window, now }, page, consent);
    },
  })
  .add({
    name: "age",
    applies: ({ maxAgeSeconds }) => maxAgeSeconds !== null,
    check({ page }) {
      if (page.too_old) throw dataTooOld();
    },
  })
  // the further pages of a list belong to the call that asked for its first page
  .add({
    name: "unattended-limit",
    check(state) {
      const { rules, window, request } = state;
      // if the customer is present, the TPP sends the customer's address
      const isAttended = customerAddress(request.headers) !== null;
      if (rules.unattendedPerDay === 0 || window.start !== null || isAttended) return;
      return countUnattended(state);
    },
  });

const dataTooOld = (): ApiError =>
  new ApiError(
    503,
    [
      {
        code: "U000",
        message:
          "The bank has not received the newest data of the account, and the data that it has is " +
          "too old to be shown. Send the request again after the number of seconds in Retry-After.",
      },
    ],
    { "retry-after": "30" },
  );

async function countUnattended({ rules, accountId, consent, request }: ReadState): Promise<void> {
  const { database, unattendedPerDay, endpoint } = rules;
  const { operationId } = endpoint;
  const access = { consentId: consent.consentId, operationId, accountId };
  if (await admitUnattended(database, unattendedPerDay, access, request.now)) return;
  throw allowanceUsed(request.now);
}

/**
 * Throws 403 U028 if the response would contain items older than the resource's open period, and
 * the customer has not authenticated within the last `days`. With 0, no authentication is required.
 * A response without such items is returned, because authenticating again would show nothing more.
 * Source.
 */
function checkAuthentication(
  { window }: Pick<AccountEndpoint, "window">,
  days: number,
  { from, to, now }: Pick<PageQuery, "from" | "to" | "now">,
  { history_start }: Pick<PageRow, "history_start">,
  { transactionsFrom, transactionsTo, authenticatedAt }: AccessConsent,
): void {
  if (!window || days === 0 || history_start === null) return;
  const first = last([history_start, from, transactionsFrom]);
  const ends = [to, transactionsTo];
  const isEmpty = ends.some((end) => end !== null && isBefore(end, first));
  if (isEmpty || !isBefore(first, back(now, window.openDays))) return;
  if (authenticatedAt !== null && !isBefore(authenticatedAt, back(now, days))) return;
  const message =
    `The customer must authenticate again before you can read data older than ` +
    `${window.openDays} days.`;
  throw new ApiError(403, [{ code: "U028", message }]);
}

// A day counts 24 hours, whatever the clock changes.
const back = (now: Temporal.Instant, days: number): Temporal.Instant =>
  now.subtract({ hours: 24 * days });

const last = ([first, ...rest]: [Temporal.Instant, ...(Temporal.Instant | null)[]]) =>
  rest.reduce<Temporal.Instant>(laterOf, first);

const noAccount =
  "There is no account with this id. GET /accounts lists the accounts of the consent.";
