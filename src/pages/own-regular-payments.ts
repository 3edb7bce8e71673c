import { type Html, html, withSortCodes } from "./html.ts";
import { type Choice, row } from "./journey-parts.ts";
import { back, confirmedNext, goOn, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";

/** One mandate, for its customer. */
export type OwnDirectDebit = {
  id: string;
  originator: string;
  reference: string;
  /** The account from which the originator collects. */
  account: string;
  isActive: boolean;
  /** When the next collection is expected; null when there will be none. */
  next: string | null;
  previous: { amount: string; date: string } | null;
};

/** The contents of the page of direct debits. */
type DirectDebitsPage = OwnFrame & { directDebits: OwnDirectDebit[] };

const badge = (isOn: boolean, text: string): Html =>
  html`<span class="status${isOn ? " on" : null}">${text}</span>`;

/** The mandates of a customer's accounts, active ones first. */
export function directDebitsPage(page: DirectDebitsPage): string {
  const none = html`<p>You have no direct debits.</p>`;
  const body = html`
<h1>Direct debits</h1>
<p class="lead">With a direct debit, a company collects money from your account.</p>
${
  page.directDebits.length === 0
    ? none
    : html`<ul class="lines card">
${page.directDebits.map(directDebitLine)}</ul>`
}
${back}`;
  return ownPage(page, { title: "Direct debits", width: "wide", body });
}

const directDebitLine = (each: OwnDirectDebit): Html => html`<li>
<span><b>${each.originator}</b> ${badge(each.isActive, each.isActive ? "Active" : "Cancelled")}<br>
<small>Reference ${each.reference}, from ${each.account}<br>${previousText(each)}${
  each.next && html`<br>Next on ${each.next}`
}</small></span>
<span class="amount">${each.previous?.amount}</span>
${
  each.isActive &&
  html`<a class="plain-button" href="/bank/direct-debits/${each.id}">Cancel<span class="unseen">
the direct debit of ${each.originator}, reference ${each.reference}</span></a>`
}</li>
`;

const previousText = ({ previous }: OwnDirectDebit): string =>
  previous === null ? "Nothing collected yet" : `Last collected on ${previous.date}`;

/** The contents of the page that asks for confirmation. */
type CancelDirectDebitPage = OwnFrame & { directDebit: OwnDirectDebit };

/** A mandate to be cancelled. Posts `decision`: stop, which another page asks about, or keep. */
export function cancelDirectDebitPage(page: CancelDirectDebitPage): string {
  const { id, originator, reference, account, next, previous } = page.directDebit;
  const title = "Cancel a direct debit";
  const body = html`
<h1>${title}</h1>
<p class="lead">If you cancel it, ${originator} will collect nothing more. Let ${originator} know
too, as you may still owe it money. ${confirmedNext}</p>
<dl class="rows card">
${row("Collected by", html`<b>${originator}</b>`)}
${row("Reference", reference)}
${row("From", account)}
${row("Last collected", previous ? `${previous.date}, ${previous.amount}` : "Nothing yet")}
${next && row("Next", next)}
</dl>
${ownForm(page, `/bank/direct-debits/${id}`, html``, [
  goOn("stop"),
  { value: "keep", text: "Keep it" },
])}
${back}`;
  return ownPage(page, { title, body });
}

/** One payee, for its customer. */
export type OwnPayee = {
  id: string;
  name: string;
  number: string;
  reference: string | null;
  isTrusted: boolean;
};

/** A creditor who was paid and is not a payee yet; `id` is the newest payment's. */
export type PaidPayee = { id: string; name: string; number: string; lastPaid: string };

/** The contents of the page of payees. */
type PayeesPage = OwnFrame & { payees: OwnPayee[]; paid: PaidPayee[] };

/** A customer's payees, and the creditors that the customer can save. */
export function payeesPage(page: PayeesPage): string {
  const none = html`<p>You haven’t saved any payees.</p>`;
  const body = html`
<h1>Payees</h1>
<section aria-labelledby="saved"><h2 id="saved">Your payees</h2>
${
  page.payees.length === 0
    ? none
    : html`<ul class="lines card">
${page.payees.map(payeeLine)}</ul>`
}</section>
${
  page.paid.length > 0 &&
  html`<section aria-labelledby="paid"><h2 id="paid">People and companies you have paid</h2>
<ul class="lines card">
${page.paid.map(paidLine)}</ul></section>`
}
${back}`;
  return ownPage(page, { title: "Payees", width: "wide", body });
}

const payeeLine = (each: OwnPayee): Html => html`<li>
<span><b>${each.name}</b> ${each.isTrusted && badge(true, "Trusted")}<br>
<small>${withSortCodes(each.number)}${each.reference && html`, ${each.reference}`}</small></span>
<a class="plain-button" href="/bank/payees/${each.id}">Manage<span class="unseen">
${each.name}</span></a></li>
`;

const paidLine = (each: PaidPayee): Html => html`<li>
<span><b>${each.name}</b><br><small>${withSortCodes(each.number)}<br>
${each.lastPaid}</small></span>
<a class="plain-button" href="/bank/paid/${each.id}">Save<span class="unseen">
${each.name}</span></a></li>
`;

/** The contents of the page on which a paid creditor is saved. */
type SavePayeePage = OwnFrame & { payee: PaidPayee; reference: string | null };

/**
 * A creditor who was paid and can become a payee. Posts `decision`: save, which another page asks
 * about, or decline.
 */
export function savePayeePage(page: SavePayeePage): string {
  const { id, name, number, lastPaid } = page.payee;
  const title = "Save a payee";
  const body = html`
<h1>${title}</h1>
<p class="lead">We will add ${name} to your list of payees. ${confirmedNext}</p>
<dl class="rows card">
${row("Name", html`<b>${name}</b>`)}
${row("Account", number)}
${page.reference && row("Reference", page.reference)}
${row("Last paid", lastPaid)}
</dl>
${ownForm(page, `/bank/paid/${id}`, html``, [
  goOn("save"),
  { value: "decline", text: "Don’t save" },
])}
${back}`;
  return ownPage(page, { title, body });
}

/** The contents of the page of one payee. */
type PayeePage = OwnFrame & { payee: OwnPayee };

/** One payee. Posts `decision`: trust, which another page asks about, untrust or keep. */
export function payeePage(page: PayeePage): string {
  const { id, name, number, reference, isTrusted } = page.payee;
  const { title, effect, decisions } = isTrusted ? noLongerTrusting : trusting;
  const body = html`
<h1>${name}</h1>
<dl class="rows card">
${row("Account", number)}
${reference && row("Reference", reference)}
${row("Trusted", isTrusted ? "Yes" : "No")}
</dl>
<h2>${title}</h2>
<p>${effect} Standing orders and payments that are already set up do not change.
${!isTrusted && confirmedNext}</p>
${ownForm(page, `/bank/payees/${id}`, html``, decisions)}
<h2>Remove this payee</h2>
<p>${confirmedNext}</p>
<p class="links"><a class="plain-button" href="/bank/payees/${id}/remove">Remove from your
list<span class="unseen">: ${name}</span></a></p>
${back}`;
  return ownPage(page, { title: name, body });
}

const trusting: { title: string; effect: string; decisions: Choice[] } = {
  title: "Trust this payee",
  effect:
    "Trust it only if you know who it is: we may then make payments to it without asking you to " +
    "confirm each one.",
  decisions: [goOn("trust"), { value: "keep", text: "Don’t trust it" }],
};

const noLongerTrusting: typeof trusting = {
  title: "Stop trusting this payee?",
  effect: "We will then treat payments to it like payments to any other payee.",
  decisions: [
    { value: "untrust", text: "Stop trusting" },
    { value: "keep", text: "Keep trusting" },
  ],
};

/** Asks for confirmation before a payee is removed. Posts `decision`: remove or keep. */
export function removePayeePage(page: PayeePage): string {
  const { id, name, number, reference } = page.payee;
  const body = html`
<h1>Remove this payee?</h1>
<p class="lead">It will no longer be on your list of payees. Standing orders and payments that are
already set up do not change.</p>
<dl class="rows card">
${row("Payee", html`<b>${name}</b>`)}
${row("Account", number)}
${reference && row("Reference", reference)}
</dl>
${ownForm(page, `/bank/payees/${id}/remove`, html``, [
  { value: "remove", text: "Yes, remove it" },
  { value: "keep", text: "Keep it" },
])}
${back}`;
  return ownPage(page, { title: "Remove a payee", body });
}
