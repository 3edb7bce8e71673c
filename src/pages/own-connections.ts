import type { AccessSummary, FundsSummary } from "./consent-summary.ts";
import { type Html, html } from "./html.ts";
import { accountLines, clusterList, fundsRows, type NamedAccount, row } from "./journey-parts.ts";
import { type OwnConnection, statusBadge } from "./own-bank.ts";
import { back, type OwnFrame, ownForm, ownPage } from "./own-frame.ts";
import { stopsText, withdrawsText } from "./own-stop.ts";

/** An account that a TPP was given access to. */
export type SharedAccount = NamedAccount & {
  accountId: string;
  /**
   * Whether it can be removed by itself. For the last account, the whole access is stopped instead.
   */
  canWithdraw: boolean;
};

/** The contents of the page of one TPP’s access. */
type ConnectionPage = OwnFrame & {
  connection: OwnConnection;
  accounts: SharedAccount[];
  summary: AccessSummary;
  /** `1 May 2026`. */
  granted: string;
  /** How many others of its kind the company has. */
  others: number;
};

/**
 * One connection, and how to stop it. Posts `decision`: stop or keep. Source: customer experience
 * guidelines, Dashboards.
 */
export function connectionPage(page: ConnectionPage): string {
  const { connection, summary } = page;
  const body = html`
<h1>${connection.clientName}</h1>
<p class="lead">${statusBadge(connection)}
Access to information about your accounts.</p>
<dl class="rows card">
${row("Accounts", sharedAccounts(page))}
${row("Granted", page.granted)}
${row(connection.active ? "Ends" : "Ended", summary.ends)}
${summary.transactions === null ? null : row("Transactions", summary.transactions)}
</dl>
<h2>What ${connection.clientName} ${connection.active ? "can" : "could"} see</h2>
${clusterList(summary)}
${connection.active ? stopAccess(page) : null}
${back}`;
  return ownPage(page, { title: connection.clientName, body });
}

const sharedAccounts = ({
  accounts,
  connection,
}: Pick<ConnectionPage, "accounts" | "connection">): Html =>
  html`<ul class="plain shared">${accounts.map(
    (each) => html`<li><span>${accountLines(each)}</span>${
      each.canWithdraw
        ? html` <a class="plain-button" href="${pathOf(connection, each)}">Stop sharing<span
class="unseen"> ${each.label}</span></a>`
        : null
    }</li>
`,
  )}</ul>`;

const pathOf = ({ consentId }: OwnConnection, { accountId }: SharedAccount): string =>
  `/bank/connections/${consentId}/accounts/${accountId}`;

function stopAccess(page: ConnectionPage): Html {
  const { clientName, consentId } = page.connection;
  const decisions = [
    { value: "stop", text: "Yes, stop it" },
    { value: "keep", text: "Keep it" },
  ];
  return html`<h2>Stop access?</h2>
<p>${stopsText({ type: "access", clientName, others: page.others })}
Ask ${clientName} what this means for the
service it gives you, and for the information it already has.</p>
${ownForm(page, `/bank/connections/${consentId}`, html``, decisions)}`;
}

/** A check of funds as the customer is shown it; `when` is `22 November 2026 at 09:30`. */
export type ShownCheck = { when: string; reference: string; amount: string; answer: string };

/** The contents of the page of a card issuer that may check funds. */
type FundsConnectionPage = Omit<ConnectionPage, "summary"> & {
  summary: FundsSummary;
  /** The newest checks, the last one first. */
  checks: ShownCheck[];
};

/**
 * A card issuer that may check funds, what it has asked, and how to stop it. Posts `decision`: stop
 * or keep. Source: C-112…C-115.
 */
export function fundsConnectionPage(page: FundsConnectionPage): string {
  const { connection, summary, checks } = page;
  const none = html`<p>There have been no checks.</p>`;
  const list = html`<ul class="lines card">
${checks.map(checkLine)}</ul>`;
  const download = html`<p><a href="/bank/connections/${connection.consentId}/checks.csv"
download>Download all checks</a> as a spreadsheet (CSV).</p>`;
  const body = html`
<h1>${connection.clientName}</h1>
<p class="lead">${statusBadge(connection)}
${
  connection.active
    ? "Checks whether your account has enough money. We answer only yes or no."
    : "Can no longer check under this permission whether your account has enough money."
}</p>
<dl class="rows card">
${row("Account", sharedAccounts(page))}
${fundsRows(summary, page.accounts, connection.active ? "Ends" : "Ended")}
${row("Granted", page.granted)}
</dl>
${connection.active ? stopChecks(page) : null}
<h2>The latest checks</h2>
${checks.length === 0 ? none : list}
${checks.length === 0 ? null : download}
${back}`;
  return ownPage(page, { title: connection.clientName, body });
}

const checkLine = ({ when, reference, amount, answer }: ShownCheck): Html => html`<li>
<span><b>${answer}</b><br><small>${when}<br>${reference}</small></span>
<span class="amount">${amount}</span></li>
`;

function stopChecks(page: FundsConnectionPage): Html {
  const { clientName, consentId } = page.connection;
  const decisions = [
    { value: "stop", text: "Yes, stop them" },
    { value: "keep", text: "Keep them" },
  ];
  return html`<h2>Stop checks?</h2>
<p>${stopsText({ type: "funds", clientName, others: page.others })}
Payments with your ${clientName} card may then be
declined, and you cannot allow the checks again without a new request from ${clientName}. Ask
${clientName} what this means for your card.</p>
${ownForm(page, `/bank/connections/${consentId}`, html``, decisions)}`;
}

/** The contents of the page of one account of a TPP’s access. */
type WithdrawAccountPage = OwnFrame & {
  connection: OwnConnection;
  account: SharedAccount;
  /** How many other connections of the company include it. */
  others: number;
};

/**
 * Asks for confirmation before an account is removed from an access. Posts `decision`: stop or
 * keep.
 */
export function withdrawAccountPage(page: WithdrawAccountPage): string {
  const { connection, account, others } = page;
  const { clientName } = connection;
  const decisions = [
    { value: "stop", text: "Yes, stop sharing it" },
    { value: "keep", text: "Keep sharing it" },
  ];
  const body = html`
<h1>Stop sharing this account?</h1>
<p class="lead">${withdrawsText({ type: "access", clientName, others })}</p>
<dl class="rows card">
${row("Account", accountLines(account))}
${row("Shared with", clientName)}
</dl>
<p>To share this account again, you will have to approve a new request from ${clientName}.
Ask ${clientName} what this means for the service it gives you, and for the information it
already has.</p>
${ownForm(page, pathOf(connection, account), html``, decisions)}
${back}`;
  return ownPage(page, { title: "Stop sharing an account", body });
}
