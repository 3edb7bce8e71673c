import type { AccountEndpoint } from "#src/accounts/resource.ts";
import type { AccessConsent } from "#src/http/access/access.ts";
import { ApiError } from "#src/http/api-error.ts";
import type { PageQuery, PageRow } from "./page-statement.ts";

/**
 * Throws 403 U028 if the response would contain items older than the resource's open period, and
 * the customer has not authenticated within the last `days`. With 0, no authentication is required.
 * A response without such items is returned, because authenticating again would show nothing more.
 * Source.
 */
export function checkAuthentication(
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

const isBefore = (one: Temporal.Instant, other: Temporal.Instant): boolean =>
  Temporal.Instant.compare(one, other) < 0;

// A day counts 24 hours, whatever the clock changes.
const back = (now: Temporal.Instant, days: number): Temporal.Instant =>
  now.subtract({ hours: 24 * days });

const last = ([first, ...rest]: [Temporal.Instant, ...(Temporal.Instant | null)[]]) =>
  rest.reduce<Temporal.Instant>(
    (latest, instant) => (instant !== null && isBefore(latest, instant) ? instant : latest),
    first,
  );
