import type {
  AccessSummary,
  ConsentSummary,
  FundsSummary,
  PaymentSummary,
  SummaryRow,
} from "./consent-summary.ts";
import { type Html, html, withSortCodes } from "./html.ts";

/** The decision that a form sends: `approve` if no page is expected to follow. */
export type Go = "continue" | "approve";

/** The parts that every page of the journey with a form has. */
export type Frame = {
  bankName: string;
  /** The TPP as the customer knows it. */
  clientName: string;
  /** Where the form is sent. */
  action: string;
  csrf: string;
  /** The name of the step that the form belongs to. */
  step: string;
} & Beside;

/**
 * A button below a form that neither goes on nor leaves, after the question that it answers; or why
 * there is no such button any more.
 */
export type Other = { question: string; value: string; text: string } | { said: string };

/** What a form shows besides its fields and its decisions; all of it may be absent. */
export type Beside = {
  /** What the previous form has done. */
  note?: string | null;
  /** Until when the page can be used, and whether the customer can extend that with a button. */
  time?: { until: string; canExtend: boolean };
  /** Other ways to go on, such as a new code. */
  others?: readonly Other[];
  /** The id of the challenge that the page shows, if it shows one. */
  challenge?: string;
  /** For a page that asks again by itself: the address of the page that does not. */
  checksUntil?: string | null;
};

/** The note after the customer has extended the time of a page. */
export const moreTime = (until: string): string => `You can now use this page until ${until}.`;

const small = (value: string, text: string): Html => html`<button class="link-button"
 name="decision" value="${value}" formnovalidate>${text}</button>`;

/** What the previous form has done. */
export const noteOf = ({ note }: Beside): Html | null =>
  note ? html`<div class="notice done" role="status"><p>${note}</p></div>` : null;

/**
 * The time limit of a page, and the buttons to extend it and to go on in other ways. They come
 * after the decisions, because the Enter key presses the first button. Source: WCAG 2.2 criterion
 * 2.2.1.
 */
export function limits({ time, others = [], checksUntil }: Beside): Html | null {
  if (!time && others.length === 0 && !checksUntil) return null;
  return html`<div class="limits">
${
  checksUntil &&
  html`<p>This page checks for your answer every few seconds.
<a href="${checksUntil}">Stop checking by itself</a></p>`
}
${others.map((other) => html`<p>${otherText(other)}</p>\n`)}${
  time &&
  html`<p>You have until ${time.until} for this page.
${time.canExtend && small("extend", "Give me more time")}</p>`
}
</div>`;
}

const otherText = (other: Other): Html | string =>
  "said" in other ? other.said : html`${other.question} ${small(other.value, other.text)}`;

/**
 * A form of the journey. Its buttons to go on and to leave look the same, so that neither choice is
 * favoured.
 */
export function journeyForm(frame: Frame, fields: Html, go: Choice | null, leave: string): Html {
  return html`<form method="post" action="${frame.action}" autocomplete="off">
${hiddenFields(frame)}
${noteOf(frame)}
${fields}
${choices([...(go ? [go] : []), { value: "cancel", text: leave, skipsChecks: true }])}
${limits(frame)}
</form>`;
}

/** The fields of a form that the customer does not see. */
export const hiddenFields = ({ csrf, step, challenge }: Hidden): Html =>
  html`${Object.entries({ csrf, step, challenge }).map(([name, value]) =>
    value === undefined ? null : html`<input type="hidden" name="${name}" value="${value}">\n`,
  )}`;

/** `challenge` is the one that the page shows: another window may have replaced it since. */
type Hidden = { csrf: string; step?: string; challenge?: string };

/** A button: the value of `decision`, and its text. */
export type Choice = { value: string; text: string; skipsChecks?: boolean };

/** Buttons named `decision` that look the same. The Enter key presses the first one. */
export function choices(given: readonly Choice[]): Html {
  const buttons = given.map(({ value, text, skipsChecks }) => {
    const skips = skipsChecks ? html` formnovalidate` : null;
    return html`<button class="button" name="decision" value="${value}"${skips}>${text}</button>\n`;
  });
  const isLong = given.some(({ text }) => text.length > shortText) ? " long" : "";
  return html`<div class="choices${isLong}">\n${buttons}</div>`;
}

// on a phone, two buttons with texts of this length fit beside each other
const shortText = 14;

/**
 * The error of the form, which screen readers read out immediately. `faulty` says which fields it
 * is about.
 */
export function problem(error: string | null): Html | null {
  if (error === null) return null;
  return html`<div class="notice problem" role="alert" id="problem"><p>${error}</p></div>`;
}

/**
 * The attributes of a field with an error; none if `error` is null. `hint` is the id of the
 * field's hint. Source: WCAG 2.2 criterion 3.3.1.
 */
export function faulty(error: string | null, hint?: string): Html | null {
  const described = [error !== null && "problem", hint].filter((id) => id).join(" ");
  if (error === null) return hint === undefined ? null : html` aria-describedby="${described}"`;
  return html` aria-invalid="true" aria-describedby="${described}"`;
}

/** A panel that only a sandbox shows. */
export const sandboxPanel = (body: Html): Html =>
  html`<aside class="sandbox" aria-label="Sandbox"><p class="tag">Sandbox only</p>${body}</aside>`;

/**
 * The consent in the customer's words; no account if the customer has not chosen one yet. `isGiven`
 * says that the customer gave it before, so that what it allows is possible already.
 */
export const consentSection = (
  summary: ConsentSummary,
  clientName: string,
  accounts: readonly NamedAccount[],
  isGiven = false,
): Html => {
  const who = `${clientName} ${isGiven ? "can" : "will be able to"}`;
  if (summary.type === "funds") return fundsSection(summary, { clientName, who }, accounts);
  const list = accounts.length === 0 ? null : accountList(accounts);
  if (summary.type === "payment") return paymentSection(summary, list);
  return accessSection(summary, who, list);
};

/**
 * What leaves the account and to whom, in large type and first; then the rows about the parties,
 * the costs and the time.
 */
export function paymentSection(summary: PaymentSummary, from: Html | null): Html {
  const { rows, payeeName, payeeAccount, noun } = summary;
  const isFile = noun === "file of payments";
  const isPermission = noun === "payment permission";
  const total = rows.find((each) => each.total);
  const amount = { label: amountLabels[noun ?? "payment"], value: summary.amount };
  const of = (about: SummaryRow["about"]): SummaryRow[] =>
    rows.filter((each) => !each.total && (each.about ?? "who") === about);
  const account =
    payeeAccount === ""
      ? null
      : html`<br>\n<span class="number">${withSortCodes(payeeAccount)}</span>`;
  const groups = [
    {
      title: "Who",
      rows: html`${row(isFile ? "Payments" : "To", html`<b>${payeeName}</b>${account}`)}
${from && row("From", from)}${of("who").map(summaryRow)}`,
      count: of("who").length + 1,
    },
    {
      title: isPermission ? "Limits" : "What it costs",
      ...rowsOf(total ? [amount, ...of("cost")] : of("cost")),
    },
    { title: isPermission ? "How long, and how" : "When", ...rowsOf(of("when")) },
  ].filter(({ count }) => count > 0);
  const isLong = groups.reduce((sum, { count }) => sum + count, 0) > rowsWithoutTitles;
  return html`<section class="card payment" aria-label="Payment">
${figure(total ?? amount)}
${groups.map(
  (group) => html`${isLong ? html`<h2 class="group">${group.title}</h2>` : null}
<dl class="rows">
${group.rows}</dl>
`,
)}</section>
${notes(summary.notes)}`;
}

// a short summary is clear without titles of its groups
const rowsWithoutTitles = 5;

/** What the amount of a consent is called. */
export const amountLabels = {
  payment: "Amount",
  "standing order": "Standing order",
  "file of payments": "Total",
  "payment permission": "Payments",
};

const rowsOf = (rows: readonly SummaryRow[]): { rows: Html; count: number } => ({
  rows: html`${rows.map(summaryRow)}`,
  count: rows.length,
});

/** A figure in large type; in smaller type if it is a phrase. */
function figure({ label, value, total }: SummaryRow): Html {
  const phrase = value.length > longestFigure ? html` class="phrase"` : null;
  const detail = total?.detail;
  return html`<p class="figure"><span class="label">${label}</span>
<strong${phrase}>${value}</strong>${detail && html`\n<span class="label">${detail}</span>`}</p>`;
}

const longestFigure = 16;

/** One row of a summary. */
export const summaryRow = ({ label, value, isFingerprint }: SummaryRow): Html =>
  row(label, isFingerprint ? fingerprint(value) : value);

/** The end of a file's fingerprint, and all of it on demand, with its purpose. */
const fingerprint = (hash: string): Html => html`<details class="fingerprint">
<summary>ends in <code>${hash.slice(-8)}</code></summary>
<p><code>${hash}</code></p>
<p>It stands for this file and no other. If your accounting software shows a fingerprint
(SHA-256), compare them to be sure that this is the file that you sent.</p>
</details>`;

/** One row of a description list. */
export const row = (label: string, value: string | Html): Html =>
  html`<div><dt>${label}</dt><dd>${withValue(value)}</dd></div>\n`;

const withValue = (value: string | Html): Html | Html[] =>
  typeof value === "string" ? withSortCodes(value) : value;

/** Messages that the customer should read before deciding. */
export function notes(texts: readonly string[]): Html | null {
  if (texts.length === 0) return null;
  return html`<div class="notice" role="note">${texts.map((text) => html`<p>${text}</p>`)}</div>`;
}

/** The name and the number of an account on the pages. */
export type NamedAccount = { label: string; number: string };

/** Name and number of an account, on two lines. */
export const accountLines = ({ label, number }: NamedAccount): Html =>
  html`<b>${label}</b><br><span class="number">${withSortCodes(number)}</span>`;

const accountList = (accounts: readonly NamedAccount[]): Html =>
  html`<ul class="plain">${accounts.map(
    (each) => html`<li>${accountLines(each)}</li>
`,
  )}</ul>`;

/** The data clusters with their details, the accounts, the end of the access and the period. */
function accessSection(summary: AccessSummary, who: string, accounts: Html | null): Html {
  return html`<section aria-labelledby="data">
<h2 id="data">What ${who} see</h2>
${clusterList(summary)}
<dl class="rows card">
${accounts && row("Accounts", accounts)}
${row("Ends", summary.ends)}
${summary.transactions === null ? null : row("Transactions", summary.transactions)}
</dl>
</section>`;
}

/**
 * The checks that a card issuer may make, the account, and the end of the consent. Source: C-032.
 */
function fundsSection(
  summary: FundsSummary,
  { clientName, who }: { clientName: string; who: string },
  accounts: readonly NamedAccount[],
): Html {
  return html`<section aria-labelledby="checks">
<h2 id="checks">What ${who} ask</h2>
<p>Whether your account has enough money for an amount, each time that you pay with its card. We
answer only yes or no. We never tell ${clientName} your balance, and we set no money aside.</p>
<dl class="rows card">
${accounts.length === 0 ? null : row("Account", accountList(accounts))}
${fundsRows(summary, accounts)}
</dl>
</section>`;
}

/**
 * The rows of confirmations of funds: the account as the card issuer named it, and the end. The
 * number is left out if the account is shown with the same number.
 */
export const fundsRows = (
  { accountName, accountNumber, ends }: FundsSummary,
  accounts: readonly NamedAccount[],
  endLabel = "Ends",
): Html => html`
${accountName === null ? null : row("Name in the request", accountName)}
${
  accounts.some(({ number }) => number === accountNumber)
    ? null
    : row(
        "Number in the request",
        html`<span class="number">${withSortCodes(accountNumber)}</span>`,
      )
}
${row(endLabel, ends)}`;

/** The clusters. Each opens to show its permissions. */
export function clusterList(summary: Pick<AccessSummary, "clusters">): Html {
  return html`<div class="clusters">
${summary.clusters.map(
  ({ title, lines }) => html`<details class="cluster">
<summary>${title}</summary>
<ul>
${lines.map(({ text, detail }) => html`<li>${text}${clusterDetail(detail)}</li>\n`)}</ul>
</details>
`,
)}</div>`;
}

const clusterDetail = (detail: string): Html | null =>
  detail === "" ? null : html`<br><small>${detail}</small>`;

/** The fields of the first factor. The cursor is in the first field that is to be filled in. */
export function loginFields({ login, error }: { login: string; error: string | null }): Html {
  const again = login !== "";
  const focus = html` autofocus`;
  // the bank does not tell which of the two is wrong
  const fault = faulty(error);
  return html`
<div class="field"><label for="login">User ID</label>
<input id="login" name="login" value="${login}" required autocomplete="username"
 autocapitalize="none" spellcheck="false" maxlength="100"${fault}${again ? null : focus}></div>
<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" required autocomplete="current-password"
 maxlength="200"${fault}${again ? focus : null}></div>`;
}

/** A customer that comes with the sandbox. */
export type SandboxLogin = { login: string; password: string; name: string };

/** The customers of a sandbox with their logins; nothing in production. */
export function loginPanel(logins: readonly SandboxLogin[]): Html | null {
  if (logins.length === 0) return null;
  return sandboxPanel(html`
<table>
<thead><tr><th scope="col">Customer</th><th scope="col">User ID</th>
<th scope="col">Password</th></tr></thead>
<tbody>
${logins.map(
  ({ login, password, name }) => html`<tr><td>${name}</td><td><code>${login}</code></td>
<td><code>${password}</code></td></tr>
`,
)}</tbody>
</table>`);
}

/** The field of the second factor. The cursor is in it unless the page has to be read first. */
export const codeField = (error: string | null, isFocused = true): Html => html`
<div class="field"><label for="code">Security code</label>
<p class="hint" id="code-hint">6 digits</p>
<input id="code" name="code" class="code" required inputmode="numeric" pattern="[0-9 ]{6,9}"
 autocomplete="one-time-code" maxlength="9"${faulty(error, "code-hint")}${
   isFocused ? html` autofocus` : null
 }
 title="6 digits"></div>`;

/** The code of the challenge, which only a sandbox shows. */
export const codePanel = (code: string | null): Html | null =>
  code === null
    ? null
    : sandboxPanel(html`<p>The code for this is <code class="big">${code}</code></p>`);
