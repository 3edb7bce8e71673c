import { accountSamples } from "#src/accounts/access-sample.ts";
import { paymentSamples } from "#src/payments/kinds/examples.ts";
import { paymentKinds } from "#src/payments/kinds/payment-kinds.ts";

/** The bodies that the API reference starts from, by operation id. */
export const referenceSamples = (today: Temporal.PlainDate): Readonly<Record<string, object>> => ({
  ...accountSamples,
  ...paymentSamples(paymentKinds, today),
});
