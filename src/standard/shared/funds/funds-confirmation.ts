import Type, { type Static } from "typebox";
import { openAmount } from "#src/standard/shared/amount.ts";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, open, text } from "#src/standard/shared/schema.ts";

const asked = { ConsentId: consentId, Reference: text(35), InstructedAmount: openAmount };

/** A question whether an amount is available. Source: OBFundsConfirmation1. */
export const fundsConfirmationRequest = closed(
  { Data: open(asked) },
  { title: "OBFundsConfirmation1" },
);

/** The question as a TPP sends it. */
export type FundsConfirmationRequest = Static<typeof fundsConfirmationRequest>;

/** The answer: yes or no, and nothing about the account. Source: OBFundsConfirmationResponse1. */
export const fundsConfirmationResponse = closed(
  {
    Data: open({
      FundsConfirmationId: text(40),
      CreationDateTime: dateTime(),
      FundsAvailable: Type.Boolean(),
      ...asked,
    }),
    ...envelope,
  },
  { title: "OBFundsConfirmationResponse1" },
);
