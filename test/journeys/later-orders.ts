import type { TestBank } from "#test/harness.ts";
import type { Order } from "./payments.ts";

const inDays = (bank: TestBank, days: number): string =>
  `${bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().add({ days })}T00:00:00+00:00`;

/** A payment that is made in five days. */
export const scheduledOrder = (bank: TestBank): Order => ({
  kind: "domestic-scheduled-payment",
  initiation: { RequestedExecutionDateTime: inDays(bank, 5) },
});

/** A standing order that pays every week from the third day on. */
export const weeklyOrder = (bank: TestBank): Order => ({
  kind: "domestic-standing-order",
  initiation: {
    ...{ InstructionIdentification: undefined, EndToEndIdentification: undefined },
    InstructedAmount: undefined,
    MandateRelatedInformation: {
      FirstPaymentDateTime: inDays(bank, 3),
      Frequency: { Type: "WEEK" },
    },
    FirstPaymentAmount: { Amount: "7.00", Currency: "GBP" },
  },
});
