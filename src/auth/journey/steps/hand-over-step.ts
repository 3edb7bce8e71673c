import { subjectOf } from "#src/auth/journey/consent-subject.ts";
import { areAccountsKnown } from "#src/auth/journey/eligible-accounts.ts";
import type { JourneyStep } from "#src/auth/journey/journey-step.ts";
import type { Place } from "#src/auth/journey/load-journey.ts";
import { subjectShown } from "#src/auth/journey/showings.ts";
import type { BankLogin } from "#src/auth/login/bank-login.ts";
import { customerOfLogin } from "#src/auth/login/customers.ts";
import { handOverPage } from "#src/pages/hand-over.ts";
import { takeConfirmation } from "./confirmed-elsewhere.ts";
import { checkPayee } from "./factor-step.ts";

// what the provider is asked to confirm if it only logs customers in
const login = { act: "login" } as const;

const texts = {
  failed: "The login could not be completed. Nothing has been approved. Try again, or cancel.",
  unknown: "We do not know the customer who has logged in. Try again, or cancel.",
};

const fields = { state: "one", iss: "one", code: "one", error: "one" } as const;

/**
 * The bank's own login, in place of the step for the password. If the bank's OpenID provider
 * confirms approvals, it also replaces the code: the customer confirms this consent there, and
 * nothing else. Otherwise it shows nothing of the consent, and the second factor follows here.
 */
export const handOverStep = (bankLogin: BankLogin): JourneyStep<typeof fields> => {
  const isApproval = bankLogin.confirms === "approval";
  const handOverOf = (place: Place) => {
    const { row, clientName, now } = place;
    const subject = isApproval ? subjectShown(place) : login;
    return { uid: row.uid, clientName, subject, age: now.since(row.createdAt) };
  };
  const showing: Pick<JourneyStep, "isFirst" | "showsConsent" | "shows"> = {
    isFirst: true,
    // the provider shows all that is confirmed
    showsConsent: ({ consent, kind }) => areAccountsKnown(kind, consent),
    shows: subjectOf,
  };
  return {
    name: "hand-over",
    minutes: 15,
    fields,
    isTakenInTurn: true,
    ...(isApproval ? showing : {}),
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
      const { authentication } = result;
      const customer = await customerOfLogin(bank, result.customerId);
      if (!customer) return { refused: { error: texts.unknown }, failsAs: "too_many_codes" };
      const { customerId, login: customerLogin, name: customerName } = customer;
      if (!isApproval) {
        const loginAmr = authentication.amr;
        return { done: { customerId, customerLogin, customerName, loginAmr } };
      }
      const confirmed = { customerId, authentication, method: "redirect" } as const;
      const taken = takeConfirmation({ later }, place, confirmed);
      if (!("done" in taken)) return taken;
      const payeeCheck = await checkPayee(bank, place);
      const found = { ...taken.done, customerId, customerLogin, customerName };
      return { done: payeeCheck ? { ...found, payeeCheck } : found };
    },
  };
};
