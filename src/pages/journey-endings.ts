import { approvedText } from "./approved-text.ts";
import type { ConsentNoun, ConsentSummary } from "./consent-summary.ts";
import {
  type ClosedReason,
  closedTexts,
  type LateReason,
  lateTexts,
  otherwiseClosed,
  otherwiseLate,
} from "./journey-reasons.ts";

/** What a request is for. */
export type RequestNoun = "payment" | ConsentNoun | "access" | "funds checks";

type Method = "code" | "passkey" | "decoupled" | "redirect" | "app";

/** The facts that the texts of an ending depend on. */
export type EndingFacts = {
  clientName: string;
  noun: RequestNoun;
  /**
   * What is known about the consent. `untouched`: it has never been approved. `kept`: it is as it
   * was when the journey began. `unknown`: something has been done since.
   */
  consent: "untouched" | "kept" | "unknown";
  /** Whether the customer who has logged in here is the one who approved the consent. */
  isOwn: boolean;
  /** How this journey has asked the customer to approve; null if it has not. */
  method: Method | null;
  /** `06:27`: when the next try is possible; null if no lock ended the journey. */
  lockedUntil: string | null;
  /** What the customer has approved; null if nothing, or if there is no more to say. */
  approval: Approval | null;
  /**
   * What is said of this ending alone: why the bank's core has refused, in its words, or what
   * follows a refusal in the app. Null if there is nothing to say.
   */
  refusal: string | null;
  /** Why the request can no longer be approved; null if there are no words for that. */
  reason: LateReason | ClosedReason | null;
};

/** An approval in the customer's words. */
export type Approval = {
  summary: ConsentSummary;
  /** The account to be debited or checked; null for access. */
  account: { label: string; number: string } | null;
  /** How many accounts are shared. */
  accounts: number;
  /** How many other people must still approve, and who can; no names if they are not known. */
  others: { count: number; names: readonly string[] };
  /** Whether the customer had approved it before, and goes on with it without a break. */
  isRenewal: boolean;
};

/** The texts of an ending. */
type EndingTexts = {
  title: string;
  /** The cause, in a sentence or two. */
  text: string;
  /** What the customer can do next; null if there is nothing to say. */
  next: string | null;
};

/** What the customer has approved: amount, payee and account, or who may see what. */
function approvalText(approval: Approval, clientName: string): string {
  const { summary, account, accounts, isRenewal } = approval;
  const allowed = isRenewal ? "You continue to allow" : "You allowed";
  const named = account && `${account.label} (${account.number})`;
  if (summary.type === "access") {
    const which = accounts === 1 ? "one of your accounts" : `${accounts} of your accounts`;
    return `${allowed} ${clientName} to see information about ${which}, ${summary.until}.`;
  }
  if (summary.type === "funds") {
    const what = `whether ${named ?? "your account"} has enough money`;
    return `${allowed} ${clientName} to check ${what}, ${summary.until}.`;
  }
  if (summary.noun !== "payment permission") return approvedText("You approved", summary, account);
  const { amount, payeeName, isAnyPayee } = summary;
  const to = isAnyPayee ? "" : ` to ${payeeName}`;
  const from = named ? ` from ${named}` : "";
  const limit = amount.charAt(0).toLowerCase() + amount.slice(1);
  return `${allowed} ${clientName} to make payments${to}${from}: ${limit}.`;
}

/** When a permission to make payments ends, and where to cancel it; null for all else. */
function endText({ summary }: Approval, clientName: string): string | null {
  if (summary.type !== "payment" || summary.noun !== "payment permission") return null;
  const ends = summary.rows.find(({ label }) => label === "Ends")?.value ?? "When you cancel it";
  const when = ends.charAt(0).toLowerCase() + ends.slice(1);
  const where = "in your online banking under “Open Banking payments”";
  return `The permission ends ${when}. You can cancel it with ${clientName}, or ${where}.`;
}

const renewedTitle = ({ summary }: Approval): string =>
  summary.type === "access" ? "Sharing continues" : "Your permission continues";

const all = new Intl.ListFormat("en-GB", { type: "conjunction" });
const any = new Intl.ListFormat("en-GB", { type: "disjunction" });

function othersText({ others: { count, names }, summary }: Approval): string | null {
  if (count === 0) return null;
  const noun = summary.type === "payment" ? summary.noun : undefined;
  return `We ${untilApproved(noun, count, names)}`;
}

/** What waits for the others: `will not pay until Elin Nystrom has approved it too.` */
export function untilApproved(
  noun: RequestNoun | undefined,
  count: number,
  names: readonly string[],
): string {
  const does = noun === "standing order" ? "set it up" : "pay";
  return `will not ${does} until ${whoMustApprove(count, names)} approved it too.`;
}

/**
 * What a customer must know who still has to go back to the TPP with an approval that is not the
 * last: before that, the TPP cannot send the payment, so nobody else can find it. Null otherwise.
 */
export const continueText = ({ approval, clientName }: EndingFacts): string | null =>
  approval === null || approval.others.count === 0
    ? null
    : `Please continue to ${clientName} now: until you do, nobody else can approve it.`;

/** Who must still approve, and the verb: `Elin Nystrom has`, `2 other people have`. */
function whoMustApprove(count: number, names: readonly string[]): string {
  if (names.length < count)
    return count === 1 ? "one other person has" : `${count} other people have`;
  if (count === 1) return `${any.format(names)} has`;
  return `${count === names.length ? "" : `${count} of `}${all.format(names)} have`;
}

const startAgain = ({ clientName }: EndingFacts): string =>
  `You can start again from ${clientName}.`;

/** What is locked after too many tries, and why. */
type TriesTexts = { locked: string; text: string };

// a lock counts the tries of all methods, so no text says of which ones all of them were
const approvalTries: TriesTexts = {
  locked: "Approving is",
  text: "There were too many tries without an approval.",
};

/** The words for too many tries: a row for each way in which a customer tries. */
const triesTexts: Readonly<Record<"password" | Method, TriesTexts>> = {
  password: { locked: "Your login is", text: "There were too many wrong passwords." },
  code: {
    locked: "Your security codes are",
    text: "There were too many tries to enter a code.",
  },
  passkey: approvalTries,
  decoupled: { ...approvalTries, locked: "Approving in your app is" },
  redirect: approvalTries,
  app: approvalTries,
};

/** The title of a page for a customer who has tried too often in this way. */
export const lockedTitle = (by: keyof typeof triesTexts, until: string): string =>
  lockedText(triesTexts[by], until);

const lockedText = ({ locked }: TriesTexts, until: string): string =>
  `${locked} locked until ${until}`;

const tooManyTries = (
  { lockedUntil: until, clientName, refusal }: EndingFacts,
  tries: TriesTexts,
): EndingTexts => {
  const text = refusal ?? tries.text;
  if (until === null) {
    return { title: "Too many tries", text, next: `You can start again from ${clientName}.` };
  }
  return {
    title: lockedText(tries, until),
    text,
    next: `After ${until} you can start again from ${clientName}.`,
  };
};

const textOf = <Reason extends string>(
  texts: Readonly<Record<Reason, string>>,
  reason: string | null,
  otherwise: string,
): string => (reason === null ? undefined : texts[reason as Reason]) ?? otherwise;

const paid = (noun: RequestNoun): boolean => noun !== "access" && noun !== "funds checks";

/**
 * How a journey can end: one row per cause, so that no customer reads the text of another cause.
 * What happened to the consent is not said here, but by `effectText`.
 */
export const endingTexts = {
  approved: ({ clientName, approval }) => ({
    title: approval?.isRenewal ? renewedTitle(approval) : "Approved",
    text: approval ? approvalText(approval, clientName) : "You have approved the request.",
    next: approval ? (endText(approval, clientName) ?? othersText(approval)) : null,
  }),
  cancelled: ({ refusal }) => ({
    title: "Cancelled",
    text: "You have cancelled this request.",
    next: refusal,
  }),
  timed_out: (facts) => ({
    title: "Your time has run out",
    text: "You did not finish in time, so we stopped here to keep your account safe.",
    next: startAgain(facts),
  }),
  locked: (facts) => tooManyTries(facts, triesTexts.password),
  too_many_codes: (facts) =>
    tooManyTries(facts, facts.method ? triesTexts[facts.method] : approvalTries),
  too_weak: (facts) => ({
    title: "We could not be sure that it was you",
    text: "We need two different kinds of proof, and did not get both, so we stopped here.",
    next: `${startAgain(facts)} If this happens again, ask us for help.`,
  }),
  other_customer: ({ clientName }) => ({
    title: "This request belongs to another customer",
    text: "Another customer has approved it before, and only that customer can approve it again.",
    next: `If you have another user ID, start again from ${clientName} and log in with that one.`,
  }),
  not_expected: ({ clientName }) => ({
    title: `${clientName} expects another customer`,
    text: "The user ID that you logged in with is not the one that this request is for.",
    next: `If you have another user ID, start again from ${clientName} and log in with that one.`,
  }),
  not_owned: ({ clientName }) => ({
    title: `The account that ${clientName} named is not one of yours`,
    text: "With this login you can use only your own accounts.",
    next: `Check the account’s number with ${clientName}, or choose another account there.`,
  }),
  not_usable: ({ clientName }) => ({
    title: "Your account cannot be used for this",
    text: "It is closed or blocked, or it is of a kind or in a currency that this request cannot use.",
    next: `You can choose another account with ${clientName}, or ask us about this one.`,
  }),
  ambiguous: ({ clientName }) => ({
    title: "More than one of your accounts has this number",
    text: `${clientName} named an account, but not its roll number, so we cannot tell which is meant.`,
    next: `Start again from ${clientName} and give the roll number too.`,
  }),
  unmet: ({ clientName }) => ({
    title: "This request does not fit your accounts",
    text: `${clientName} asked for an account with another number of people who must approve.`,
    next: `Go back to ${clientName} to pay in another way.`,
  }),
  expired: (facts) => ({
    title: "This request has expired",
    text: "A request can be approved only for a limited time.",
    next: startAgain(facts),
  }),
  too_late: (facts) => ({
    title: "It is too late to approve this request",
    text: textOf(lateTexts, facts.reason, otherwiseLate),
    next: startAgain(facts),
  }),
  not_served: ({ clientName }) => ({
    title: `We do not accept requests from ${clientName} now`,
    text: "We have stopped accepting them while you were here, so this request has ended.",
    next: `Please ask ${clientName} about it, or ask us.`,
  }),
  agreement_over: ({ clientName }) => ({
    title: `${clientName} can no longer ask for this`,
    text: "The agreement under which it could ask for such payments has ended.",
    next: `Please ask ${clientName} how else you can pay.`,
  }),
  refused: ({ clientName, refusal }) => ({
    title: "We cannot go ahead with this request",
    text: refusal ?? "We do not allow it.",
    next: `You can go back to ${clientName}, or ask us about this request.`,
  }),
  altered: (facts) => ({
    title: "This request has changed",
    text: "What you confirmed is not what your approval would do now, so we stopped here.",
    next: startAgain(facts),
  }),
  overtaken: ({ clientName, isOwn, noun }) => ({
    title: isOwn ? "You have already approved this" : "This request has already been approved",
    text: `${isOwn ? "You approved it" : "It was approved"} on another device or in another tab.`,
    next: `There is nothing more to do here. ${
      paid(noun)
        ? `Please check with ${clientName} before you start again, so that you do not pay twice.`
        : `You can go back to ${clientName}.`
    }`,
  }),
  withdrawn: ({ clientName }) => ({
    title: `${clientName} has withdrawn this request`,
    text: "It can no longer be approved.",
    next: `Please ask ${clientName} why.`,
  }),
  closed: (facts) => ({
    title: "This request is closed",
    text: textOf(closedTexts, facts.reason, otherwiseClosed),
    next: facts.reason === "stoppedByBank" ? "Please ask us about it." : startAgain(facts),
  }),
} satisfies Record<string, (facts: EndingFacts) => EndingTexts>;

/** How a journey can end. */
export type EndingName = keyof typeof endingTexts;

/** What an approval is worth if its TPP has been stopped since. */
export const notServedText = (clientName: string): string =>
  `We do not accept requests from ${clientName} now, so it cannot use this.`;

/** The texts of an ending. */
export const textsOf = (ending: EndingName, facts: EndingFacts): EndingTexts =>
  endingTexts[ending](facts);

const untouched: Readonly<Record<RequestNoun, string>> = {
  payment: "Nothing was paid.",
  "standing order": "No standing order was set up, and nothing was paid.",
  "file of payments": "Nothing was paid.",
  "payment permission": "No payments were allowed, and nothing was paid.",
  access: "Nothing was shared.",
  "funds checks": "Nothing was allowed, and nothing was shared.",
};

const given: Readonly<Partial<Record<RequestNoun, string>>> = {
  "payment permission": "the permission",
  access: "the access",
  "funds checks": "the permission",
};

/**
 * What a journey that ended without an approval means for the consent; null if that is not known.
 * A page says that nothing was paid only if the consent has never been approved.
 */
export function effectText({ consent, noun, clientName, isOwn }: EndingFacts): string | null {
  if (consent === "unknown") return null;
  if (consent === "untouched") return untouched[noun];
  const kept = isOwn ? given[noun] : undefined;
  return kept === undefined
    ? "Nothing has changed."
    : `Nothing has changed: ${clientName} keeps ${kept} that you gave it before.`;
}
