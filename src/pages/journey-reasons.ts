// What the customer reads of the reason why a request can no longer be approved: a sentence for
// each reason, because one status code can stand for several of them.

/** Why it is too late to approve a request. */
export const lateTexts = {
  cutOffPassed: "It had to be approved before today’s cut-off time, which has passed.",
  dateCome: "The date of the payment has come, and it had to be approved before.",
  rateExpired: "The exchange rate that we held for it is no longer valid.",
  completionPassed: "The time that it gave for approving it has passed.",
} as const;

/** Of any other limit in time, such as the dates of a standing order. */
export const otherwiseLate = "Its dates or its terms can no longer be kept.";

const elsewhere = "We stopped it on another device or in another tab, because";

/** Why a request is closed. */
export const closedTexts = {
  cancelled: "It was cancelled on another device or in another tab.",
  notAuthenticated: `${elsewhere} we could not be sure who was there.`,
  altered: `${elsewhere} what was confirmed there had changed.`,
  wrongAccount: `${elsewhere} the account that it names could not be used there.`,
  unmet: `${elsewhere} it did not fit the accounts there.`,
  stoppedByCustomer: "It is about a permission that its customer has stopped.",
  stoppedByBank: "It is about a permission that we have stopped.",
} as const;

/** Of a reason that is not known here, such as one of the bank's core for another login. */
export const otherwiseClosed = "It can no longer be approved here.";

/** A reason of `lateTexts`. */
export type LateReason = keyof typeof lateTexts;

/** A reason of `closedTexts`. */
export type ClosedReason = keyof typeof closedTexts;
