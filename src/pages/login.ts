import { type AskedFactor, endedBody, endedTitle, factorParts } from "./asked-factor.ts";
import type { SummaryRow } from "./consent-summary.ts";
import { type Html, html, withSortCodes } from "./html.ts";
import type { RequestNoun } from "./journey-endings.ts";
import {
  type Beside,
  type Choice,
  choices,
  hiddenFields,
  limits,
  loginFields,
  loginPanel,
  noteOf,
  notes,
  problem,
  row,
  type SandboxLogin,
  summaryRow,
} from "./journey-parts.ts";
import { layout } from "./layout.ts";

/** The parts that the login pages of all channels have. */
type LoginFrame = {
  bankName: string;
  /** The TPP that has sent the customer; null on the bank's own pages. */
  clientName: string | null;
  /** The address to which the form is sent. */
  action: string;
  csrf: string;
  /** The name of the journey's step; absent on the bank's own pages. */
  step?: string;
  error: string | null;
} & Beside;

/** The values that the login page shows. */
type LoginPage = LoginFrame & {
  /** False if Cancel would lead nowhere else. */
  canLeave?: boolean;
  /** Why the customer has to log in again; null or absent on the first visit. */
  notice?: string | null;
  /** The user ID that was typed before; empty the first time. */
  login: string;
  /** Shown for convenience in a sandbox; empty elsewhere. */
  sandboxLogins: SandboxLogin[];
};

const cancel: Choice = { value: "cancel", text: "Cancel", skipsChecks: true };

const logIn: Choice = { value: "continue", text: "Log in" };

const loginForm = (
  page: LoginFrame,
  fields: Html,
  buttons: readonly Choice[],
): Html => html`<form method="post"
 action="${page.action}" autocomplete="off">
${hiddenFields(page)}
${noteOf(page)}
${fields}
${choices(buttons)}
${limits(page)}
</form>`;

/** The first factor. Posts `login`, `password`, and `decision` continue or cancel. */
export function loginPage(page: LoginPage): string {
  const { bankName, clientName } = page;
  const title = clientName === null ? "Online banking" : "Log in";
  const lead =
    clientName === null
      ? html`Log in to ${bankName}.`
      : html`<b>${clientName}</b> has sent you here. Log in the way you always do with
${bankName}.`;
  const privacy =
    clientName === null
      ? null
      : html`<p class="privacy">Your login details are for ${bankName} only:
${clientName} cannot see them.</p>`;
  const body = html`
<h1>${title}</h1>
<p class="lead">${lead}</p>
${page.notice && notes([page.notice])}
${problem(page.error)}
${loginForm(page, loginFields(page), page.canLeave === false ? [logIn] : [logIn, cancel])}
${privacy}
${loginPanel(page.sandboxLogins)}`;
  return layout({ bankName, title, error: page.error, body });
}

/** What a code that does not approve yet is for, in the words of its request. */
type CodeNext = {
  /** What the code is for, after `This code`: `is for this payment only.` */
  only: string;
  /** `Nothing is paid yet.` */
  yet: string;
  /** That nothing is paid today; null if it may be. */
  late: string | null;
  /** `Next, you choose the account to pay from, and approve.` */
  follows: string;
};

const nextTexts: Readonly<Record<RequestNoun, [only: string, yet: string, choose: string]>> = {
  payment: ["payment", "Nothing is paid yet.", "you choose the account to pay from"],
  "standing order": [
    "standing order",
    "Nothing is set up yet.",
    "you choose the account to pay from",
  ],
  "file of payments": [
    "file of payments",
    "Nothing is paid yet.",
    "you choose the account to pay from",
  ],
  "payment permission": [
    "permission",
    "Nothing is allowed yet.",
    "you choose the account to pay from",
  ],
  access: ["access", "Nothing is shared yet.", "you choose the accounts to share"],
  "funds checks": ["permission", "Nothing is allowed yet.", "you choose the account"],
};

/**
 * What the code of a request is for, if further pages follow and the last of them approves.
 * `notBefore`: the day before which nothing is paid, if there is one.
 */
export function codeNext(
  noun: RequestNoun,
  areAccountsKnown: boolean,
  notBefore?: string,
): CodeNext {
  const [only, yet, choose] = nextTexts[noun];
  return {
    only: `is for this ${only} only.`,
    yet,
    late: notBefore
      ? `It is too late for today: we will pay on ${notBefore} at the earliest.`
      : null,
    follows: `Next, ${areAccountsKnown ? "you check the details" : choose}, and approve.`,
  };
}

/** The values that the page of the second factor shows. */
type FactorPage = LoginFrame & {
  /** The name in the greeting. */
  customerName: string;
  /**
   * The facts that the code confirms, such as amount and payee; empty if it confirms only a login.
   */
  confirming: SummaryRow[];
  asked: AskedFactor;
  /** What the code is for, and what follows it; absent on the bank's own pages. */
  next?: CodeNext;
};

/** A fact that a code confirms, in bold. A fingerprint is no more than a check of such a fact. */
export const confirmingRow = (each: SummaryRow): Html =>
  each.isFingerprint
    ? summaryRow(each)
    : row(each.label, html`<b>${withSortCodes(each.value)}</b>`);

/**
 * The second factor, for what it says. Posts `code` if it asks for one, and `decision`. Source:
 * SCA-RTS article 5(1).
 */
export function factorPage(page: FactorPage): string {
  const { bankName, clientName, confirming, customerName, next } = page;
  const parts = factorParts(page.asked, bankName);
  if (parts.ended !== null) {
    const { time: _, ...frame } = page;
    const form = loginForm({ ...frame, note: null }, html``, [cancel]);
    return layout({ bankName, title: endedTitle, body: endedBody(parts.ended, form) });
  }
  const linked =
    confirming.length === 0
      ? null
      : html`<section class="card linked" aria-label="You are confirming">
<p class="label">${next ? `${parts.subject} ${next.only}` : "You are confirming"}</p>
<dl class="rows">
${confirming.map(confirmingRow)}</dl>
${next ? null : html`<p class="label">${parts.only}</p>`}</section>
${next && html`<p class="next"><b>${next.yet}</b> ${next.late && `${next.late} `}${next.follows}</p>`}`;
  const { others } = parts;
  const go = parts.go({ value: "continue", text: "Continue" });
  const body = html`
<h1>${parts.title}</h1>
<p class="lead">Hello ${customerName}. ${parts.lead}</p>
${linked}
${problem(page.error)}
${loginForm({ ...page, others }, parts.fields(page.error), go ? [go, cancel] : [cancel])}
<p class="privacy">${parts.privacy}
${clientName !== null && parts.isTyped && html`${clientName} cannot see it.`}</p>
${parts.panel}`;
  return layout({ bankName, title: parts.title, error: page.error, body, head: parts.head });
}
