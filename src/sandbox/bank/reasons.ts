import type { Reason } from "#src/bank/port.ts";

/**
 * The ISO 20022 reasons that the bank and the simulated scheme give, by code. Source: ISO 20022,
 * external code sets: ExternalStatusReason1Code.
 */
export const reasonTexts = {
  AC01: "IncorrectAccountNumber",
  AC02: "InvalidDebtorAccountNumber",
  AC03: "InvalidCreditorAccountNumber",
  AC04: "ClosedAccountNumber",
  AC06: "BlockedAccount",
  AG01: "TransactionForbidden",
  AM02: "NotAllowedAmount",
  AM03: "NotAllowedCurrency",
  AM04: "InsufficientFunds",
  AM05: "Duplication",
  AM06: "TooLowAmount",
  AM14: "AmountExceedsAgreedLimit",
  BE01: "InconsistenWithEndCustomer",
  MS03: "NotSpecifiedReasonAgentGenerated",
  RR04: "RegulatoryReason",
} as const satisfies Record<string, string>;

/** A reason code of the sandbox bank. */
export type SandboxReasonCode = keyof typeof reasonTexts;

/** Returns the reason with the given code. */
export const reason = (code: SandboxReasonCode): Reason => ({ code, text: reasonTexts[code] });
