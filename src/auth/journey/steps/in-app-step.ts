import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown } from "#src/auth/journey/eligible-accounts.ts";
import { inAppStepUpName } from "#src/auth/journey/journey-row.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import { subjectShown } from "#src/auth/journey/showings.ts";
import {
  type Authentication,
  afterLogin,
  clockTolerance,
  factorMethods,
  inApp,
  isStrong,
} from "#src/auth/login/authentication.ts";
import { customerById } from "#src/auth/login/customers.ts";
import { subjectHash } from "#src/bank/challenge.ts";
import { present } from "#src/lib/assert.ts";
import { earlierOf } from "#src/lib/date-time.ts";
import { takeConfirmation } from "./confirmed-elsewhere.ts";
import { checkPayee } from "./factor-step.ts";
import { reviewOf } from "./review-step.ts";

const fields = { customerId: "one", shownHash: "one", amr: "list", at: "one" } as const;

const method = "app";

const kinds = Object.values(factorMethods).map((methods) => methods.join(", "));

const texts = {
  changed: "shownHash is not the hash of what the request shows now. Read the journey again.",
  unproved: "authentication is missing: an approval needs `amr` and `at`.",
  weak:
    "authentication.amr must have factors of two kinds. The methods of each kind are: " +
    `${kinds.join("; ")}.`,
  early: "authentication.at is before the journey began. Authenticate the customer for it.",
  future:
    "authentication.at is in the future. Send when the customer confirmed, by the bank's clock.",
  again:
    "authentication.at is not after that of the decision before. Authenticate the customer once " +
    "more.",
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
  isFirst: true,
  isTakenInTurn: true,
  // the app shows all that is confirmed
  showsConsent: ({ consent, kind }) => areAccountsKnown(kind, consent),
  shows: subjectOf,
  begin: async () => ({ facts: {}, isSkipped: true }),
  // so the page before it can be the one that approves
  addsNothing: () => true,

  async show() {
    throw new Error("a journey in the bank's app has no pages");
  },

  async take(call, place, form) {
    if (form.shownHash !== subjectHash(subjectShown(place))) {
      return { refused: { error: texts.changed } };
    }
    const { bank } = call;
    const { createdAt } = place.row;
    const earliest = createdAt.subtract(clockTolerance);
    const isEarly = (at: Temporal.Instant) => Temporal.Instant.compare(at, earliest) < 0;
    const proof = proofOf(place, form, (at) => (isEarly(at) ? texts.early : null));
    if ("error" in proof) return { refused: proof };
    const customer = await customerById(bank, form.customerId);
    if (!customer) return { refused: { error: texts.unknown } };
    const confirmed = { customerId: form.customerId, authentication: proof, method } as const;
    const taken = takeConfirmation(call, place, confirmed);
    if (!("done" in taken)) return taken;
    const { login: customerLogin, name: customerName } = customer;
    const payeeCheck = await checkPayee(bank, place);
    const found = { ...taken.done, customerId: form.customerId, customerLogin, customerName };
    return { ...taken, done: payeeCheck ? { ...found, payeeCheck } : found };
  },
};

/**
 * The bank's app once more, because the bank's core has asked for a further confirmation. No step
 * leads here: the approval itself moves the journey (auth/journey/assess.ts).
 */
export const inAppStepUpStep: JourneyStep<typeof fields> = {
  ...inAppStep,
  name: inAppStepUpName,
  showsConsent: () => true,
  shows: stepUpOf,

  async take(call, place, form) {
    const { customerId, authentication } = place.row;
    const before = present(authentication, "the authentication before");
    const last = Temporal.Instant.from(before.at);
    const isOld = (at: Temporal.Instant) => Temporal.Instant.compare(at, last) <= 0;
    const proof = proofOf(place, form, (at) => (isOld(at) ? texts.again : null));
    if ("error" in proof) return { refused: proof };
    return takeConfirmation(call, place, {
      customerId: present(customerId, "the customer"),
      authentication: afterLogin(before.amr, proof),
      method,
    });
  },
};

/** What the app shows before a further confirmation: all of the consent, and why it is needed. */
export async function stepUpOf(place: Place) {
  return { ...(await reviewOf(place)), stepUp: present(place.row.stepUp, "the reason") };
}

/** What the app has sent as the proof of a customer's approval. */
type Sent = Readonly<{ amr: readonly string[]; at: string }>;

/** The authentication of an approval in the app, or why it does not count. */
function proofOf(
  { now }: Place,
  { amr, at }: Sent,
  whyNot: (at: Temporal.Instant) => string | null,
): Authentication | { error: string } {
  if (amr.length === 0 || at === "") return { error: texts.unproved };
  if (!isStrong(amr)) return { error: texts.weak };
  const given = Temporal.Instant.from(at);
  // a time that lies ahead would be after that of every decision, so it could count twice
  const isAhead = Temporal.Instant.compare(given, now.add(clockTolerance)) > 0;
  const error = isAhead ? texts.future : whyNot(given);
  if (error !== null) return { error };
  return inApp(amr, earlierOf(given, now));
}
