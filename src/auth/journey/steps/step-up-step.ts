import { accountLabel, accountNumber } from "#src/auth/journey/eligible-accounts.ts";
import { stepUpName } from "#src/auth/journey/journey-row.ts";
import { chosenAccounts } from "#src/auth/journey/load-journey.ts";
import { methodOf } from "#src/auth/login/methods/methods.ts";
import { present } from "#src/lib/assert.ts";
import { approvingFactorPage } from "#src/pages/journey.ts";
import { askingOf, factorStep, lockedError, openChallenge } from "./factor-step.ts";
import { summaryOf } from "./review-step.ts";

/**
 * A further code, if the bank's core asks for one after the approval. No step leads here: the
 * approval itself moves the journey (auth/journey/assess.ts).
 */
export const stepUpStep: typeof factorStep = {
  ...factorStep,
  name: stepUpName,
  showsConsent: () => true,
  addsNothing: ({ row }) => row.stepUp === null,
  begin: async () => ({ facts: {}, isSkipped: true }),

  async show(tools, place, { given: _, go: __, ...frame }) {
    const challenge = await openChallenge(tools, place);
    const chosen = chosenAccounts(place);
    return approvingFactorPage({
      ...frame,
      error: frame.error ?? lockedError(challenge, place),
      challenge: challenge.challengeId,
      asked: await methodOf(challenge).asks(challenge, askingOf(tools, place)),
      customerName: present(place.row.customerName, "the customer's name"),
      summary: await summaryOf(place, chosen[0]),
      accounts: chosen.map((account) => ({
        label: accountLabel(account),
        number: accountNumber(account),
      })),
      renews: null,
      isOneOfSeveral: place.kind.scope === "payments" && (chosen[0]?.signatoriesRequired ?? 1) > 1,
      warning: {
        title: "Please confirm this once more",
        text: present(place.row.stepUp, "the reason for a further code"),
      },
    });
  },
};
