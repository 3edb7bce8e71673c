import { type AccountChoice, accountChoice } from "./account-choice.ts";
import { approveText } from "./approved-text.ts";
import { type AskedFactor, endedBody, endedTitle, factorParts } from "./asked-factor.ts";
import { type ConsentSummary, inShort, type PaymentSummary } from "./consent-summary.ts";
import { type Html, html, withSortCodes } from "./html.ts";
import {
  consentSection,
  type Frame,
  type Go,
  journeyForm,
  type NamedAccount,
  problem,
  sandboxPanel,
} from "./journey-parts.ts";
import { layout } from "./layout.ts";

export type { Frame, Go } from "./journey-parts.ts";

/** The contents of the choice of accounts. */
type AccountsPage = Frame &
  AccountChoice & {
    summary: ConsentSummary;
    /** Whether the customer approves on this page, or continues to the review. */
    go: Go;
  };

/**
 * The choice of account(s), below the whole consent. Posts `account` (once or more) and
 * `decision`: `go` or cancel.
 */
export function accountsPage(page: AccountsPage): string {
  const { clientName, summary } = page;
  const none = page.accounts.every((account) => account.unavailable !== null);
  const approves = page.go === "approve" && !none;
  const choose = none ? "No account to choose" : chooseTitles[summary.type];
  const { title, go: text } = approves
    ? reviewTexts(summary, clientName)
    : { title: choose, go: "Continue" };
  const lead = none
    ? html`None of your accounts can be used for this. ${
        summary.type === "payment" ? "Nothing was paid." : "Nothing was shared."
      }`
    : leadOf(clientName, summary);
  // otherwise the legend repeats the title, so it is hidden
  const legend = approves
    ? html`<legend><h2>${choose}</h2></legend>`
    : html`<legend class="unseen">${choose}</legend>`;
  const fields = html`${accountChoice(page, legend)}${approves ? howToStop(page) : null}`;
  const go = none ? null : { value: page.go, text };
  const body = html`
<h1>${title}</h1>
<p class="lead">${lead}</p>
${consentSection(approves ? summary : inShort(summary), clientName, [])}
${problem(page.error)}
${journeyForm(page, fields, go, none ? `Back to ${clientName}` : "Cancel")}`;
  return layout({ bankName: page.bankName, title, error: page.error, body });
}

const chooseTitles = {
  payment: "Choose the account to pay from",
  access: "Choose the accounts to share",
  funds: "Choose the account for the checks",
};

/** The TPP's request, in one sentence. */
function leadOf(clientName: string, summary: ConsentSummary): Html {
  if (summary.type === "payment") return html`<b>${clientName}</b> asks you to ${asked(summary)}.`;
  return summary.type === "access"
    ? html`<b>${clientName}</b> asks to see information about your accounts.`
    : html`<b>${clientName}</b> asks to check whether your account has enough money.`;
}

const noun = (summary: PaymentSummary): string => summary.noun ?? "payment";

const asks = {
  payment: "make this payment",
  "standing order": "set up this standing order",
  "file of payments": "make the payments in a file that it has sent us",
  "payment permission": "let it make payments within these limits",
};

const asked = (summary: PaymentSummary): string => asks[summary.noun ?? "payment"];

/** What the customer must read before deciding, such as that the payee's name does not match. */
export type Warning = { title: string; text: string };

/** The notice that a warning is; null if there is none. */
export const warningOf = (
  { warning }: { warning?: Warning | null },
  mark: Html | null = null,
): Html | null =>
  warning
    ? html`<div class="notice problem"${mark}><p><b>${warning.title}</b></p>
<p>${warning.text}</p></div>`
    : null;

/** Says what the payee's bank has answered; null if the name is right. */
export function payeeText(check: PayeeAnswer, name: string): Warning | null {
  switch (check.result) {
    case "match":
      return null;
    case "close match":
      return {
        title: `The account is in the name of ${check.name}`,
        text: `That is close to ${name}, but not the same. Continue only if this is who you want to pay.`,
      };
    case "no match":
      return {
        title: `The account does not belong to ${name}`,
        text: "If you pay, the money may go to somebody else, and we may not be able to get it back. Check the details with the payee in a way that you trust. If somebody told you to ignore this, it is a scam: cancel.",
      };
    case "unavailable":
      return {
        title: "We could not check the payee’s name",
        text: `The payee’s bank did not answer, so we do not know whether the account belongs to ${name}. Continue only if you are sure of the details.`,
      };
  }
}

/** The answer of the payee's bank. */
type PayeeAnswer =
  | { result: "match" | "no match" | "unavailable" }
  | { result: "close match"; name: string };

/** The contents of the last page before a decision. */
type ReviewPage = Frame & {
  summary: ConsentSummary;
  accounts: NamedAccount[];
  /** Whether the customer approves on this page, or continues to a step that a bank has added. */
  go: Go;
};

/** The title of the last page before a decision, and its button. */
function reviewTexts(summary: ConsentSummary, clientName: string): ReviewTexts {
  if (summary.type === "access") return { title: "Check what you share", go: "Allow access" };
  if (summary.type === "funds") return { title: "Check what you allow", go: "Allow checks" };
  const isPermission = summary.noun === "payment permission";
  const title = isPermission ? `Let ${clientName} make payments?` : `Check your ${noun(summary)}`;
  return { title, go: approveText(summary) };
}

type ReviewTexts = { title: string; go: string };

/** How a page goes on with a consent that was approved before. */
type Renewal = {
  /** Whether the customer has paused its payments, which the approval resumes. */
  isPaused: boolean;
  /** What approves it, in a sentence: `enter the code`. */
  toContinue: string;
  /** What follows that sentence; empty if nothing does. */
  sent: string;
};

/** What an approval does with payments that the customer has paused. Source: CV-88. */
export const pausedText = (clientName: string): string =>
  `You have paused these payments. If you approve, ${clientName} can make payments again.`;

/** The texts for a customer who approved the same before: nothing but the time changes. */
function renewalTexts(
  summary: ConsentSummary,
  clientName: string,
  { isPaused, toContinue: how, sent }: Renewal,
): ReviewTexts & { lead: Html } {
  const name = html`<b>${clientName}</b>`;
  if (isPaused) {
    return {
      title: `Resume payments by ${clientName}?`,
      lead: html`${pausedText(clientName)} To approve, ${how}. ${sent}`,
      go: "Resume payments",
    };
  }
  const toContinue = `${how}. Nothing else changes. ${sent}`.trimEnd();
  if (summary.type === "access") {
    return {
      title: `Continue sharing with ${clientName}`,
      lead: html`You share information about your accounts with ${name}. To continue,
${toContinue}`,
      go: "Continue sharing",
    };
  }
  const what = summary.type === "funds" ? "checks" : "payments";
  return {
    title: `Continue to allow ${what} by ${clientName}`,
    lead: html`You allow ${what} by ${name}. To continue, ${toContinue}`,
    go: `Continue to allow ${what}`,
  };
}

/** Says how to stop account access or checks; null for payments, whose notes say it. */
const howToStop = ({
  summary,
  clientName,
  bankName,
}: Pick<ReviewPage, "summary" | "clientName" | "bankName">): Html | null =>
  summary.type === "payment"
    ? null
    : html`<p class="privacy">You can stop this at any time with ${clientName}, or in
your ${bankName} online banking under “Open Banking connections”.</p>`;

/**
 * Shows what will happen, and asks for the decision. `isRenewal` says that the customer approved it
 * before. Posts `decision`: `go` or cancel.
 */
export function reviewPage(
  page: ReviewPage & { warning?: Warning | null; isRenewal?: boolean; isPaused?: boolean },
): string {
  const { clientName, summary, isRenewal = false, isPaused = false } = page;
  const how = { isPaused, toContinue: checkBelow, sent: "" };
  const renewal = isRenewal || isPaused ? renewalTexts(summary, clientName, how) : null;
  const { title, go: approve } = renewal ?? reviewTexts(summary, clientName);
  const lead = renewal?.lead ?? leadOf(clientName, summary);
  const go = { value: page.go, text: page.go === "approve" ? approve : "Continue" };
  const body = html`
<h1>${title}</h1>
<p class="lead">${lead}</p>
${warningOf(page, html` data-payee`)}
${consentSection(summary, clientName, page.accounts, isRenewal)}
${howToStop(page)}
${journeyForm(page, html``, go, "Cancel")}`;
  return layout({ bankName: page.bankName, title, body });
}

const checkBelow = "check what is below, and approve it";

// before the code, the bank does not show which ones they are
const sameAccounts = (count: number): NamedAccount[] => [
  {
    label: count === 1 ? "The same account" : `The same ${count} accounts`,
    number: "as before",
  },
];

/** The contents of the page on which the code of the second factor approves. */
type ApprovingFactorPage = Omit<ReviewPage, "go"> & {
  customerName: string;
  error: string | null;
  asked: AskedFactor;
  /** How many accounts the consent covers, if the customer approved it before; otherwise null. */
  renews: number | null;
  /** Whether the customer has paused the payments, which the approval resumes. */
  isPaused?: boolean;
  /** Why the customer confirms once more; absent the first time. */
  warning?: Warning;
  /** Whether others must approve too, as a note of the summary says. */
  isOneOfSeveral?: boolean;
};

/**
 * The second factor of a consent whose accounts are known: shows the consent, and the answer
 * approves it. Posts `code` if it asks for one, and `decision`: approve or cancel. Source: SCA-RTS
 * article 5(1).
 */
export function approvingFactorPage(page: ApprovingFactorPage): string {
  const { clientName, summary, bankName, error, renews, isPaused = false } = page;
  const parts = factorParts(page.asked, bankName);
  if (parts.ended !== null) {
    const { time: _, ...frame } = page;
    const form = journeyForm({ ...frame, note: null }, html``, null, "Cancel");
    return layout({ bankName, title: endedTitle, body: endedBody(parts.ended, form) });
  }
  const renewal =
    renews === null && !isPaused ? null : renewalTexts(summary, clientName, { ...parts, isPaused });
  const { title, go: text } = renewal ?? reviewTexts(summary, clientName);
  const approves = parts.approves(page.isOneOfSeveral ? "it for you" : "it");
  const lead = renewal?.lead ?? html`${leadOf(clientName, summary)} ${approves}`;
  // the customer reads the consent first; after a wrong code, only the code is left to do
  const field = parts.fields(error, error !== null);
  const frame = { ...page, others: parts.others };
  const body = html`
<h1>${title}</h1>
<p class="lead">Hello ${page.customerName}. ${lead}</p>
${warningOf(page)}
${consentSection(
  summary,
  clientName,
  renews === null ? page.accounts : sameAccounts(renews),
  renews !== null,
)}
${howToStop(page)}
${problem(error)}
${journeyForm(frame, field, parts.go({ value: "approve", text }), "Cancel")}
<p class="privacy">${parts.only} ${parts.privacy}
${parts.isTyped && html`${clientName} cannot see it.`}</p>
${parts.panel}`;
  return layout({ bankName, title, error, body, head: parts.head });
}

/** The contents of the page at the end of a journey. */
export type EndingPage = {
  bankName: string;
  clientName: string;
  tone: "approved" | "plain";
  title: string;
  /** The sentences in their order; those that are null are left out. */
  sentences: readonly (string | null)[];
  /** What only a sandbox tells developers about the ending; null or absent if nothing. */
  sandboxNote?: string | null;
  /** The way back to the TPP; null once it has its answer. */
  back: {
    url: string;
    /**
     * Whether the page goes there by itself. It does so without a delay, because a delay that
     * nobody can stop keeps people from reading. A page that has to be read waits for its link.
     * Source: WCAG 2.2 criterion 2.2.1.
     */
    atOnce: boolean;
  } | null;
};

const notePanel = ({ sandboxNote }: { sandboxNote?: string | null }): Html | null =>
  sandboxNote ? sandboxPanel(html`<p>${sandboxNote}</p>`) : null;

/** The end of a journey. */
export function endingPage(page: EndingPage): string {
  const { bankName, clientName, title, back } = page;
  const [lead = null, ...others] = page.sentences.filter((sentence) => sentence !== null);
  const url = back && safeUrl(back.url);
  const way = back?.atOnce
    ? html`<p role="status">Taking you back to <b>${clientName}</b>. You are logged out of
${bankName}.</p>`
    : html`<p>You are logged out of ${bankName}.${
        back === null ? html` You can close this page and go back to ${clientName}.` : null
      }</p>`;
  const body = html`
<div class="outcome ${page.tone}">
<h1>${title}</h1>
${lead === null ? null : html`<p class="lead">${withSortCodes(lead)}</p>`}
${others.map((sentence) => html`<p>${sentence}</p>\n`)}
${way}
${url === null ? null : html`<p><a class="button" href="${url}">Continue to ${clientName}</a></p>`}
</div>
${notePanel(page)}`;
  const refresh = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return layout({ bankName, title, body, ...(back?.atOnce ? { head: refresh } : {}) });
}

// Redirect URIs are checked when a client is registered; this stands behind that check.
function safeUrl(url: string): string {
  if (/^https?:\/\//i.test(url) || /^\/(?!\/)/.test(url)) return url;
  throw new Error("a page may link only to http or https URLs, or within its own origin");
}

/** The contents of a page at an end without a way back. */
type ErrorPage = {
  bankName: string;
  title: string;
  message: string;
  /** The reference that the customer can quote to the bank: the interaction id. */
  reference: string;
  /** Where to go on in the bank's own channel; without it the customer came from elsewhere. */
  back?: { url: string; text: string };
  /** The advice for the customer; without it and without a way on, to go back and check first. */
  advice?: string;
  /** The error of the authorization server, which only a sandbox shows. */
  forDevelopers?: { error: string; description: string } | null;
  /** What only a sandbox tells developers about the end; null or absent if nothing. */
  sandboxNote?: string | null;
};

const checkFirst =
  "Go back to the app or website you came from, and check what has been done before you start again.";

const developersPanel = ({ error, description }: { error: string; description: string }): Html =>
  sandboxPanel(html`<details><summary>For developers</summary>
<p><code>${error}</code></p>
<p>${description}</p></details>`);

/** An end without a way back: where no redirect can be trusted. */
export function errorPage(page: ErrorPage): string {
  const body = html`
<div class="outcome error">
<h1>${page.title}</h1>
<p class="lead">${page.message}</p>
${page.advice || !page.back ? html`<p>${page.advice ?? checkFirst}</p>` : null}
${page.back && html`<p><a href="${safeUrl(page.back.url)}">${page.back.text}</a></p>`}
<p class="reference">Reference <code>${page.reference}</code></p>
</div>
${page.forDevelopers && developersPanel(page.forDevelopers)}
${notePanel(page)}`;
  return layout({ bankName: page.bankName, title: page.title, body });
}
