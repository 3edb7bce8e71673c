import { valueAt } from "#src/payments/request/json-path.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { readRequest } from "#src/payments/request/read-request.ts";
import { file } from "#src/standard/pisp-v4.0/file-payment.ts";
import { fundsConfirmationResponse } from "#src/standard/pisp-v4.0/funds-confirmation.ts";
import { judgedBy } from "#src/standard/pisp-v4.0/judgement.ts";
import { paymentDetailsResponse } from "#src/standard/pisp-v4.0/payment-details.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";
import { remittanceReference } from "#src/standard/shared/v4/remittance-information.ts";
import { readFrequency } from "./pisp-v4.0-frequency.ts";
import { readMandate, readRemittance } from "./pisp-v4.0-mandate.ts";
import { renderConsent, renderDetail, renderFunds, renderOrder } from "./pisp-v4.0-render.ts";
import type { KindSchemas, Wire } from "./wire.ts";

const initiation = "Data.Initiation";

/** Prefixes the paths of members with the path of the initiation. */
const below = <Member extends string>(
  members: Readonly<Record<Member, string>>,
): Record<Member, string> => {
  const paths = Object.entries<string>(members).map(([member, path]) => [
    member,
    `${initiation}.${path}`,
  ]);
  return Object.fromEntries(paths); // one path per member that was given
};

const accountAt = <Member extends "debtor" | "creditor">(member: Member, path: string) =>
  below({
    [member]: path,
    [`${member}.schemeName`]: `${path}.SchemeName`,
    [`${member}.identification`]: `${path}.Identification`,
    [`${member}.secondaryIdentification`]: `${path}.SecondaryIdentification`,
    [`${member}.name`]: `${path}.Name`,
  });

const amountAt = (member: "amount" | "recurringAmount" | "finalAmount", path: string) =>
  below({
    [member]: path,
    [`${member}.text`]: `${path}.Amount`,
    [`${member}.currency`]: `${path}.Currency`,
  });

/** Members of every kind. */
const common: MemberPaths = {
  order: initiation,
  consentId: "Data.ConsentId",
  "authorisation.type": "Data.Authorisation.AuthorisationType",
  "authorisation.completion": "Data.Authorisation.CompletionDateTime",
  readsRefundAccount: "Data.ReadRefundAccount",
  ...accountAt("debtor", "DebtorAccount"),
};

const paid: MemberPaths = { ...common, ...accountAt("creditor", "CreditorAccount") };

const single: MemberPaths = {
  ...paid,
  ...below({
    instructionId: "InstructionIdentification",
    endToEndId: "EndToEndIdentification",
    localInstrument: "LocalInstrument",
    executionDate: "RequestedExecutionDateTime",
  }),
  ...amountAt("amount", "InstructedAmount"),
};

const schedule = below({
  executionDate: "MandateRelatedInformation.FirstPaymentDateTime",
  recurringDate: "MandateRelatedInformation.RecurringPaymentDateTime",
  finalDate: "MandateRelatedInformation.FinalPaymentDateTime",
  numberOfPayments: "NumberOfPayments",
  "frequency.type": "MandateRelatedInformation.Frequency.Type",
  "frequency.perPeriod": "MandateRelatedInformation.Frequency.CountPerPeriod",
  "frequency.pointInTime": "MandateRelatedInformation.Frequency.PointInTime",
});

const abroad = below({
  transferCurrency: "CurrencyOfTransfer",
  priority: "InstructionPriority",
  chargeBearer: "ChargeBearer",
  purpose: "ExtendedPurpose",
  destinationCountry: "DestinationCountryCode",
  agent: "CreditorAgent",
  "agent.schemeName": "CreditorAgent.SchemeName",
  "agent.identification": "CreditorAgent.Identification",
  "agent.name": "CreditorAgent.Name",
  "agent.address": "CreditorAgent.PostalAddress",
  "agent.country": "CreditorAgent.PostalAddress.Country",
  rate: "ExchangeRateInformation",
  "rate.unitCurrency": "ExchangeRateInformation.UnitCurrency",
  "rate.type": "ExchangeRateInformation.RateType",
  "rate.value": "ExchangeRateInformation.ExchangeRate",
  "rate.contractId": "ExchangeRateInformation.ContractIdentification",
});

/** The paths of a request's members in v4.0: one table per group of kinds with the same members. */
export const memberPaths = {
  domestic: single,
  international: { ...single, ...abroad },
  domesticStandingOrder: {
    ...paid,
    ...schedule,
    ...amountAt("amount", "FirstPaymentAmount"),
    ...amountAt("recurringAmount", "RecurringPaymentAmount"),
    ...amountAt("finalAmount", "FinalPaymentAmount"),
  },
  internationalStandingOrder: {
    ...paid,
    ...schedule,
    ...abroad,
    ...amountAt("amount", "InstructedAmount"),
  },
  file: {
    ...common,
    ...below({
      executionDate: "RequestedExecutionDateTime",
      localInstrument: "LocalInstrument",
      "file.type": "FileType",
      "file.hash": "FileHash",
      "file.reference": "FileReference",
      "file.numberOfTransactions": "NumberOfTransactions",
      "file.controlSum": "ControlSum",
    }),
  },
} as const satisfies Record<string, MemberPaths>;

type Given = "paths" | "statuses" | "sample" | "demo" | "earlier";

/** Makes a kind's wire in v4.0. Kinds differ only in schemas, members, statuses and examples. */
export const wireOfV4 = ({
  schemas,
  ...kind
}: Pick<Wire, Given> & { schemas: KindSchemas }): Wire => ({
  version: pispV40,
  ...kind,
  schemas: {
    ...schemas,
    details: paymentDetailsResponse,
    funds: fundsConfirmationResponse,
    file,
  },
  judgedBy,
  repeated: [initiation, "Risk"],
  read(body) {
    const request = readRequest(body, kind.paths, null);
    const secondary = request.creditor?.secondaryIdentification ?? null;
    const given = initiationIn(body);
    const { schedule } = request;
    const reference = secondary ?? remittanceReference(given);
    const currency = request.amount?.currency ?? null;
    return {
      ...request,
      reference,
      schedule: schedule && {
        ...schedule,
        frequency: readFrequency(valueAt(given, "MandateRelatedInformation.Frequency")),
        mandate: readMandate(given),
        remittance: readRemittance(given, { reference, currency }),
      },
    };
  },
  renderConsent,
  renderOrder,
  renderDetail,
  renderFunds,
});

/** Returns the initiation of a body, which may have any shape. */
function initiationIn(body: unknown): unknown {
  const { Data } = (body ?? {}) as { Data?: { Initiation?: unknown } | null };
  return Data?.Initiation;
}
