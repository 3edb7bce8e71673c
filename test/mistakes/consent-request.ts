import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { changed, type Mistake, sampleConsent } from "./place.ts";

/** Where the payment is in a body. */
export const initiation = "Data.Initiation";

/** A consent request of a kind with changed members. */
export const consent = (
  kind: PaymentKindId,
  name: string,
  changes: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `${kind}: ${name}`,
  send: ({ tpp, tokens }) =>
    tpp.call({
      path: `/v4.0/pisp/${kind}-consents`,
      token: tokens.payments,
      body: changed(sampleConsent(kind), changes),
    }),
  says,
});

/** Where the amount is in a body. */
export const amount = `${initiation}.InstructedAmount.Amount`;
/** Where the currency is in a body. */
export const currency = `${initiation}.InstructedAmount.Currency`;
/** Where the payee is in a body. */
export const account = `${initiation}.CreditorAccount`;
