import type { OrderSummary, PaymentNoun, SummaryRow } from "./consent-summary.ts";
import { type Html, html } from "./html.ts";
import {
  accountLines,
  amountLabels,
  type NamedAccount,
  paymentSection,
  row,
} from "./journey-parts.ts";
import { back, confirmedNext, goOn, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";

/** One account with its funds; null if the bank did not say them. */
type OwnAccount = {
  label: string;
  number: string;
  funds: { balance: string; available: string } | null;
};
/** One payment in a list; `id` is its order. */
export type OwnPayment = {
  id: string;
  amount: string;
  /** The amount that a standing order repeats, and how often; absent for other orders. */
  rule?: string;
  payee: string;
  /** Its description in the list, one line each. */
  detail: readonly string[];
  /** Its description on its page, besides the amount and the payee. */
  rows: SummaryRow[];
  /** The order to which it belongs, if that is not a single payment. */
  noun?: PaymentNoun;
  /** Whether it cannot be cancelled because its funds are reserved. */
  fixed?: boolean;
};
/** One TPP’s access. */
export type OwnConnection = {
  consentId: string;
  clientName: string;
  /** Whether it has not ended. */
  active: boolean;
  /** `Active`, `Paused`, or how it ended. */
  status: string;
  /** `Everyday, Savings`. */
  accounts: string;
  /** `since 1 May 2026, until 3 March 2027`. */
  period: string;
};

/** What the company of a connection can do: the kinds of consent that are listed together. */
const connectionTexts = {
  access: "Access to information about your accounts",
  funds: "Checks whether your account has enough money",
};

/** A connection in the list of all kinds. */
export type ListedConnection = OwnConnection & { type: keyof typeof connectionTexts };

/** A TPP that may make payments within limits. */
export type OwnPermission = OwnConnection & {
  /** `Up to £50.00 per payment`. */
  amount: string;
  /** `Acme Ltd`, or `Named with each payment`. */
  payee: string;
};

/** Some permissions, and the number of the page with the next ones; null if there are no more. */
export type PermissionList = { permissions: OwnPermission[]; next: number | null };

/** The contents of the first page. */
type OverviewPage = OwnFrame & {
  customerName: string;
  accounts: OwnAccount[];
  waiting: OwnPayment[];
  upcoming: OwnPayment[];
  permissions: PermissionList;
  connections: ListedConnection[];
  /** Whether the bank has a page of direct debits, and one of payees. */
  hasMandates: boolean;
  hasPayees: boolean;
  /** Whether customers can give apps and websites access to their accounts. */
  hasAccess: boolean;
  /** Whether customers can have passkeys. */
  hasPasskeys: boolean;
};

/** The customer's first page: accounts, payments to approve, upcoming payments, connections. */
export function overviewPage(page: OverviewPage): string {
  const body = html`
<h1>Hello, ${page.customerName}</h1>
${waitingSection(page.waiting)}
<section aria-labelledby="accounts"><h2 id="accounts">Your accounts</h2>
<ul class="tiles">
${page.accounts.map(accountTile)}</ul></section>
${upcomingSection(page.upcoming)}
${permissionsSection(page.permissions)}
${regularSection(page)}
${connectionsSection(page)}
${page.hasPasskeys && securitySection}`;
  return ownPage(page, { title: "Your accounts", width: "wide", body });
}

const securitySection = html`<section aria-labelledby="security">
<h2 id="security">Security</h2>
<p class="links"><a class="plain-button" href="/bank/passkeys">Passkeys</a></p></section>`;

const accountTile = (account: OwnAccount): Html => html`<li class="card tile">
<p>${accountLines(account)}</p>
${account.funds && fundsLine(account.funds)}</li>
`;

const fundsLine = ({ balance, available }: NonNullable<OwnAccount["funds"]>): Html =>
  html`<p class="figure"><strong>${balance}</strong><br>
<small>${available} available</small></p>`;

function waitingSection(waiting: OwnPayment[]): Html | null {
  if (waiting.length === 0) return null;
  return html`<section aria-labelledby="waiting"><h2 id="waiting">Waiting for your approval</h2>
<ul class="lines card">
${waiting.map((payment) => paymentLine(payment, `/bank/approvals/${payment.id}`, "Review"))}</ul>
</section>`;
}

function upcomingSection(upcoming: OwnPayment[]): Html | null {
  if (upcoming.length === 0) return null;
  return html`<section aria-labelledby="upcoming"><h2 id="upcoming">Upcoming payments</h2>
<ul class="lines card">
${upcoming.map((payment) => paymentLine(payment, `/bank/upcoming/${payment.id}`, "Cancel"))}</ul>
</section>`;
}

function regularSection({ hasMandates, hasPayees }: OverviewPage): Html | null {
  if (!hasMandates && !hasPayees) return null;
  const mandates = html`<a class="plain-button" href="/bank/direct-debits">Direct debits</a>`;
  const payees = html`<a class="plain-button" href="/bank/payees">Payees</a>`;
  return html`<section aria-labelledby="regular">
<h2 id="regular">Regular payments</h2>
<p class="links">${hasMandates && mandates}
${hasPayees && payees}</p></section>`;
}

const lined = (lines: readonly string[]): Html[] =>
  lines.map((line, at) => html`${at > 0 && html`<br>`}${line}`);

const paymentLine = (payment: OwnPayment, path: string, text: string): Html => html`<li>
<span><b>${payment.payee}</b><br><small>${lined(payment.detail)}</small></span>
<span class="amount">${payment.amount}</span>
${
  payment.fixed
    ? null
    : html`<a class="plain-button" href="${path}">${text}<span class="unseen"> ${inWords(payment)},
${payment.detail[0]}</span></a>`
}</li>
`;

const inWords = ({ noun, amount, payee }: OwnPayment): string =>
  noun === "file of payments" ? `${payee}, ${amount} in total` : `${amount} to ${payee}`;

function connectionsSection(page: OverviewPage): Html | null {
  if (page.connections.length === 0 && !page.hasAccess) return null;
  const none = html`<p class="lead">No app or website has access to your accounts.</p>`;
  const list = html`<ul class="lines card">
${page.connections.map(connectionLine)}</ul>`;
  return html`<section aria-labelledby="connections">
<h2 id="connections">Open Banking connections</h2>
${page.connections.length === 0 ? none : list}</section>`;
}

/** Whether a connection is active or paused, or how it ended. */
export const statusBadge = ({ status }: OwnConnection): Html =>
  html`<span class="status${status === "Active" ? " on" : null}">${status}</span>`;

const connectionLine = (given: ListedConnection): Html => html`<li>
<span><b>${given.clientName}</b> ${statusBadge(given)}<br>
<small>${connectionTexts[given.type]}<br>${given.accounts}<br>${given.period}</small></span>
<a class="plain-button" href="/bank/connections/${given.consentId}">${
  given.active ? "Manage" : "View"
}<span class="unseen"> ${given.clientName}: ${connectionTexts[given.type]}, ${given.accounts},
${given.period}</span></a></li>
`;

function permissionsSection(list: PermissionList): Html | null {
  if (list.permissions.length === 0) return null;
  return html`<section aria-labelledby="permissions">
<h2 id="permissions">Open Banking payments</h2>
${permissionLines(list)}</section>`;
}

/** Permissions, with a link to the next ones. */
export const permissionLines = ({ permissions, next }: PermissionList): Html => html`
<ul class="lines card">
${permissions.map(permissionLine)}</ul>
${
  next === null
    ? null
    : html`<p class="links"><a class="plain-button"
 href="/bank/permissions?page=${String(next)}">Show more</a></p>`
}`;

const permissionLine = (given: OwnPermission): Html => html`<li>
<span><b>${given.clientName}</b> ${statusBadge(given)}<br>
<small>Payee: ${given.payee}<br>${given.amount}<br>${given.period}</small></span>
<a class="plain-button" href="/bank/permissions/${given.consentId}">${
  given.active ? "Manage" : "View"
}<span class="unseen"> payments by ${given.clientName} to ${given.payee}: ${given.amount},
${given.period}</span></a></li>
`;

/** The contents of the page of a payment to be signed. */
type ApprovalPage = OwnFrame & {
  orderId: string;
  /** The customer who signed first. */
  askedBy: string;
  clientName: string;
  summary: OrderSummary;
  from: NamedAccount;
  /** What its form repeats, so that nothing else is approved than what the page shows. */
  field: string;
};

const whatWaits = {
  payment: "We will not make it",
  "standing order": "We will not set it up",
  "file of payments": "We will make none of its payments",
};

const whatIsUndone = {
  payment: "It has not been made yet. If you cancel it, we will not make it.",
  "standing order":
    "If you cancel it, we make no further payments. Payments already made are not changed.",
  "file of payments":
    "None of its payments has been made yet. If you cancel it, we will make none of them.",
};

const shownField = ({ field }: ApprovalPage): Html =>
  html`<input type="hidden" name="shown" value="${field}">`;

/**
 * A payment that awaits this customer's signature. Posts `decision`: approve or decline, which
 * another page asks about.
 */
export function approvalPage(page: ApprovalPage): string {
  const { noun = "payment" } = page.summary;
  const title = `Check this ${noun}`;
  const body = html`
<h1>${title}</h1>
<p class="lead">${approvedBy(page)} ${whatWaits[noun]} until all have approved it.
${confirmedNext}</p>
${paymentSection(page.summary, accountLines(page.from))}
${ownForm(page, `/bank/approvals/${page.orderId}`, shownField(page), [
  goOn("approve"),
  { value: "decline", text: "Decline" },
])}
${back}`;
  return ownPage(page, { title, body });
}

/** The notes say what follows an approval. */
const withoutNotes = (summary: OrderSummary): OrderSummary => ({ ...summary, notes: [] });

/** Asks for confirmation before a payment is declined. Posts `decision`: stop or keep. */
export function declinePage(page: Omit<ApprovalPage, "field">): string {
  const { noun = "payment" } = page.summary;
  const title = `Decline this ${noun}?`;
  const body = html`
<h1>${title}</h1>
<p class="lead">${approvedBy(page)} If you decline it, nothing will be paid.</p>
${paymentSection(withoutNotes(page.summary), accountLines(page.from))}
${ownForm(page, `/bank/approvals/${page.orderId}/decline`, html``, [
  { value: "stop", text: "Yes, decline it" },
  { value: "keep", text: "Keep it" },
])}
${back}`;
  return ownPage(page, { title, body });
}

const approvedBy = ({ askedBy, clientName, summary }: Omit<ApprovalPage, "field">): Html =>
  html`<b>${askedBy}</b> has approved this ${summary.noun ?? "payment"}, which
<b>${clientName}</b> requested.`;

/** The contents of the page of a future-dated payment. */
type UpcomingPage = OwnFrame & { orderId: string; payment: OwnPayment };

/** A payment to be cancelled. Posts `decision`: stop, which another page asks about, or keep. */
export function upcomingPage(page: UpcomingPage): string {
  const { payment } = page;
  const { noun = "payment" } = payment;
  const title = `Cancel a ${noun}`;
  const body = html`
<h1>${title}</h1>
<p class="lead">${whatIsUndone[noun]} ${confirmedNext}</p>
<dl class="rows card">
${row(noun === "file of payments" ? "Payments" : "Payee", html`<b>${payment.payee}</b>`)}
${row(amountLabels[noun], html`<b>${payment.rule ?? payment.amount}</b>`)}
${payment.rows.map(({ label, value }) => row(label, value))}
</dl>
${ownForm(page, `/bank/upcoming/${page.orderId}`, html``, [
  goOn("stop"),
  { value: "keep", text: "Keep it" },
])}
${back}`;
  return ownPage(page, { title, body });
}
