import { stepUpName } from "#src/auth/journey/journey-row.ts";
import { chosenAccounts, type Place } from "#src/auth/journey/load-journey.ts";
import { contentAt } from "#src/auth/journey/showings.ts";
import { methodOf } from "#src/auth/login/methods/methods.ts";
import { present } from "#src/lib/assert.ts";
import { approvingFactorPage } from "#src/pages/journey.ts";
import { askingOf, factorStep, lockedError, openChallenge } from "./factor-step.ts";
import { wholeOf } from "./review-step.ts";

const contentOf = async (place: Place) => ({
  ...(await wholeOf(place)),
  stepUp: {
    title: "Please confirm this once more",
    text: present(place.row.stepUp, "the reason for a further code"),
  },
});

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
  shows: contentOf,

  async show(tools, place, { given: _, go: __, ...frame }) {
    const challenge = await openChallenge(tools, place);
    const [account] = chosenAccounts(place);
    const { summary, accounts, stepUp, isPaused } = await contentAt(place, stepUpName, () =>
      contentOf(place),
    );
    return approvingFactorPage({
      ...frame,
      error: frame.error ?? lockedError(challenge, place),
      challenge: challenge.challengeId,
      asked: await methodOf(challenge).asks(challenge, askingOf(tools, place)),
      customerName: present(place.row.customerName, "the customer's name"),
      summary,
      accounts,
      renews: null,
      isPaused,
      isOneOfSeveral: place.kind.scope === "payments" && (account?.signatoriesRequired ?? 1) > 1,
      warning: stepUp,
    });
  },
};
