import { countOf } from "#src/lib/plain-text.ts";
import { gaveUp, gaveUpOrder, judgeOrder, judgeRepeat, orWait } from "./judges.ts";
import type {
  BankAnswer,
  ClientJudgement,
  Misbehaviour,
  PlayEvidence,
  Tools,
} from "./misbehaviour.ts";
import {
  createsPaymentConsent,
  isSame,
  type ObservedCall,
  readsAccounts,
  submitsOrder,
} from "./observed-call.ts";

// What breaks between a client and its bank: time, connections, overload, tokens, certificates.

// balancers answer in HTML, without the bank's interaction id
const page = (status: number, headers: Record<string, string> = {}): BankAnswer => ({
  status,
  headers: { "content-type": "text/html", ...headers },
  body: `<html><head><title>${status}</title></head><body>Please try again later</body></html>`,
});

const busy =
  (status: number) =>
  (_call: ObservedCall, tools: Tools): BankAnswer =>
    page(status, { "retry-after": String(tools.settings.retryAfter) });

const unauthorised = (description: string): BankAnswer => ({
  status: 401,
  headers: {
    "www-authenticate": `Bearer error="invalid_token", error_description="${description}"`,
  },
  body: "",
});

const fitting =
  <Result>(
    fits: (call: ObservedCall) => boolean,
    make: (call: ObservedCall, tools: Tools) => Result,
  ) =>
  (call: ObservedCall, tools: Tools): Result | null =>
    fits(call) ? make(call, tools) : null;

const isMade = (call: ObservedCall): boolean => call.status === 201;

type Change = NonNullable<Misbehaviour["change"]>;
const changing =
  (fits: (call: ObservedCall) => boolean, make: Change): Change =>
  (call, answer, tools) =>
    fits(call) ? make(call, answer, tools) : null;

const slowly: Change = (_call, answer, { settings }) => ({
  ...answer,
  delaySeconds: settings.slow,
});
const lost: Change = (_call, answer) => ({ ...answer, cut: "before" });

const orderText = {
  touches: "a call that submits an order",
  robust: "Repeats the same order with the same idempotency key until it gets an answer.",
  advice:
    "Store the idempotency key before you send the order, and repeat the order with that key and " +
    "the same body. Another key is another payment.",
  judge: judgeOrder,
  judgeSilence: gaveUpOrder,
};
const readText = {
  touches: "a call that reads account data",
  robust: "Repeats the call, with a longer pause each time.",
  advice: "Repeat calls that only read. Two or three attempts, with a growing pause, are enough.",
  judge: judgeRepeat,
  judgeSilence: gaveUp,
};
const waitText = {
  ...readText,
  robust: "Waits for the time in Retry-After, then repeats the call.",
  advice: "Read Retry-After (seconds, or a date) and do not call earlier: banks count early calls.",
};

/** Whether a call has succeeded, with another token or certificate than that of the play. */
function judgeCredentials(
  { played, plays, later }: PlayEvidence,
  one: { of(call: ObservedCall): string | null; name: string },
): ClientJudgement | null {
  const renewed = later.find(
    (call) => call.token !== null && one.of(call) !== null && one.of(call) !== one.of(played),
  );
  if (renewed) {
    return { verdict: "coped", seen: `It called again with another ${one.name}.` };
  }
  if (plays.length < 3) return null;
  const seen = `It called ${countOf(plays.length, "time", "times")} with the same ${one.name}.`;
  return { verdict: "at risk", seen };
}

/** The rows about time, connections and overload. */
export const outages: readonly Misbehaviour[] = [
  {
    name: "slow-read",
    title: "A slow answer",
    plays: "The answer arrives many seconds late.",
    ...readText,
    robust: "Waits, or disconnects at its own time-out and repeats the call.",
    change: changing((call) => readsAccounts(call) && call.status === 200, slowly),
    judge: orWait(judgeRepeat),
  },
  {
    name: "cut-read",
    title: "A connection that ends",
    plays: "The bank closes the connection instead of answering.",
    ...readText,
    change: changing((call) => readsAccounts(call) && call.status === 200, lost),
  },
  {
    name: "half-answer",
    title: "Half an answer",
    plays: "The bank closes the connection in the middle of the answer.",
    ...readText,
    change: changing(
      (call) => readsAccounts(call) && call.status === 200,
      (_call, answer) => ({ ...answer, cut: "inside" }),
    ),
  },
  {
    name: "unavailable",
    title: "Unavailable",
    plays: "The bank answers 503 with an HTML page, without Retry-After or an interaction id.",
    ...readText,
    refuse: fitting(readsAccounts, () => page(503)),
  },
  {
    name: "unavailable-until",
    title: "Unavailable, with Retry-After",
    plays: "The bank answers 503 with Retry-After.",
    ...waitText,
    refuse: fitting(readsAccounts, busy(503)),
  },
  {
    name: "too-many-requests",
    title: "A rate limit",
    plays: "The bank answers 429 with Retry-After.",
    ...waitText,
    refuse: fitting(readsAccounts, busy(429)),
  },
  {
    name: "token-ends-early",
    title: "A token that ends early",
    plays: "The bank answers 401, although the access token has not expired.",
    touches: "a call that reads account data",
    robust: "Gets a new access token, with its refresh token if it has one, and repeats the call.",
    advice:
      "Treat 401 as the end of the access token, whatever expires_in said, and renew it once.",
    refuse: fitting(readsAccounts, () => unauthorised("The token has expired.")),
    most: 3,
    judge: (evidence) => judgeCredentials(evidence, { of: ({ token }) => token, name: "token" }),
    judgeSilence: gaveUp,
  },
  {
    name: "failing-refresh",
    title: "A refresh that fails once",
    plays: "The bank answers a call with 401, and then the refresh with 504.",
    touches: "a call that reads account data, and the refresh that follows",
    robust: "Sends the same refresh token again. It does not send the customer to the bank again.",
    advice:
      "Keep the refresh token until you have a new one, and repeat the refresh after a 5xx or a " +
      "lost connection. Only invalid_grant means that the customer has to come back.",
    refuse(call, { memory }) {
      if (!readsAccounts(call) || memory.has("begun")) return null;
      memory.set("begun", true);
      return unauthorised("The token has expired.");
    },
    change: changing(
      ({ grantType, status }) => grantType === "refresh_token" && status === 200,
      () => page(504),
    ),
    most: 2,
    judge({ plays, later }) {
      const failed = plays.find(({ grantType }) => grantType === "refresh_token");
      if (!failed) return null;
      const again = later.find((one) => one.at > failed.at && isSame(one, failed));
      return again ? { verdict: "coped", seen: "It sent the refresh token again." } : null;
    },
    judgeSilence: ({ plays }) => ({
      verdict: "gave up",
      seen:
        plays.length > 1
          ? "It did not send the refresh token again."
          : "It did not refresh its token after the 401.",
    }),
  },
  {
    name: "busy-order",
    title: "Unavailable for an order",
    plays: "The bank answers 503 with Retry-After, and has not created the order.",
    ...orderText,
    refuse: fitting(submitsOrder, busy(503)),
  },
  {
    name: "slow-order",
    title: "A slow answer to an order",
    plays: "The bank creates the order immediately, but answers many seconds later.",
    ...orderText,
    robust: "Waits, or disconnects at its own time-out and repeats the order with the same key.",
    change: changing((call) => submitsOrder(call) && isMade(call), slowly),
    judge: orWait(judgeOrder),
  },
  {
    name: "lost-order",
    title: "An order whose answer is lost",
    plays: "The bank creates the order, but closes the connection instead of answering.",
    ...orderText,
    change: changing((call) => submitsOrder(call) && isMade(call), lost),
  },
  {
    name: "order-time-out",
    title: "A gateway’s time-out for an order",
    plays: "The bank answers 504 with an HTML page, although it has created the order.",
    ...orderText,
    change: changing(
      (call) => submitsOrder(call) && isMade(call),
      () => page(504),
    ),
  },
  {
    name: "lost-consent",
    title: "A consent whose answer is lost",
    plays: "The bank creates the payment consent, but closes the connection instead of answering.",
    touches: "a call that creates a payment consent",
    robust: "Repeats the same consent with the same idempotency key.",
    advice:
      "Payment consents have idempotency keys too. With another key you make a second consent.",
    change: changing((call) => createsPaymentConsent(call) && isMade(call), lost),
    judge({ played, later }) {
      const again = later.find((one) => isSame(one, played));
      if (!again) return null;
      return again.idempotencyKey === played.idempotencyKey
        ? { verdict: "coped", seen: "It sent the consent again with the same key." }
        : {
            verdict: "at risk",
            seen: "It sent a consent with another key: the first is left over.",
          };
    },
    judgeSilence: gaveUp,
  },
  {
    name: "ended-certificate",
    title: "A certificate that has ended",
    plays:
      "The bank answers that the client certificate has expired (401), until it gets another one.",
    touches: "calls that read account data",
    robust:
      "Uses its next certificate on new connections, and gets tokens bound to that certificate.",
    advice:
      "Have the next certificate ready before the old one ends, and change it without a restart. " +
      "Tokens that are bound to the old one end with it. Try it with " +
      "`POST /sandbox/v1/tpps/{clientId}/revocations`.",
    refuse: fitting(
      ({ certificate, ...call }) => certificate !== null && readsAccounts({ certificate, ...call }),
      () => unauthorised("The client certificate has expired."),
    ),
    most: 4,
    judge: (evidence) =>
      judgeCredentials(
        { ...evidence, plays: evidence.plays.slice(1) },
        { of: ({ certificate }) => certificate, name: "certificate" },
      ),
    judgeSilence: gaveUp,
  },
];
