import type { Consent } from "#src/consents/consent.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { fundsConfirmation } from "#src/consents/states.ts";
import { accountNumberText, endTexts, notOpenText } from "#src/pages/wording.ts";
import type { FundsRequest } from "./funds-request.ts";

// stored by the operation that creates the consent
const debtorOf = (consent: Consent) => (consent.body.Data as FundsRequest).DebtorAccount;

/**
 * The kind of consent for confirmations of funds. The TPP names one account, and the customer
 * approves or refuses all checks together. Source: C-030…C-040.
 */
export const fundsConfirmationKind: ConsentKind = {
  id: "funds-confirmation",
  scope: "fundsconfirmations",
  noun: "funds checks",
  accountChoice: "one",
  course: fundsConfirmation,
  namedDebtor(consent) {
    const { SchemeName, Identification, Name, SecondaryIdentification } = debtorOf(consent);
    return {
      schemeName: SchemeName,
      identification: Identification,
      name: Name ?? null,
      secondaryIdentification: SecondaryIdentification ?? null,
    };
  },
  debtorPath: "Data.DebtorAccount",
  whyNotEligible: (_, { status }) => {
    const why = notOpenText(status);
    return why && `This account is ${why}.`;
  },
  // any holder may allow the checks. Source: C-035
  whyNotSignable: () => null,
  whyNotNow: () => null,
  closesAt: () => null,
  summarise(consent) {
    const { SchemeName, Identification, Name } = debtorOf(consent);
    return {
      type: "funds",
      accountName: Name ?? null,
      accountNumber: accountNumberText(SchemeName, Identification),
      ...endTexts(consent.expiresAt),
    };
  },
};
