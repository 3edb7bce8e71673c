import Type from "typebox";
import { envelope } from "#src/standard/shared/envelope.ts";
import { localInstrument } from "#src/standard/shared/payments/initiation.ts";
import { everyStatus } from "#src/standard/shared/payments/statuses.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";

const paymentStatus = open(
  {
    PaymentTransactionId: text(210),
    Status: oneOf(everyStatus),
    StatusUpdateDateTime: dateTime(),
    // an object, where the pages of the standard speak of an array. Source: D-401-27, P-182
    StatusDetail: Type.Optional(
      open({
        LocalInstrument: Type.Optional(localInstrument),
        Status: oneOf(everyStatus),
        StatusReason: Type.Optional(text(4)),
        StatusReasonDescription: Type.Optional(text(256)),
      }),
    ),
  },
  { title: "OBWritePaymentDetails1" },
);

/**
 * The status of each payment of an order, for every kind. Source: PISP profile,
 * OBWritePaymentDetailsResponse1.
 */
export const paymentDetailsResponse = open(
  { Data: closed({ PaymentStatus: Type.Optional(Type.Array(paymentStatus)) }), ...envelope },
  { title: "OBWritePaymentDetailsResponse1" },
);
