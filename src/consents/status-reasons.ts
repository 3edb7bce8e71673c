import { consumedReason, type StatusReason, statusReason, waitingReasons } from "./consent.ts";

const debtorAccount = "Data.Initiation.DebtorAccount";

/**
 * Every reason of a consent's status that Aldgate itself gives, by name. Nothing else in `src/`
 * makes one, except from what a request or the bank's core says (test/auth/end-causes.test.ts), so
 * that each reason has an ending of journeys (auth/journey/closings.ts). Some reasons share a
 * code. A path in a payment differs by version, so whoever gives such a reason adds it.
 */
export const statusReasons = {
  fileMissing: waitingReasons.AWUP,
  unauthorised: waitingReasons.AWAU,
  used: consumedReason,
  /** Source: V-061. */
  unanswered: statusReason("U036", "The customer did not authorise in time."),
  /** Source: E-012. */
  expired: statusReason("TKXP", "The access that the customer granted has expired."),
  notAuthenticated: statusReason("U033", "The customer could not be authenticated."),
  cancelled: statusReason("U033", "The customer did not authorise the consent."),
  altered: statusReason("U033", "The authentication was not for this payment."),
  wrongAccount: statusReason(
    "AC02",
    "The debtor account cannot be used by this customer.",
    debtorAccount,
  ),
  ambiguousAccount: statusReason(
    "AC02",
    "Several accounts have this number: SecondaryIdentification must name one.",
    debtorAccount,
  ),
  unmet: statusReason(
    "U042",
    "The AuthorisationType does not fit any of this customer's accounts.",
    "Data.Authorisation.AuthorisationType",
  ),
  cutOffPassed: statusReason("U012", "The cut-off for immediate payments has passed."),
  rateExpired: statusReason("U042", "The quoted exchange rate has expired."),
  dateCome: statusReason("DT01", "The payment date arrived before the consent was authorised."),
  completionPassed: statusReason("U042", "The time for completing the authorisation has passed."),
  contractOver: statusReason("U042", "The contract between the bank and the TPP has ended."),
  contractStopped: statusReason("TKSP", "The contract between the bank and the TPP has ended."),
} as const satisfies Record<string, StatusReason>;

/** The name of a reason of Aldgate's own. The stops of `stopConsent` have a text for each kind. */
export type StatusReasonName = keyof typeof statusReasons | "stoppedByCustomer" | "stoppedByBank";

/** The reason of a consent that the customer or the bank has stopped: `stopped the access`. */
export const stopReason = (by: "customer" | "bank", stopping: string): StatusReason => ({
  code: by === "customer" ? "CUST" : "TKSP",
  text: `The ${by} has ${stopping}.`,
});

const stops = [
  ["stoppedByCustomer", stopReason("customer", "")],
  ["stoppedByBank", stopReason("bank", "")],
] as const;

/** The name of a stored reason; null if it is not Aldgate's own, such as one of the bank's core. */
export function reasonName(reason: StatusReason | undefined): StatusReasonName | null {
  if (!reason) return null;
  const { code, text } = reason;
  const named = Object.entries(statusReasons).find(
    ([, each]) => each.code === code && each.text === text,
  );
  if (named) return named[0] as keyof typeof statusReasons;
  const stop = stops.find(
    ([, each]) => each.code === code && text.startsWith(each.text.slice(0, -1)),
  );
  return stop?.[0] ?? null;
}
