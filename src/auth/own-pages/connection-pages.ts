import { withdrawAccount } from "#src/consents/consent-account.ts";
import { stopConsent } from "#src/consents/stop-consent.ts";
import {
  type FundsConfirmation,
  listConfirmations,
  readConfirmations,
} from "#src/funds/confirmation-record.ts";
import { formatAmount } from "#src/lib/money.ts";
import { csvRow } from "#src/pages/csv.ts";
import {
  connectionPage,
  fundsConnectionPage,
  type ShownCheck,
  withdrawAccountPage,
} from "#src/pages/own-connections.ts";
import { stoppedText, withdrawnText } from "#src/pages/own-stop.ts";
import { dateTimeText, moneyText } from "#src/pages/wording.ts";
import { type AccessConnection, listConnections } from "./connections.ts";
import type { OwnPagesDeps } from "./deps.ts";
import type { Next, PageAnswer, Visit, VisitRoutes } from "./visit.ts";

const notShared: Next = {
  goTo: "/bank",
  message: "This account was not shared any more. Nothing has changed.",
};

/**
 * The pages of Open Banking connections below `/bank`. Each connection can be stopped as a whole,
 * or for one of several accounts.
 */
export function registerConnections({ get, post }: VisitRoutes): void {
  get("/connections/:id", connection);
  post("/connections/:id", decideConnection);
  get("/connections/:id/checks.csv", downloadChecks);
  get("/connections/:id/accounts/:accountId", sharedAccount);
  post("/connections/:id/accounts/:accountId", decideSharedAccount);
}

type FoundConnection = AccessConnection & {
  /** The company's other active connections of its kind. */
  others: AccessConnection[];
};

async function findConnection(
  deps: OwnPagesDeps,
  visit: Visit,
): Promise<FoundConnection | undefined> {
  const all = await listConnections(deps, visit.customerId);
  const found = all.find(({ connection }) => connection.consentId === visit.params.id);
  if (!found) return undefined;
  const { clientName } = found.connection;
  const others = all.filter(
    (each) =>
      each !== found &&
      each.connection.active &&
      each.connection.clientName === clientName &&
      each.summary.type === found.summary.type,
  );
  return { ...found, others };
}

/** The connection as one of several of its company that include this account, if one is given. */
const oneOf = ({ summary: { type }, connection, others }: FoundConnection, accountId?: string) => {
  const include = ({ accounts }: AccessConnection): boolean =>
    accountId === undefined || accounts.some((each) => each.accountId === accountId);
  return { type, clientName: connection.clientName, others: others.filter(include).length };
};

async function connection(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findConnection(deps, visit);
  if (!found) return null;
  const { summary, ...rest } = found;
  const page = { ...visit.frame, ...rest, others: found.others.length };
  if (summary.type === "access") return { page: connectionPage({ ...page, summary }) };
  const asked = await listConfirmations(deps.database, visit.params.id, checksShown);
  const checks = asked.map(checkText);
  return { page: fundsConnectionPage({ ...page, summary, checks }) };
}

// How many checks the page of a connection lists, the newest first.
const checksShown = 100;

/** A check in the customer's words. Source: C-113. */
const checkText = (check: FundsConfirmation): ShownCheck => ({
  when: dateTimeText(check.askedAt),
  reference: check.reference,
  amount: moneyText(check.amount.amountMinor, check.amount.currency),
  answer: answerText(check),
});

function answerText({ isAvailable }: FundsConfirmation): string {
  if (isAvailable === null) return "No answer: the account has another currency";
  return isAvailable ? "Yes, enough money" : "No, not enough money";
}

/** Sends every check of a card issuer as a spreadsheet, newest first. Source: C-113. */
async function downloadChecks(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findConnection(deps, visit);
  if (found?.summary.type !== "funds") return null;
  const pieces = renderChecks(readConfirmations(deps.database, visit.params.id));
  return { download: { name: "checks.csv", contentType: "text/csv; charset=utf-8", pieces } };
}

const checkColumns = ["Date", "Time", "Reference", "Amount", "Currency", "Answer"];

async function* renderChecks(read: AsyncIterable<FundsConfirmation[]>): AsyncGenerator<string> {
  yield csvRow(checkColumns);
  for await (const checks of read) yield checks.map(checkRow).join("");
}

function checkRow(check: FundsConfirmation): string {
  const asked = check.askedAt.toZonedDateTimeISO("Europe/London");
  const { amountMinor, currency } = check.amount;
  return csvRow([
    asked.toPlainDate().toString(),
    asked.toPlainTime().toString({ smallestUnit: "second" }),
    check.reference,
    formatAmount(amountMinor, currency),
    currency,
    answerText(check),
  ]);
}

async function decideConnection(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findConnection(deps, visit);
  if (!found) return null;
  if (visit.form.get("decision") !== "stop") return { goTo: "/bank" };
  const { course } = found.kind;
  const stop = { by: "customer" } as const;
  await stopConsent(deps.database, found.connection, course, stop, deps.clock.now());
  return { goTo: "/bank", message: stoppedText(oneOf(found)) };
}

async function sharedAccount(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const found = await findConnection(deps, visit);
  if (!found) return null;
  const account = found.accounts.find(({ accountId }) => accountId === visit.params.accountId);
  if (!account?.canWithdraw) return notShared;
  const { connection } = found;
  const { others } = oneOf(found, account.accountId);
  return { page: withdrawAccountPage({ ...visit.frame, connection, account, others }) };
}

async function decideSharedAccount(deps: OwnPagesDeps, visit: Visit): Promise<PageAnswer> {
  const { customerId, params, form } = visit;
  const found = await findConnection(deps, visit);
  if (!found) return null;
  if (form.get("decision") !== "stop") return { goTo: `/bank/connections/${params.id}` };
  const withdrawn = await withdrawAccount(deps.database, {
    consentId: params.id,
    kind: found.kind.id,
    customerId,
    accountId: params.accountId ?? "",
    now: deps.clock.now(),
  });
  if (!withdrawn) return notShared;
  const account = found.accounts.find(({ accountId }) => accountId === params.accountId);
  const one = oneOf(found, params.accountId);
  return { goTo: "/bank", message: withdrawnText(account?.label ?? "The account", one) };
}
