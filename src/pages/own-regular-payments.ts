import { type Html, html } from "./html.ts";
import { row } from "./journey-parts.ts";
import { layout } from "./layout.ts";
import { back, logout, type OwnFrame, ownForm } from "./own-bank.ts";

type Frame = OwnFrame & {
  /** The message about the last act; null if there is none. */
  message: string | null;
};

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
export type DirectDebitsPage = Frame & { directDebits: OwnDirectDebit[] };

const done = (message: string | null): Html | null =>
  message === null ? null : html`<div class="notice done" role="status"><p>${message}</p></div>`;

const badge = (isOn: boolean, text: string): Html =>
  html`<span class="status${isOn ? " on" : null}">${text}</span>`;

/** The mandates of a customer's accounts, active ones first. */
export function directDebitsPage(page: DirectDebitsPage): string {
  const none = html`<p>You have no direct debits.</p>`;
  const body = html`
<h1>Direct debits</h1>
${done(page.message)}
<p class="lead">With a direct debit, a company collects money from your account.</p>
${
  page.directDebits.length === 0
    ? none
    : html`<ul class="lines card">
${page.directDebits.map(directDebitLine)}</ul>`
}
${back}`;
  return layout({
    bankName: page.bankName,
    title: "Direct debits",
    width: "wide",
    corner: logout(page),
    body,
  });
}

const directDebitLine = (each: OwnDirectDebit): Html => html`<li>
<span><b>${each.originator}</b> ${badge(each.isActive, each.isActive ? "Active" : "Cancelled")}<br>
<small>${each.reference}, from ${each.account}<br>${previousText(each)}${
  each.next && html`, next on ${each.next}`
}</small></span>
<span class="amount">${each.previous?.amount}</span>
${
  each.isActive &&
  html`<a class="plain-button" href="/bank/direct-debits/${each.id}">Cancel<span class="unseen">
the direct debit of ${each.originator}</span></a>`
}</li>
`;

const previousText = ({ previous }: OwnDirectDebit): string =>
  previous === null ? "Nothing collected yet" : `Last collected on ${previous.date}`;

/** The contents of the page that asks for confirmation. */
export type CancelDirectDebitPage = Frame & { directDebit: OwnDirectDebit };

/** Asks for confirmation before a mandate ends. Posts `decision`: stop or keep. */
export function cancelDirectDebitPage(page: CancelDirectDebitPage): string {
  const { id, originator, reference, account, next } = page.directDebit;
  const body = html`
<h1>Cancel this direct debit?</h1>
<p class="lead">${originator} will collect nothing more. Tell ${originator} too: you may still owe
it money.</p>
<dl class="rows card">
${row("Collected by", html`<b>${originator}</b>`)}
${row("Reference", reference)}
${row("From", account)}
${row("Last collected", previousText(page.directDebit))}
${next && row("Next", next)}
</dl>
${ownForm(page, `/bank/direct-debits/${id}`, html``, [
  { value: "stop", text: "Cancel direct debit" },
  { value: "keep", text: "Keep direct debit" },
])}
${back}`;
  return layout({
    bankName: page.bankName,
    title: "Cancel a direct debit",
    corner: logout(page),
    body,
  });
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
export type PayeesPage = Frame & { payees: OwnPayee[]; paid: PaidPayee[] };

/** A customer's payees, and the creditors that the customer can save. */
export function payeesPage(page: PayeesPage): string {
  const none = html`<p>You have saved no payees.</p>`;
  const body = html`
<h1>Payees</h1>
${done(page.message)}
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
  return layout({
    bankName: page.bankName,
    title: "Payees",
    width: "wide",
    corner: logout(page),
    body,
  });
}

const payeeLine = (each: OwnPayee): Html => html`<li>
<span><b>${each.name}</b> ${each.isTrusted && badge(true, "Trusted")}<br>
<small>${each.number}${each.reference && html`, ${each.reference}`}</small></span>
<a class="plain-button" href="/bank/payees/${each.id}">Manage<span class="unseen">
${each.name}</span></a></li>
`;

const paidLine = (each: PaidPayee): Html => html`<li>
<span><b>${each.name}</b><br><small>${each.number}<br>${each.lastPaid}</small></span>
<a class="plain-button" href="/bank/paid/${each.id}">Save<span class="unseen">
${each.name}</span></a></li>
`;

/** The contents of the page on which a paid creditor is saved. */
export type SavePayeePage = Frame & { payee: PaidPayee; reference: string | null };

/** A creditor who was paid and can become a payee. Posts `decision`: save or decline. */
export function savePayeePage(page: SavePayeePage): string {
  const { id, name, number, lastPaid } = page.payee;
  const body = html`
<h1>Save this payee?</h1>
<p class="lead">${name} will be added to your list of payees.</p>
<dl class="rows card">
${row("Name", html`<b>${name}</b>`)}
${row("Account", number)}
${page.reference && row("Reference", page.reference)}
${row("Last paid", lastPaid)}
</dl>
${ownForm(page, `/bank/paid/${id}`, html``, [
  { value: "save", text: "Save payee" },
  { value: "decline", text: "Do not save" },
])}
${back}`;
  return layout({ bankName: page.bankName, title: "Save a payee", corner: logout(page), body });
}

/** The contents of the page of one payee. */
export type PayeePage = Frame & { payee: OwnPayee };

/** One payee. Posts `decision`: trust, untrust, remove or keep. */
export function payeePage(page: PayeePage): string {
  const { id, name, number, reference, isTrusted } = page.payee;
  const body = html`
<h1>${name}</h1>
<p class="lead">A payee on your list. Your choice here does not change standing orders and payments
that are already set up.</p>
<dl class="rows card">
${row("Account", number)}
${reference && row("Reference", reference)}
${row("Trusted", isTrusted ? "Yes" : "No")}
</dl>
${ownForm(page, `/bank/payees/${id}`, html``, [
  isTrusted
    ? { value: "untrust", text: "Stop trusting" }
    : { value: "trust", text: "Trust this payee" },
  { value: "remove", text: "Remove payee" },
  { value: "keep", text: "Leave as it is" },
])}
${back}`;
  return layout({ bankName: page.bankName, title: name, corner: logout(page), body });
}
