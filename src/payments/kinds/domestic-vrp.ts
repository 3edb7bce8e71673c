import { usedWithinLimits } from "#src/consents/states.ts";
import type { SummaryRow } from "#src/pages/consent-summary.ts";
import { limitChecks } from "#src/payments/limits/consent-checks.ts";
import { limitWords } from "#src/payments/limits/limit-words.ts";
import { type Check, checkUkAccounts, type RequestFault } from "#src/payments/request/checks.ts";
import type { RequestedLimits } from "#src/payments/request/payment-request.ts";
import { domesticVrpV31 } from "#src/payments/wires/pisp-v3.1-vrp.ts";
import { domesticVrpWire } from "#src/payments/wires/pisp-v4.0-vrp.ts";
import { definePaymentKind, onePayment } from "./payment-kind.ts";

const sweeping = "UK.OBIE.VRPType.Sweeping";
const byBank = "UK.OBIE.SCANotRequired";

/**
 * V-008…V-010: the bank offers only sweeping, because other purposes need a contract with the TPP.
 */
const checkTypes: Check = ({ request: { limits } }) =>
  (limits?.uses.type ?? []).flatMap((type, position): RequestFault[] => {
    if (type === sweeping) return [];
    const message = `The bank offers only ${sweeping}.`;
    return [{ code: "U002", member: "limits.uses.type", position, message }];
  });

/**
 * V-011: a TPP may not authenticate the customer for each payment, because that needs a contract.
 */
const checkAuthentication: Check = ({ request: { limits } }) =>
  (limits?.uses.authentication ?? []).flatMap((method, position): RequestFault[] => {
    if (method === byBank) return [];
    const message = `The bank accepts only ${byBank}.`;
    return [{ code: "U002", member: "limits.uses.authentication", position, message }];
  });

/** V-006, V-007: a consent must name the account that its payments go to. */
const checkPayee: Check = ({ request: { limits, creditor } }) => {
  if (limits === null || creditor !== null) return [];
  const message = "The consent must name the account that its payments go to.";
  return [{ code: "U004", member: "creditor", message }];
};

/** Returns the rows about the purpose of the payments and the presence of the customer. */
function useRows({ uses }: RequestedLimits): SummaryRow[] {
  const present = uses.interaction;
  const isPresent = present !== null && present.length > 0 && !present.includes("OffSession");
  return [
    { label: "For", value: "Moving money between your own accounts (sweeping)" },
    {
      label: "How",
      value: isPresent
        ? "Without asking you again, only while you use the app or website"
        : "Without asking you again, even when you are not using the app or website",
    },
  ];
}

/** Payments in sterling that a TPP makes within the limits of one consent. */
export const domesticVrp = definePaymentKind({
  id: "domestic-vrp",
  tag: "Domestic VRPs",
  orderIdField: "DomesticVRPId",
  consentIdPrefix: "vrpc",
  orderIdPrefix: "vrp",
  consent: usedWithinLimits,
  family: "immediate",
  timing: { when: "immediate" },
  hasCutOff: false,
  givesExpectedDates: false,
  fundsConfirmation: "order",
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: ["UK.OBIE.FPS"],
  checks: [checkUkAccounts, ...limitChecks, checkTypes, checkAuthentication, checkPayee],
  payments: onePayment,
  withinLimits: {
    words(limits, given) {
      const { amount, rows } = limitWords(limits, given);
      return { amount, rows: [...rows, ...useRows(limits)] };
    },
  },
  demo: { advance: null, nextPeriod: "P7D" },
  wires: { "pisp-v3.1": domesticVrpV31, "pisp-v4.0": domesticVrpWire },
});
