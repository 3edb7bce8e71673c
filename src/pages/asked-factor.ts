import encodeQR from "qr";
import { type Html, html } from "./html.ts";
import { type Choice, codeField, codePanel, type Other, sandboxPanel } from "./journey-parts.ts";
import { passkeyField, passkeyScript } from "./passkey.ts";

/**
 * How a page asks for the second factor: for a code or a passkey on the page, or for an answer in
 * the app.
 */
export type AskedFactor =
  | {
      by: "code";
      /** Where the code was sent, after "your"; null if that is not known. */
      sentTo: string | null;
      /** The code of the challenge, in a sandbox; null elsewhere. */
      sandboxCode: string | null;
      /** Whether the customer can ask for a new code. */
      canRenew: boolean;
      /** Whether the code can no longer be used. */
      isOver: boolean;
    }
  | {
      by: "passkey";
      /** What the browser is given to ask for it. */
      request: object;
      /** Whether the customer can have a code instead. */
      hasCode: boolean;
    }
  | {
      by: "app";
      /** Until when the request can be answered in the app. */
      until: string;
      /** The digits that the app asks for; null if it asks for none. */
      digits: string | null;
      /** The link that opens the request in the app; null if there is none. */
      appLink: string | null;
      /** Whether the customer can have a code instead. */
      hasCode: boolean;
      /** Whether the customer can ask for another request. */
      canRenew: boolean;
      /** Whether the request has ended without an answer that counts. */
      isOver: boolean;
      /** Whether the app is the sandbox's. */
      isSandbox: boolean;
    };

/** The parts of a page that depend on how it asks for the second factor. */
type FactorParts = {
  /** Why no answer can count any more; the page then offers only the way back. */
  ended: string | null;
  /** The title of a page that only asks for the factor. */
  title: string;
  /** `Enter the code that we have sent you.` */
  lead: string;
  /** The same, within a sentence. */
  toDo: string;
  /**
   * What approves a consent that the page shows: `it`, or `it for you` if others must approve too.
   */
  approves(it: string): string;
  /** What approves a consent that was approved before, in a sentence: `enter the code`. */
  toContinue: string;
  /** What is said after that: where the code was sent. */
  sent: string;
  /** `This code`, which is for one request only. */
  subject: string;
  /** What the answer is good for. */
  only: string;
  fields(error: string | null, isFocused?: boolean): Html;
  /** The button that goes on, given the value and the text of one that does; null if none does. */
  go(go: Choice): Choice | null;
  others: readonly Other[];
  privacy: string;
  /** Whether the answer passes through the page, where a TPP cannot see it. */
  isTyped: boolean;
  /** What only a sandbox shows. */
  panel: Html | null;
  /** What the head of the page needs. */
  head: Html | null;
};

/** Seconds after which a page that waits for the app asks again. */
export const checkSeconds = 5;

/** `the code that we have sent to your mobile ending 417`. */
const theCode = (sentTo: string | null): string =>
  `the code that we have sent ${sentTo ? `to your ${sentTo}` : "you"}`;

/** The same, as a sentence. */
const sentText = (sentTo: string | null): string =>
  sentTo ? `We have sent the code to your ${sentTo}.` : "We have sent you the code.";

/** The parts of a page that asks for the second factor. */
export function factorParts(asked: AskedFactor, bankName: string): FactorParts {
  switch (asked.by) {
    case "code":
      return codeParts(asked);
    case "passkey":
      return passkeyParts(asked);
    case "app":
      return appParts(asked, bankName);
  }
}

/** The title of a page that offers only the way back, because no code can count any more. */
export const endedTitle = "We cannot send more codes";

/** The body of such a page, with the form that leads back. */
export const endedBody = (why: string, form: Html): Html => html`
<h1>${endedTitle}</h1>
<p class="lead">${why}</p>
${form}`;

/** Why a page does not offer another challenge. */
const asManyAs = (what: string): string => `You have had as many ${what} as we can send for this.`;

/** The latest code is used up, and no other can be sent. */
export const lastIsOver =
  "That code can no longer be used, and we cannot send more codes for this request. Cancel, and " +
  "start again.";

const codeParts = ({
  sentTo,
  sandboxCode,
  canRenew,
  isOver,
}: AskedFactor & { by: "code" }): FactorParts => ({
  ended: isOver && !canRenew ? lastIsOver : null,
  title: "Confirm it’s you",
  lead: `Enter ${theCode(sentTo)}.`,
  toDo: `enter ${theCode(sentTo)}`,
  approves: (it) => `Entering the code approves ${it}. ${sentText(sentTo)}`,
  toContinue: "enter the code",
  sent: sentText(sentTo),
  subject: "This code",
  only: "The code works only for what is shown here.",
  fields: codeField,
  go: (go) => go,
  others: canRenew
    ? [{ question: "Did the code not arrive?", value: "renew", text: "Send a new code" }]
    : [{ said: `${asManyAs("codes")} Use the latest one, or cancel.` }],
  isTyped: true,
  privacy: "We will never ask you for this code by phone, email or text message.",
  panel: codePanel(sandboxCode),
  head: null,
});

const passkeyParts = ({ request, hasCode }: AskedFactor & { by: "passkey" }): FactorParts => ({
  ended: null,
  title: "Confirm it’s you",
  lead: "When you go on, your device will ask for your passkey.",
  toDo: "use your passkey",
  approves: (it) => `Your passkey approves ${it}. When you go on, your device will ask for it.`,
  toContinue: "use your passkey",
  sent: "",
  subject: "Your answer",
  only: "Your answer counts only for what is shown here.",
  fields: () => passkeyField("code", "get", request),
  go: (go) => go,
  others: hasCode
    ? [{ question: "Can’t use your passkey?", value: "code", text: "Use a code instead" }]
    : [],
  isTyped: false,
  privacy:
    "Go on only if you have started this yourself. We will never ask you to use your passkey by " +
    "phone, email or text message.",
  panel: null,
  head: passkeyScript(),
});

function appParts(asked: AskedFactor & { by: "app" }, bankName: string): FactorParts {
  const { isOver, hasCode, canRenew, isSandbox, appLink } = asked;
  const code = { question: "Can’t use the app?", value: "code", text: "Use a code instead" };
  const again = { question: "Nothing in the app?", value: "renew", text: "Send it again" };
  const last = { said: lastInApp[isOver ? "over" : "waiting"] };
  return {
    ended: null,
    title: isOver ? overTitle : `Open the ${bankName} app`,
    lead: isOver
      ? "Nothing has been approved."
      : "We have sent this to the app on your phone. Check it there, and approve it.",
    toDo: "approve it in the app on your phone",
    approves: (it) => `To approve ${it}, open the ${bankName} app on your phone.`,
    toContinue: `approve it in the ${bankName} app on your phone`,
    sent: "",
    subject: "Your answer",
    only: "Your answer counts only for what is shown here.",
    fields: () => (isOver ? overSection(bankName) : waitingSection(asked)),
    go(go) {
      if (!isOver) return { ...go, text: "Check now" };
      return canRenew ? { value: "renew", text: again.text } : null;
    },
    others: [
      ...(canRenew ? [] : [last]),
      ...(canRenew && !isOver ? [again] : []),
      ...(hasCode ? [code] : []),
    ],
    isTyped: false,
    privacy:
      "Approve only if the app shows the same details as this page. If anybody asks you to approve " +
      "something by phone, email or text message, decline it.",
    panel:
      isSandbox && appLink
        ? sandboxPanel(html`<p><a href="${appLink}">Open this customer’s app</a></p>`)
        : null,
    head: null,
  };
}

const lastInApp = {
  waiting: `${asManyAs("requests in the app")} Answer the latest one, or cancel.`,
  over: `${asManyAs("requests in the app")} Cancel, and start again.`,
};

const overTitle = "The request in the app has ended";

const overSection = (bankName: string): Html => html`<div class="notice" role="status">
<p>The request in the ${bankName} app ended before you answered it. An answer that comes later does
not count.</p></div>`;

function waitingSection({ digits, appLink, until }: AskedFactor & { by: "app" }): Html {
  const number =
    digits === null
      ? null
      : html`<p>The app asks for this number:</p>
<p class="digits"><b>${digits}</b></p>`;
  const link =
    appLink === null
      ? null
      : html`<p>Scan this with your phone, or <a href="${appLink}">open the app on this
device</a>.</p>
${qrImage(appLink, "QR code that opens the request in the app")}`;
  return html`<section class="card in-app" aria-labelledby="in-app">
<h2 id="in-app">Waiting for your answer</h2>
${number}${link}
<p>Answer there by ${until}.</p></section>`;
}

/** A QR code as an image in the page, which is never loaded from elsewhere. */
function qrImage(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  const size = rows.length;
  // always dark on light: some readers do not recognise the opposite
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
