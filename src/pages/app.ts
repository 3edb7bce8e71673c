import type { SummaryRow } from "./consent-summary.ts";
import { type Html, html } from "./html.ts";
import { type Warning, warningOf } from "./journey.ts";
import { choices, problem, row } from "./journey-parts.ts";
import { layout } from "./layout.ts";
import { confirmingRow } from "./login.ts";
import { developerLinks } from "./requests.ts";

/** The page that plays the app of a sandbox's customers. */
export const appPath = "/sandbox/app";

/** The address of one request in the app, without the host. */
export const approvalPath = (approvalId: string): string =>
  `${appPath}?${new URLSearchParams({ approval: approvalId })}`;

/** A request that waits for its customer's answer in the app. */
type WaitingApproval = {
  approvalId: string;
  customerName: string;
  /** The facts that the answer confirms; none for a login. */
  facts: readonly SummaryRow[];
  /** The message that the TPP shows too; null if it shows none. */
  bindingMessage: string | null;
  /** What the customer must read about the payee's name; null if nothing. */
  warning: Warning | null;
  /** Whether a page of the bank waits for the answer. Its digits are asked for. */
  hasPage: boolean;
  /** Until when it can be answered. */
  until: string;
};

/** The contents of the app's page. */
type AppPage = {
  bankName: string;
  approvals: readonly WaitingApproval[];
  /** What has been done, or why nothing was done; null if there is nothing to say. */
  done: string | null;
  error: string | null;
};

/** The page of the sandbox's app. Its forms post `id`, `digits` and `decision`. */
export const appPage = (page: AppPage): string =>
  layout({
    bankName: page.bankName,
    title: "The bank’s app",
    error: page.error,
    corner: developerLinks,
    body: html`<h1>The bank’s app</h1>
<p class="lead">This page plays the app on the phones of the sandbox’s customers.</p>
${problem(page.error)}
${page.done && html`<div class="notice done" role="status"><p>${page.done}</p></div>`}
${page.approvals.length === 0 ? html`<p>Nothing is waiting for an answer.</p>` : null}
${page.approvals.map(approvalCard)}`,
  });

const buttons = [
  { value: "approve", text: "Approve" },
  { value: "decline", text: "Decline", skipsChecks: true },
  { value: "expire", text: "Let it expire", skipsChecks: true },
];

function approvalCard(given: WaitingApproval): Html {
  const { approvalId, customerName, facts, bindingMessage, hasPage, until } = given;
  return html`<div class="card linked">
<h2>${customerName}</h2>
<dl class="rows">
${facts.length === 0 ? row("Log in", "to online banking") : facts.map(confirmingRow)}
${bindingMessage !== null && confirmingRow({ label: "Message", value: bindingMessage })}
${row("Answer by", until)}
</dl>
${warningOf(given)}
<form method="post" action="${appPath}" autocomplete="off">
<input type="hidden" name="id" value="${approvalId}">
${hasPage && digitsField(approvalId)}
${
  bindingMessage !== null &&
  html`<p class="hint">Approve this only if you see the same message where you asked for it.</p>`
}
${choices(buttons)}
</form></div>
`;
}

function digitsField(approvalId: string): Html {
  const [id, hint] = [`digits-${approvalId}`, `hint-${approvalId}`];
  return html`<div class="field"><label for="${id}">Number</label>
<p class="hint" id="${hint}">The 2 digits on the bank’s page</p>
<input id="${id}" name="digits" class="code" required inputmode="numeric" pattern="[0-9]{2}"
 maxlength="2" aria-describedby="${hint}"></div>`;
}
