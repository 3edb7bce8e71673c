import type {
  AccountMember,
  AmountMember,
  MemberPaths,
  RequestMember,
} from "#src/payments/request/payment-request.ts";

// The paths of the members that v3.1 and v4.0 have in the same places.

/** The path of the part of a body that an order repeats. */
export const initiation = "Data.Initiation";

/** Prefixes paths with the path of the part that they are in. */
export const below = (part: string, paths: readonly string[]): string[] =>
  paths.map((path) => `${part}.${path}`);

/** Prefixes the paths of members with the path of the initiation. */
export const inInitiation = <Member extends RequestMember>(
  members: Readonly<Record<Member, string>>,
): MemberPaths => {
  const paths = Object.entries<string>(members).map(([member, path]) => [
    member,
    `${initiation}.${path}`,
  ]);
  return Object.fromEntries(paths); // one path per member that was given
};

/** The paths of an account's members. */
export const accountAt = (member: AccountMember, path: string): MemberPaths => ({
  [member]: path,
  [`${member}.schemeName`]: `${path}.SchemeName`,
  [`${member}.identification`]: `${path}.Identification`,
  [`${member}.secondaryIdentification`]: `${path}.SecondaryIdentification`,
  [`${member}.name`]: `${path}.Name`,
});

/** The paths of an amount's members. */
export const amountAt = (member: AmountMember, path: string): MemberPaths => ({
  [member]: path,
  [`${member}.text`]: `${path}.Amount`,
  [`${member}.currency`]: `${path}.Currency`,
});

/** Members of every kind whose payments are not made within limits. */
const common: MemberPaths = {
  order: initiation,
  consentId: "Data.ConsentId",
  "authorisation.type": "Data.Authorisation.AuthorisationType",
  "authorisation.completion": "Data.Authorisation.CompletionDateTime",
  ...accountAt("debtor", `${initiation}.DebtorAccount`),
};

/** The members of kinds that pay one creditor. */
const paid: MemberPaths = {
  ...common,
  readsRefundAccount: "Data.ReadRefundAccount",
  ...accountAt("creditor", `${initiation}.CreditorAccount`),
};

const single: MemberPaths = {
  ...paid,
  ...inInitiation({
    instructionId: "InstructionIdentification",
    endToEndId: "EndToEndIdentification",
    localInstrument: "LocalInstrument",
  }),
  ...amountAt("amount", `${initiation}.InstructedAmount`),
};

/** The members of international kinds. */
const abroad = inInitiation({
  transferCurrency: "CurrencyOfTransfer",
  purpose: "ExtendedPurpose",
  chargeBearer: "ChargeBearer",
  destinationCountry: "DestinationCountryCode",
  agent: "CreditorAgent",
  "agent.schemeName": "CreditorAgent.SchemeName",
  "agent.identification": "CreditorAgent.Identification",
  "agent.name": "CreditorAgent.Name",
  "agent.address": "CreditorAgent.PostalAddress",
  "agent.country": "CreditorAgent.PostalAddress.Country",
});

const exchanged = inInitiation({
  priority: "InstructionPriority",
  rate: "ExchangeRateInformation",
  "rate.unitCurrency": "ExchangeRateInformation.UnitCurrency",
  "rate.type": "ExchangeRateInformation.RateType",
  "rate.value": "ExchangeRateInformation.ExchangeRate",
  "rate.contractId": "ExchangeRateInformation.ContractIdentification",
});

const later = inInitiation({ executionDate: "RequestedExecutionDateTime" });

/** The paths of a kind's members: one table per group of kinds with the same members. */
export const memberPaths = {
  domestic: single,
  domesticScheduled: { ...single, ...later },
  international: { ...single, ...abroad, ...exchanged },
  internationalScheduled: { ...single, ...abroad, ...exchanged, ...later },
  domesticStandingOrder: {
    ...paid,
    ...amountAt("amount", `${initiation}.FirstPaymentAmount`),
    ...amountAt("recurringAmount", `${initiation}.RecurringPaymentAmount`),
    ...amountAt("finalAmount", `${initiation}.FinalPaymentAmount`),
  },
  internationalStandingOrder: {
    ...paid,
    ...abroad,
    ...amountAt("amount", `${initiation}.InstructedAmount`),
  },
  file: {
    ...common,
    ...later,
    ...inInitiation({
      localInstrument: "LocalInstrument",
      "file.type": "FileType",
      "file.hash": "FileHash",
      "file.reference": "FileReference",
      "file.numberOfTransactions": "NumberOfTransactions",
      "file.controlSum": "ControlSum",
    }),
  },
} as const satisfies Record<string, MemberPaths>;
