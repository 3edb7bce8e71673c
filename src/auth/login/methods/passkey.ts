import { present } from "#src/lib/assert.ts";
import { type ApprovalMethod, isRenewable } from "./method.ts";
import { judgeOnPage } from "./on-page.ts";

// a key has signed; only the core knows whether hardware holds it. Source: RFC 8176 section 2
const amr = ["pop"];

const texts = {
  none: "We did not get your passkey. Try again, or confirm in another way.",
  wrong: "We cannot accept this passkey. Try again with a passkey that you have added here.",
  over: "That took too long. Use your passkey once more.",
  noMore: "You cannot start again for this request. Use your passkey, or cancel.",
  codeInstead: "We have sent you a code.",
};

/** A passkey, for which the browser asks the customer on our page. */
export const passkeyMethod: ApprovalMethod = {
  isAnsweredElsewhere: false,
  renewsItself: true,
  texts: {
    sent: texts.over,
    noMore: texts.noMore,
    over: texts.over,
    codeInstead: texts.codeInstead,
  },

  async asks({ passkey, newCodes }) {
    const { request, hasCode = false } = present(passkey, "the offer of a passkey challenge");
    return { by: "passkey", request, hasCode: hasCode && isRenewable({ newCodes }) };
  },

  async judge(deps, challenge, answer, later) {
    // the browser has no script, or the customer has closed its window: nothing was tried
    if (answer === "") return { error: texts.none, waitUntil: null };
    const { request } = present(challenge.passkey, "the offer of a passkey challenge");
    const check = async () =>
      signedChallenge(answer) === request.challenge &&
      deps.bank.verify(challenge.challengeId, answer);
    return judgeOnPage(deps, challenge, { check, amr, wrong: texts.wrong }, later);
  },
};

/**
 * Returns the challenge that a passkey signed, or null if the answer is malformed. The core
 * verifies the signature. Source: WebAuthn Level 3 section 5.8.1.
 */
function signedChallenge(answer: string): unknown {
  try {
    const { response } = JSON.parse(answer) as { response: { clientDataJSON: string } };
    const text = Buffer.from(response.clientDataJSON, "base64url").toString();
    return (JSON.parse(text) as { challenge?: unknown }).challenge;
  } catch {
    return null;
  }
}
