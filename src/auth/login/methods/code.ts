import { loginTexts } from "#src/auth/login/refusal.ts";
import { type ApprovalMethod, isRenewable } from "./method.ts";
import { judgeOnPage } from "./on-page.ts";

// what a core that sends codes proves by one of them
const amr = ["otp"];

/** A code that the core has sent, and that the customer enters on our page. */
export const codeMethod: ApprovalMethod = {
  isAnsweredElsewhere: false,
  renewsItself: true,
  texts: {
    sent: loginTexts.sent,
    noMore: loginTexts.noMoreCodes,
    over: loginTexts.newCode,
    codeInstead: loginTexts.sent,
  },

  async asks({ challengeId, sentTo, newCodes, isOpen }, { hints }) {
    const sandboxCode = (await hints?.codeOf(challengeId)) ?? null;
    return {
      by: "code",
      sentTo,
      sandboxCode,
      canRenew: isRenewable({ newCodes }),
      isOver: !isOpen,
    };
  },

  judge({ bank, ...deps }, challenge, given, later) {
    const code = given.replaceAll(" ", "");
    const check = () => bank.verify(challenge.challengeId, code);
    return judgeOnPage({ bank, ...deps }, challenge, { check, amr, wrong: loginTexts.code }, later);
  },
};
