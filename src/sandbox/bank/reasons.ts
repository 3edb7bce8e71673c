import type { Reason } from "#src/bank/port.ts";

/**
 * The ISO 20022 reasons that the bank itself gives, by code. Source: ISO 20022, external code sets:
 * ExternalStatusReason1Code.
 */
export const reasonTexts = {
  AC02: "InvalidDebtorAccountNumber",
  AC03: "InvalidCreditorAccountNumber",
  AC04: "ClosedAccountNumber",
  AC06: "BlockedAccount",
  AM03: "NotAllowedCurrency",
  AM04: "InsufficientFunds",
  AM06: "TooLowAmount",
  AM14: "AmountExceedsAgreedLimit",
  MS03: "NotSpecifiedReasonAgentGenerated",
} as const satisfies Record<string, string>;

/** A reason code that the bank itself gives. */
export type SandboxReasonCode = keyof typeof reasonTexts;

/** Returns the reason with the given code. */
export const reason = (code: SandboxReasonCode): Reason => ({ code, text: reasonTexts[code] });
