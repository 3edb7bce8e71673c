import {
  endOf,
  type GivenConsent,
  loadGiven,
  periodText,
  statusText,
} from "#src/channels/given-consents.ts";
import { setPaused } from "#src/consents/pause-consent.ts";
import { stopConsent } from "#src/consents/stop-consent.ts";
import { byCustomer } from "#src/history/change.ts";
import { present } from "#src/lib/assert.ts";
import type { OwnPermission, PermissionList } from "#src/pages/own-bank.ts";
import {
  type PermissionPage,
  type PermittedPayment,
  permissionPage,
  permissionsPage,
  type UsedLimit,
} from "#src/pages/own-permissions.ts";
import { type OneOf, pausedText, stoppedText } from "#src/pages/own-stop.ts";
import { dateText, dayText, moneyText } from "#src/pages/wording.ts";
import { toDate } from "#src/payments/calendar/timing.ts";
import { planOf } from "#src/payments/definitions/payment-kind.ts";
import { periodLabel } from "#src/payments/limits/limit-words.ts";
import {
  type LimitedPayment,
  type LimitOutcome,
  type LimitUsage,
  listPayments,
  loadUsage,
  outcomeOf,
} from "#src/payments/limits/usage.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { sweepingType } from "#src/standard/shared/vrp-types.ts";
import { type Sql, sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { accountText } from "./own-payments.ts";
import type { PageAnswer, Visit, VisitRoutes } from "./visit.ts";

// The permissions to make payments within limits that a customer has given to TPPs.

/** The pages of permissions below `/bank`. */
export function registerPermissions({ get, post }: VisitRoutes): void {
  get("/permissions", allPermissions);
  get("/permissions/:id", permission);
  post("/permissions/:id", decide);
}

/** How many permissions a page lists. */
const permissionsPerPage = 20;

/**
 * Lists the permissions of a page, from 0, and whether there is another page. Active permissions
 * come first, then the newest.
 */
export async function listPermissions(
  deps: OwnPagesDeps,
  customerId: string,
  page = 0,
): Promise<PermissionList> {
  const first = page * permissionsPerPage;
  const rows = await loadRows(deps, customerId, { first, count: permissionsPerPage + 1 });
  const permissions = rows.slice(0, permissionsPerPage).map((row) => shown(deps, row));
  return { permissions, next: rows.length > permissionsPerPage ? page + 1 : null };
}

/** A page of all permissions, whose number is in the query. */
async function allPermissions(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const list = await listPermissions(deps, visit.customerId, pageOf(visit));
  return { page: permissionsPage({ ...visit.frame, ...list }) };
}

const pageOf = ({ query }: Visit): number =>
  /^\d{1,4}$/.test(query.page ?? "") ? Number(query.page) : 0;

type Wanted = { consentId: string } | { first: number; count: number };

/** Loads permissions of a customer: some in their order, or only the one with that id. */
function loadRows(deps: OwnPagesDeps, customerId: string, wanted: Wanted): Promise<GivenConsent[]> {
  const { consentId, first, count } = { consentId: null, first: 0, count: 1, ...wanted };
  return loadChosen(
    deps,
    customerId,
    sql`where ${consentId}::text is null or c."consentId" = ${consentId}
      order by (${isActive(deps)}) desc, c."authorisedAt" desc, c."consentId"
      limit ${count}::integer offset ${first}::integer`,
  );
}

/** SQL: whether payments can be made under a permission, or are paused. */
const isActive = ({ clock }: OwnPagesDeps): Sql => sql`c.status = 'AUTH' and c."deletedAt" is null
  and coalesce(c."expiresAt" > ${clock.now()}, true)`;

function loadChosen(deps: OwnPagesDeps, customerId: string, choice: Sql): Promise<GivenConsent[]> {
  const kinds = deps.kinds.filter(({ consent }) => consent.mayPause);
  return loadGiven(deps, customerId, { kinds, scope: "payments", choice });
}

/** A permission as one of several that its company may have. */
async function oneOf(
  deps: OwnPagesDeps,
  { customerId }: Visit,
  { consentId, clientName }: GivenConsent,
): Promise<OneOf> {
  const active = await loadChosen(deps, customerId, sql`where ${isActive(deps)}`);
  const others = active.filter(
    (each) => each.consentId !== consentId && each.clientName === clientName,
  );
  return { type: "payments", clientName, others: others.length };
}

/** The limits of a permission, and its words for the customer, as the journey showed them. */
function termsOf({ kinds, clock, config }: OwnPagesDeps, row: GivenConsent) {
  const kind = kindNamed(row.kind, kinds);
  const plan = planOf(kind, row, clock.now(), config);
  const { amount, rows, payeeName, payeeAccount } = kind.shape.summarise(plan, row);
  const payee = { label: payeeName, number: payeeAccount };
  return { limits: present(plan.request.limits, "the limits of a consent"), amount, rows, payee };
}

function shown(deps: OwnPagesDeps, row: GivenConsent): OwnPermission {
  const status = statusText(row, deps.clock.now());
  const { amount, payee } = termsOf(deps, row);
  return {
    consentId: row.consentId,
    clientName: row.clientName,
    active: status === "Active" || status === "Paused",
    status,
    accounts: row.debtor ? accountText(row.debtor).label : "",
    period: periodText(row, endOf(row, deps.clock.now())),
    amount,
    payee: payee.label,
  };
}

const findRow = async (deps: OwnPagesDeps, { customerId, params }: Visit) =>
  (await loadRows(deps, customerId, { consentId: params.id ?? "" }))[0];

/** How many payments a page of a permission lists. */
const paymentsPerPage = 100;

async function permission(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const row = await findRow(deps, visit);
  if (!row) return null;
  const { limits, payee, rows } = termsOf(deps, row);
  const endedAt = endOf(row, deps.clock.now());
  const ended = endedAt && { label: "Ended", value: `On ${dateText(endedAt)}` };
  const shownRow = shown(deps, row);
  const number = pageOf(visit);
  const [used, payments, { others }] = await Promise.all([
    shownRow.active ? loadUsage(deps.database, row, limits, deps.clock.now()) : [],
    listPayments(deps.database, row, {
      first: number * paymentsPerPage,
      count: paymentsPerPage + 1,
    }),
    oneOf(deps, visit, row),
  ]);
  const currency = present(limits.single?.currency, "the currency of a limit");
  const page = permissionPage({
    ...visit.frame,
    permission: shownRow,
    payee,
    from: row.debtor && accountText(row.debtor),
    granted: row.authorisedAt ? dateText(row.authorisedAt) : "",
    rows: rows.map((each) => (ended && each.label === "Ends" ? ended : each)),
    used: used.map((usage) => usedText(usage, currency)),
    payments: payments.slice(0, paymentsPerPage).map(paymentText),
    isNewest: number === 0,
    next: payments.length > paymentsPerPage ? number + 1 : null,
    pause: pauseOf(row, limits),
    others,
  });
  return { page };
}

/** Payments can be paused unless the permission allows only sweeping. Source: CV-88. */
function pauseOf({ pausedAt }: GivenConsent, { uses }: RequestedLimits): PermissionPage["pause"] {
  if (pausedAt !== null) return { since: dateText(pausedAt) };
  const isCommercial = uses.type?.some((type) => type !== sweepingType) ?? false;
  return isCommercial ? "possible" : "not possible";
}

const usedText = (
  { type, usedMinor, limitMinor, last }: LimitUsage,
  currency: string,
): UsedLimit => ({
  label: periodLabel(type),
  used: `${moneyText(usedMinor, currency)} of ${moneyText(limitMinor, currency)}`,
  until: type === "Day" ? "today" : `until ${dayText(toDate(last))}`,
});

const outcomeTexts: Readonly<Record<LimitOutcome, string>> = {
  paid: "Paid",
  "not paid": "Not made",
  "in progress": "In progress",
};

const paymentText = ({
  createdAt,
  amountMinor,
  currency,
  status,
  payee,
}: LimitedPayment): PermittedPayment => ({
  date: dateText(createdAt),
  payee,
  amount: moneyText(amountMinor, currency),
  status: outcomeTexts[outcomeOf(status)],
});

async function decide(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const row = await findRow(deps, visit);
  if (!row) return null;
  const decision = visit.form.get("decision");
  if (decision === "pause" || decision === "resume") return pause(deps, visit, row, decision);
  return decision === "stop" ? cancel(deps, visit, row) : { goTo: "/bank" };
}

/** Pauses payments or resumes them; those in progress continue. Source: CV-88. */
async function pause(
  deps: OwnPagesDeps,
  visit: Visit,
  row: GivenConsent,
  decision: "pause" | "resume",
): Promise<PageAnswer> {
  const isPause = decision === "pause";
  if (isPause && pauseOf(row, termsOf(deps, row).limits) === "not possible") return null;
  const isChanged = await setPaused(deps.database, row, isPause, byCustomer(deps.clock.now()));
  const goTo = `/bank/permissions/${row.consentId}`;
  if (!isChanged) return { goTo };
  const message = isPause
    ? pausedText(await oneOf(deps, visit, row))
    : `${row.clientName} can make payments again, within the limits below.`;
  return { goTo, message };
}

/** Cancels a permission: later payments stop, those in progress continue. Source: V-080, V-195. */
async function cancel(deps: OwnPagesDeps, visit: Visit, row: GivenConsent): Promise<PageAnswer> {
  const { consent: course } = kindNamed(row.kind, deps.kinds);
  await stopConsent(deps.database, row, course, { by: "customer" }, deps.clock.now());
  return { goTo: "/bank", message: stoppedText(await oneOf(deps, visit, row)) };
}
