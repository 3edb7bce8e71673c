import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown } from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import { handOverPage } from "#src/pages/hand-over.ts";
import { takeConfirmation } from "./confirmed-elsewhere.ts";
import { checkPayee } from "./factor-step.ts";

const texts = {
  failed: "The login could not be completed. Nothing has been approved. Try again, or cancel.",
  unknown: "We do not know the customer who has logged in. Try again, or cancel.",
};

const fields = { state: "one", iss: "one", code: "one", error: "one" } as const;

/**
 * The bank's own login, in place of the steps for the password and the code: the customer confirms
 * this consent, and nothing else, at the bank's OpenID provider.
 */
export const handOverStep = (bankLogin: BankLogin): JourneyStep<typeof fields> => {
  const handOverOf = (place: Place) => {
    const { row, clientName, now } = place;
    const age = now.since(row.createdAt);
    return { uid: row.uid, clientName, subject: subjectOf(place), age };
  };
  return {
    name: "hand-over",
    minutes: 15,
    fields,
    isFirst: true,
    isTakenInTurn: true,
    // the provider shows all that is confirmed
    showsConsent: ({ consent, kind }) => areAccountsKnown(kind, consent),
    shows: subjectOf,
    leadsTo: (place) => bankLogin.urlFor(handOverOf(place)),

    async show(_tools, _place, { given: _, go: __, ...frame }) {
      return handOverPage(frame);
    },

    async take({ bank, later, log }, place, answer) {
      const handOver = handOverOf(place);
      const result = await bankLogin.judge(handOver, answer);
      if (result.state === "cancelled" || result.state === "altered") {
        return { ends: result.state };
      }
      if ("reason" in result) {
        log.warn({ reason: result.reason }, "the bank's login has not confirmed a consent");
        const refused = { error: texts.failed };
        return result.state === "failed" ? { refused, failsAs: "too_many_codes" } : { refused };
      }
      const { customerId, authentication } = result;
      const customer = await bank.loadCustomer(customerId);
      if (!customer) return { refused: { error: texts.unknown }, failsAs: "too_many_codes" };
      const confirmed = { customerId, authentication, method: "redirect" } as const;
      const taken = takeConfirmation({ later }, place, confirmed);
      if (!("done" in taken)) return taken;
      const { login: customerLogin, name: customerName } = customer;
      const payeeCheck = await checkPayee(bank, place);
      const found = { ...taken.done, customerId, customerLogin, customerName };
      return { done: payeeCheck ? { ...found, payeeCheck } : found };
    },
  };
};
