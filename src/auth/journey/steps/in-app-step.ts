import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown } from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import { clockTolerance, inApp } from "#src/auth/login/authentication.ts";
import { elsewhereConfirmed } from "#src/auth/login/challenges.ts";
import { subjectHash } from "#src/bank/challenge.ts";
import { newId } from "#src/lib/ids.ts";
import { checkPayee, judgeCustomer } from "./factor-step.ts";

const fields = { customerId: "one", shownHash: "one", amr: "list", at: "one" } as const;

const texts = {
  changed: "shownHash is not the hash of what the request shows now. Read the journey again.",
  unproved: "authentication is missing: an approval needs `amr` and `at`.",
  early: "authentication.at is before the journey began. Authenticate the customer for it.",
  unknown: "customerId is not the id of a customer.",
};

/** The name of the step at which the bank's app takes a journey over. */
export const inAppStepName = "in-app";

/**
 * The bank's app, in place of the steps for the password and the code. A journey in a browser never
 * reaches the step: only `app-journeys.ts` begins it, for callers that the bank trusts.
 */
export const inAppStep: JourneyStep<typeof fields> = {
  name: inAppStepName,
  minutes: 15,
  fields,
  isTakenInTurn: true,
  // the app shows all that is confirmed
  showsConsent: ({ consent, kind }) => areAccountsKnown(kind, consent),
  begin: async () => ({ facts: {}, isSkipped: true }),
  // so the page before it can be the one that approves
  addsNothing: () => true,

  async show() {
    throw new Error("a journey in the bank's app has no pages");
  },

  async take({ bank, later }, place, { customerId, shownHash: hash, amr, at }) {
    const subject = subjectOf(place);
    if (hash !== subjectHash(subject)) {
      return { refused: { error: texts.changed } };
    }
    if (amr.length === 0 || at === "") {
      return { refused: { error: texts.unproved } };
    }
    const customer = await bank.loadCustomer(customerId);
    if (!customer) return { refused: { error: texts.unknown } };
    const given = Temporal.Instant.from(at);
    const earliest = place.row.createdAt.subtract(clockTolerance);
    if (Temporal.Instant.compare(given, earliest) < 0) {
      return { refused: { error: texts.early } };
    }
    const answeredAt = Temporal.Instant.compare(given, place.now) > 0 ? place.now : given;
    const authentication = inApp(amr, answeredAt);
    const judged = judgeCustomer(place, { customerId, hash }, authentication);
    if (!("done" in judged)) return judged;
    const challengeId = newId("sca");
    later.push(
      elsewhereConfirmed({
        ...{ challengeId, customerId, subject, amr },
        method: "app",
        now: place.now,
      }),
    );
    const { login: customerLogin, name: customerName } = customer;
    const payeeCheck = await checkPayee(bank, place);
    const found = { customerId, customerLogin, customerName, challengeId, authentication };
    return { done: payeeCheck ? { ...found, payeeCheck } : found, at: answeredAt };
  },
};
