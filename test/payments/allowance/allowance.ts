import { usedWithinLimits } from "#src/consents/states.ts";
import { moneyText } from "#src/pages/wording.ts";
import { definePaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { Format } from "#src/payments/formats/format.ts";
import { accountAt } from "#src/payments/formats/member-paths.ts";
import { limitChecks } from "#src/payments/limits/consent-checks.ts";
import { checkUkAccounts } from "#src/payments/request/checks.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { withinLimits } from "#src/payments/shapes/within-limits/within-limits.ts";
import { formatOfV4 } from "#src/payments/versions/pisp-v4.0/formats.ts";
import type { Example, KindExamples } from "#src/server/examples/example.ts";
import { domesticSample } from "#src/server/examples/payment-examples.ts";
import { pispV31 } from "#src/standard/pisp-v3.1/version.ts";
import { shownStatuses } from "#src/standard/shared/payments/statuses.ts";
import { currentSchemas, earlierSchemas } from "./schemas.ts";

// The amount is in the order's instruction; the payee is in the consent too.
const paths: MemberPaths = {
  order: "Data.Initiation",
  consentId: "Data.ConsentId",
  ...accountAt("creditor", "Data.Initiation.CreditorAccount"),
  instructionId: "Data.Instruction.InstructionIdentification",
  endToEndId: "Data.Instruction.EndToEndIdentification",
  amount: "Data.Instruction.InstructedAmount",
  "amount.text": "Data.Instruction.InstructedAmount.Amount",
  "amount.currency": "Data.Instruction.InstructedAmount.Currency",
  "limits.single": "Data.ControlParameters.MaximumIndividualAmount",
  "limits.single.text": "Data.ControlParameters.MaximumIndividualAmount.Amount",
  "limits.single.currency": "Data.ControlParameters.MaximumIndividualAmount.Currency",
  "limits.validFrom": "Data.ControlParameters.ValidFromDateTime",
  "limits.validTo": "Data.ControlParameters.ValidToDateTime",
  limits: "Data.ControlParameters",
  "limits.periods": "Data.ControlParameters.PeriodicLimits[]",
  "limits.periods.type": "Data.ControlParameters.PeriodicLimits[].PeriodType",
  "limits.periods.alignment": "Data.ControlParameters.PeriodicLimits[].PeriodAlignment",
  "limits.periods.text": "Data.ControlParameters.PeriodicLimits[].Amount",
  "limits.periods.currency": "Data.ControlParameters.PeriodicLimits[].Currency",
};

/** The bodies of a consent to £12 per month, and an order of £3. Versions differ in the text. */
const exampleOf = (CreditorAccount: object, Unstructured: string | string[]): Example<never> => {
  const terms = {
    ControlParameters: {
      MaximumIndividualAmount: { Amount: "5.00", Currency: "GBP" },
      PeriodicLimits: [
        { PeriodType: "Month", PeriodAlignment: "Calendar", Amount: "12.00", Currency: "GBP" },
      ],
    },
    Initiation: { CreditorAccount, RemittanceInformation: { Unstructured } },
  };
  const Instruction = {
    InstructionIdentification: "i1",
    EndToEndIdentification: "e1",
    InstructedAmount: { Amount: "3.00", Currency: "GBP" },
    CreditorAccount,
  };
  const { Initiation } = terms;
  return {
    consent: { Data: terms, Risk: {} },
    order: { Data: { ConsentId: "", Initiation, Instruction }, Risk: {} },
  };
};

const ofV4 = formatOfV4({
  schemas: currentSchemas,
  paths,
  statuses: shownStatuses.immediate,
  references: ["RemittanceInformation.Unstructured[]"],
});

const format: Format = {
  ...ofV4,
  instruction: {
    at: "Data.Instruction",
    paths,
    repeated: [
      { consented: "Data.Initiation.CreditorAccount", ordered: "Data.Instruction.CreditorAccount" },
    ],
  },
  earlier: { "pisp-v3.1": { reword: withLines } },
};

/** Converts a body of the earlier version, whose text becomes a list of lines in v4.0. */
function withLines<Sent extends { Data: Record<string, unknown> }>(body: Sent): Sent {
  const { Initiation } = body.Data as {
    Initiation?: { RemittanceInformation?: { Unstructured?: string | string[] } };
  };
  const text = Initiation?.RemittanceInformation?.Unstructured;
  if (typeof text !== "string") return body;
  const RemittanceInformation = { Unstructured: [text] };
  return { ...body, Data: { ...body.Data, Initiation: { ...Initiation, RemittanceInformation } } };
}

const examplesOf = (text: string | string[]): KindExamples => ({
  sample: () => exampleOf(domesticSample.CreditorAccount, text),
  demo: (creditor) => exampleOf(creditor, text),
});

const earlierFormat: Format = {
  ...format,
  version: pispV31,
  schemas: { ...format.schemas, ...earlierSchemas },
  earlier: {},
  otherPaths: [],
  read: (body) => format.read(withLines(body as { Data: Record<string, unknown> })),
};

/** Pocket money: many payments to one payee, with a limit per month. */
export const allowance = definePaymentKind({
  id: "x-allowance",
  tag: "Allowances",
  orderIdField: "AllowanceId",
  consentIdPrefix: "alc",
  orderIdPrefix: "al",
  consent: usedWithinLimits,
  family: "immediate",
  timing: { when: "immediate" },
  hasCutOff: false,
  givesExpectedDates: false,
  confirmsFunds: false,
  currencies: ["GBP"],
  accountSchemes: ["UK.OBIE.SortCodeAccountNumber", "UK.OBIE.IBAN"],
  localInstruments: ["UK.OBIE.FPS"],
  checks: [checkUkAccounts, ...limitChecks],
  shape: withinLimits({
    words: ({ single, periods }) => ({
      amount: `Up to ${moneyText(single?.money?.amountMinor ?? 0n, "GBP")} at a time`,
      rows: periods.map(({ amount }) => ({
        label: "Each month",
        value: `Up to ${moneyText(amount.money?.amountMinor ?? 0n, "GBP")}`,
      })),
    }),
  }),
  formats: { "pisp-v3.1": earlierFormat, "pisp-v4.0": format },
  examples: { "pisp-v3.1": examplesOf("Pocket money"), "pisp-v4.0": examplesOf(["Pocket money"]) },
});
