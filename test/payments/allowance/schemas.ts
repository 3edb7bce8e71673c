import Type, { type TProperties, type TSchema } from "typebox";
import type { KindSchemas } from "#src/payments/formats/format.ts";
import { envelope as earlierEnvelope } from "#src/standard/pisp-v3.1/domestic-vrp.ts";
import { risk as earlierRisk } from "#src/standard/pisp-v3.1/risk.ts";
import { statusReasons } from "#src/standard/pisp-v4.0/kind-schemas.ts";
import { creditorAccount } from "#src/standard/pisp-v4.0/parties.ts";
import { paymentDetailsResponse } from "#src/standard/pisp-v4.0/payment-bodies.ts";
import { risk as currentRisk } from "#src/standard/pisp-v4.0/risk.ts";
import { closedAmount } from "#src/standard/shared/amount.ts";
import { consentId, envelope as currentEnvelope } from "#src/standard/shared/envelope.ts";
import { closed, dateTime, oneOf, open, text } from "#src/standard/shared/schema.ts";

// The schemas of both versions. They differ in the reference: v4.0 has a list of lines, the earlier
// version has one text. Each version has its published risk and links.

const control = closed({
  ValidFromDateTime: Type.Optional(dateTime()),
  ValidToDateTime: Type.Optional(dateTime()),
  MaximumIndividualAmount: closedAmount,
  PeriodicLimits: Type.Array(
    closed({
      PeriodType: oneOf(["Month"]),
      PeriodAlignment: oneOf(["Calendar"]),
      Amount: text(19),
      Currency: text(3),
    }),
    { minItems: 1 },
  ),
});

const instruction = closed({
  InstructionIdentification: text(35),
  EndToEndIdentification: text(35),
  InstructedAmount: closedAmount,
  CreditorAccount: creditorAccount,
});

const answered = {
  ConsentId: consentId,
  CreationDateTime: dateTime(),
  Status: Type.String(),
  StatusUpdateDateTime: dateTime(),
  StatusReason: Type.Optional(statusReasons),
  Charges: Type.Optional(Type.Array(Type.Unknown())),
  Debtor: Type.Optional(open({})),
};

type Edition = { lines: TSchema; risk: TSchema; envelope: TProperties };

const schemasOf = ({ lines, risk, envelope }: Edition): KindSchemas => {
  const initiation = closed({
    CreditorAccount: creditorAccount,
    RemittanceInformation: Type.Optional(closed({ Unstructured: lines })),
  });
  const consented = { ControlParameters: control, Initiation: initiation };
  const ordered = { Initiation: initiation, Instruction: instruction };
  return {
    initiation,
    consentRequest: closed({ Data: closed(consented), Risk: risk }),
    consentResponse: closed({
      Data: closed({ ...answered, ...consented }),
      Risk: risk,
      ...envelope,
    }),
    orderRequest: closed({ Data: closed({ ConsentId: consentId, ...ordered }), Risk: risk }),
    orderResponse: closed({
      Data: closed({ ...answered, AllowanceId: text(40), ...ordered }),
      ...envelope,
    }),
  };
};

/** The bodies in v4.0. */
export const currentSchemas = schemasOf({
  lines: Type.Array(text(140)),
  risk: currentRisk,
  envelope: currentEnvelope,
});

/** The bodies in the earlier version. */
export const earlierSchemas = {
  ...schemasOf({ lines: text(140), risk: earlierRisk, envelope: earlierEnvelope }),
  details: closed({ Data: paymentDetailsResponse.properties.Data, ...earlierEnvelope }),
};
