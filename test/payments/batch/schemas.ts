import Type from "typebox";
import type { KindSchemas } from "#src/payments/formats/format.ts";
import { initiation as initiationOf } from "#src/standard/pisp-v4.0/initiation.ts";
import { statusReasons } from "#src/standard/pisp-v4.0/kind-schemas.ts";
import { debtorAccount } from "#src/standard/pisp-v4.0/parties.ts";
import { risk } from "#src/standard/pisp-v4.0/risk.ts";
import { consentId, envelope } from "#src/standard/shared/envelope.ts";
import { charges } from "#src/standard/shared/payments/charges.ts";
import { fileStatuses } from "#src/standard/shared/payments/statuses.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";

// The bodies of a batch: its initiation lists the payments, each like a domestic payment.

const payment = initiationOf(
  "InstructionIdentification* EndToEndIdentification* LocalInstrument InstructedAmount* " +
    "CreditorAccount* RemittanceInformation",
);

const initiation = closed({
  DebtorAccount: Type.Optional(debtorAccount),
  Payments: Type.Array(payment, { minItems: 2, maxItems: 20 }),
});

const created = {
  ConsentId: consentId,
  CreationDateTime: dateTime(),
  StatusUpdateDateTime: dateTime(),
  StatusReason: Type.Optional(statusReasons),
  Charges: Type.Optional(charges),
  Debtor: Type.Optional(open({})),
  Initiation: initiation,
};

/** The bodies of a batch in v4.0. */
export const batchSchemas: KindSchemas = {
  initiation,
  consentRequest: closed({ Data: closed({ Initiation: initiation }), Risk: risk }),
  consentResponse: closed({
    Data: closed({ ...created, Status: oneOf(["AWAU", "RJCT", "AUTH", "COND"]) }),
    Risk: risk,
    ...envelope,
  }),
  orderRequest: closed({
    Data: closed({ ConsentId: consentId, Initiation: initiation }),
    Risk: risk,
  }),
  orderResponse: closed({
    Data: closed({ ...created, BatchId: text(40), Status: oneOf(fileStatuses) }),
    ...envelope,
  }),
};
