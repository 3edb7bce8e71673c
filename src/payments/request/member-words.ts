import { consentOfToken } from "#src/http/refusal/id-words.ts";
import { standardExamples } from "#src/standard/descriptions/examples.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import { sweepingType, withoutAuthentication } from "#src/standard/shared/vrp-types.ts";
import type { KindRules } from "./checks.ts";

const identification =
  "a string of 1 to 256 characters in the form of SchemeName: 14 digits for " +
  "UK.OBIE.SortCodeAccountNumber, an IBAN for UK.OBIE.IBAN";

/**
 * What the bank wants in some members of a kind's bodies, where their schemas do not say it: the
 * schemas are the standard's, and the same for every bank.
 */
export function memberWords({
  id,
  accountSchemes,
}: Pick<KindRules, "accountSchemes"> & { id: string }): PropertyWords {
  const { FileHash } = standardExamples;
  const scheme = `one of ${accountSchemes.join(", ")}`;
  return {
    ConsentId: consentOfToken(`/${id}-consents`),
    "CreditorAccount.SchemeName": scheme,
    "DebtorAccount.SchemeName": scheme,
    // one example would not fit every scheme
    "CreditorAccount.Identification": identification,
    "DebtorAccount.Identification": identification,
    // other values need a contract, which only some TPPs have
    "ControlParameters.PSUAuthenticationMethods": `${withoutAuthentication}, or a method that your contract with the bank allows`,
    "ControlParameters.VRPType": `${sweepingType}, or a type that your contract with the bank allows`,
    FileHash: `the SHA-256 hash of the file in base64, 44 characters such as ${FileHash}`,
  };
}

const inFuture = ["RequestedExecutionDateTime", "FirstPaymentDateTime", "CompletionDateTime"];

/** The same for the dates that the bank wants in the future: a fixed example would pass. */
export function futureWords(now: Temporal.Instant): PropertyWords {
  const day = now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: 7 });
  const words = `an existing date-time in the future, such as ${day}T09:30:00+00:00`;
  return Object.fromEntries(inFuture.map((name) => [name, words]));
}

/** The same for the members of an order, which repeats what its consent says. Source: P-152. */
export const orderWords = (kind: Parameters<typeof memberWords>[0]): PropertyWords => ({
  ...memberWords(kind),
  Initiation: "the Initiation of the consent, unchanged",
  Risk: "the Risk of the consent, unchanged",
});
