import { consent, currency, initiation } from "./consent-request.ts";
import type { Mistake } from "./place.ts";

const date = `${initiation}.RequestedExecutionDateTime`;
const scheduled = (name: string, value: unknown, ...says: Mistake["says"]) =>
  consent("domestic-scheduled-payment", name, { [date]: value }, ...says);
const mandate = `${initiation}.MandateRelatedInformation`;
const standing = (name: string, changes: Record<string, unknown>, ...says: Mistake["says"]) =>
  consent("domestic-standing-order", name, changes, ...says);
const abroad = (name: string, changes: Record<string, unknown>, ...says: Mistake["says"]) =>
  consent("international-payment", name, changes, ...says);
const rate = `${initiation}.ExchangeRateInformation`;
const file = (name: string, changes: Record<string, unknown>, ...says: Mistake["says"]) =>
  consent("file-payment", name, changes, ...says);
const limits = "Data.ControlParameters";
const vrp = (name: string, changes: Record<string, unknown>, ...says: Mistake["says"]) =>
  consent("domestic-vrp", name, changes, ...says);

/** Consents of the other kinds. */
export const otherKinds: readonly Mistake[] = [
  scheduled("no date", undefined, "U004", date, "Send it"),
  scheduled("date of another form", "24/12/2026", "U003", date, /such as 20/),
  scheduled(
    "date in the past",
    "2020-01-01T00:00:00+00:00",
    "U003",
    date,
    /after.*20\d\d-\d\d-\d\d/,
  ),
  scheduled(
    "date too far away",
    "2099-01-01T00:00:00+00:00",
    "U003",
    date,
    /20\d\d-\d\d-\d\d or earlier/,
  ),
  scheduled("date as a number", 1_790_000_000, "U002", date, /date-time/),
  scheduled("31 February", "2027-02-31T00:00:00+00:00", "U003", date, /date/),
  consent(
    "domestic-scheduled-payment",
    "no permission",
    { "Data.Permission": undefined },
    "U004",
    "Data.Permission",
  ),
  consent(
    "domestic-scheduled-payment",
    "permission Read",
    { "Data.Permission": "Read" },
    "U002",
    "Data.Permission",
    "Create",
  ),
  standing(
    "unknown frequency",
    { [`${mandate}.Frequency.Type`]: "OFTEN" },
    /U002|U025/,
    "Frequency",
    "MNTH",
  ),
  standing(
    "frequency in the form of v3.1",
    { [`${mandate}.Frequency`]: "EvryDay" },
    "U002",
    "Frequency",
    "object",
  ),
  standing(
    "no frequency",
    { [`${mandate}.Frequency`]: undefined },
    "U004",
    "Frequency",
    /Type \(one of .*MNTH/,
  ),
  standing(
    "first payment in the past",
    {
      [`${mandate}.FirstPaymentDateTime`]: "2020-01-01T00:00:00+00:00",
      [`${mandate}.Frequency`]: { Type: "MNTH" },
    },
    "U003",
    "FirstPaymentDateTime",
    /20\d\d-\d\d-\d\d/,
  ),
  standing(
    "number of payments zero",
    { [`${initiation}.NumberOfPayments`]: "0" },
    "U002",
    "NumberOfPayments",
  ),
  standing(
    "number of payments as a number",
    { [`${initiation}.NumberOfPayments`]: 12 },
    "U002",
    "NumberOfPayments",
    "string",
  ),
  standing(
    "last payment before the first",
    {
      [`${initiation}.NumberOfPayments`]: undefined,
      [`${mandate}.FirstPaymentDateTime`]: "2027-06-01T00:00:00+00:00",
      [`${mandate}.FinalPaymentDateTime`]: "2027-01-01T00:00:00+00:00",
      [`${mandate}.Frequency`]: { Type: "MNTH" },
    },
    /U00/,
    "FinalPaymentDateTime",
  ),
  standing(
    "end date and number of payments",
    { [`${mandate}.FinalPaymentDateTime`]: "2028-01-01T00:00:00+00:00" },
    /U00/,
    /NumberOfPayments|FinalPaymentDateTime/,
  ),
  abroad(
    "no currency of transfer",
    { [`${initiation}.CurrencyOfTransfer`]: undefined },
    "U004",
    "CurrencyOfTransfer",
    // GBP would be a second mistake
    "such as EUR",
  ),
  abroad(
    "currency that the bank does not send",
    { [`${initiation}.CurrencyOfTransfer`]: "KPW", [currency]: "KPW" },
    "U023",
    /Currency/,
    "EUR",
  ),
  abroad(
    "unknown rate type",
    { [`${rate}.RateType`]: "Best" },
    "U002",
    "RateType",
    "Actual",
    "Agreed",
  ),
  abroad(
    "agreed rate without a contract",
    { [`${rate}.RateType`]: "Agreed" },
    /U00[14]/,
    /ContractIdentification|ExchangeRate/,
  ),
  abroad("indicative rate with a rate", { [`${rate}.ExchangeRate`]: 1.2 }, /U00/, "ExchangeRate"),
  abroad(
    "rate as text",
    {
      [rate]: {
        UnitCurrency: "GBP",
        RateType: "Agreed",
        ContractIdentification: "1",
        ExchangeRate: "1.2",
      },
    },
    /U00/,
    "ExchangeRate",
    "number",
  ),
  abroad(
    "unknown priority",
    { [`${initiation}.InstructionPriority`]: "Fast" },
    "U002",
    "InstructionPriority",
    "Urgent",
  ),
  abroad(
    "charge bearer unknown",
    { [`${initiation}.ChargeBearer`]: "OUR" },
    "U002",
    "ChargeBearer",
    "BorneByDebtor",
  ),
  abroad(
    "destination country of three letters",
    { [`${initiation}.DestinationCountryCode`]: "DEU" },
    "U002",
    "DestinationCountryCode",
  ),
  file("unknown file type", { [`${initiation}.FileType`]: "CSV" }, /U0/, "FileType", "UK.OBIE."),
  file("hash missing", { [`${initiation}.FileHash`]: undefined }, "U004", "FileHash", "SHA-256"),
  file(
    "hash too long",
    { [`${initiation}.FileHash`]: "x".repeat(45) },
    "U002",
    "FileHash",
    "SHA-256",
    "base64",
    "44",
  ),
  file(
    "number of transactions as a number",
    { [`${initiation}.NumberOfTransactions`]: 3 },
    "U002",
    "NumberOfTransactions",
    "string",
  ),
  file(
    "control sum as text",
    { [`${initiation}.ControlSum`]: "10.00" },
    "U002",
    "ControlSum",
    "number",
  ),
  vrp(
    "no periodic limits",
    { [`${limits}.PeriodicLimits`]: undefined },
    /U00[14]/,
    "PeriodicLimits",
  ),
  vrp(
    "unknown period",
    {
      [`${limits}.PeriodicLimits`]: [
        { PeriodType: "Hour", PeriodAlignment: "Consent", Amount: "1.00", Currency: "GBP" },
      ],
    },
    "U002",
    "PeriodType",
    "Month",
  ),
  vrp(
    "unknown alignment",
    {
      [`${limits}.PeriodicLimits`]: [
        { PeriodType: "Month", PeriodAlignment: "Any", Amount: "1.00", Currency: "GBP" },
      ],
    },
    "U002",
    "PeriodAlignment",
    "Calendar",
  ),
  vrp(
    "no maximum amount",
    { [`${limits}.MaximumIndividualAmount`]: undefined },
    "U004",
    "MaximumIndividualAmount",
  ),
  vrp(
    "unknown VRP type",
    { [`${limits}.VRPType`]: ["Any"] },
    "U002",
    "VRPType",
    "UK.OBIE.VRPType.Sweeping",
  ),
  vrp(
    "no SCA methods",
    { [`${limits}.PSUAuthenticationMethods`]: undefined },
    "U004",
    "PSUAuthenticationMethods",
    // and not UK.OBIE.SCA, for which this TPP has no contract
    "each UK.OBIE.SCANotRequired, or a method that your contract with the bank allows",
  ),
  vrp(
    "no VRP types",
    { [`${limits}.VRPType`]: undefined },
    "U004",
    "VRPType",
    "each UK.OBIE.VRPType.Sweeping, or a type that your contract with the bank allows",
  ),
  vrp(
    "no control parameters",
    { [limits]: undefined },
    "U004",
    limits,
    /such as .*VRPType\\":\[\\"UK\.OBIE\.VRPType\.Sweeping\\"\]/,
    'PSUAuthenticationMethods\\":[\\"UK.OBIE.SCANotRequired\\"]',
  ),
  vrp(
    "end before the start",
    {
      [`${limits}.ValidFromDateTime`]: "2027-06-01T00:00:00Z",
      [`${limits}.ValidToDateTime`]: "2027-01-01T00:00:00Z",
    },
    /U00/,
    /Valid(To|From)DateTime/,
  ),
  vrp(
    "end in the past",
    { [`${limits}.ValidToDateTime`]: "2020-01-01T00:00:00Z" },
    /U00/,
    "ValidToDateTime",
    /20\d\d/,
  ),
];
