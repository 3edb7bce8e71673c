import type { TSchema } from "typebox";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import type { ElementRecord } from "#src/payments/files/xml-elements.ts";
import { checkInitiationPaths } from "#src/payments/formats/check-paths.ts";
import type { FileFault, FoundInstruction } from "#src/payments/formats/file-format.ts";
import type { InitiationFormat } from "#src/payments/formats/format.ts";
import { initiationReader } from "#src/payments/formats/initiation-format.ts";
import { memberPaths } from "#src/payments/formats/member-paths.ts";
import { compileRequest } from "#src/payments/formats/pisp-operation.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import type { MemberPaths } from "#src/payments/request/payment-request.ts";
import { isBic } from "#src/standard/shared/account-schemes.ts";
import { isSameCountry } from "#src/standard/shared/iban-countries.ts";
import { judgement } from "#src/standard/shared/judgement.ts";
import { transferAbroad, transferAtHome } from "#src/standard/shared/payments/transfer.ts";
import { references } from "#src/standard/shared/v4/remittance-information.ts";

/** An account in the words in which a transfer is read. */
type Account = { SchemeName: string; Identification: string };

/** The shared facts of the payments in one `PmtInf`. */
export type TransferGroup = {
  record: ElementRecord;
  id: string;
  /** The date in the file; undefined if it has none. */
  date: string | undefined;
  /** Whether the date is after today. */
  isLater: boolean;
  debtor: Account | undefined;
};

// ISO 20022 has its own words. A transfer is checked and read as an initiation with the members
// that it can have, in the codes of v4.0, whichever versions the bank serves.

/** The payment kinds of a transfer, domestic or international. */
type Direction = InitiationFormat & {
  atOnce: PaymentRow;
  later: PaymentRow;
  schema: () => CompiledSchema;
};

const direction = (
  [atOnce, later]: readonly [PaymentRow, PaymentRow],
  initiation: TSchema,
  paths: MemberPaths,
): Direction => {
  let compiled: CompiledSchema | undefined;
  const format: InitiationFormat = {
    initiation,
    paths,
    judgedBy: judgement([]),
    ...initiationReader(paths, { references }),
  };
  checkInitiationPaths("pain.001", format);
  // the file has its own forms of dates, and strictness makes no other difference in these schemas
  const schema = () => (compiled ??= compileRequest(format, initiation, { STRICT_OAS: false }));
  return { ...format, atOnce, later, schema };
};

const home = direction(
  [domesticPayment, domesticScheduledPayment],
  transferAtHome,
  memberPaths.domesticScheduled,
);

const { purpose: _, ...pathsAbroad }: MemberPaths = memberPaths.internationalScheduled;

const outward = direction(
  [internationalPayment, internationalScheduledPayment],
  transferAbroad,
  pathsAbroad,
);

/** Takes a credit transfer as a payment at home, or abroad, of the day of its group. */
export function readTransfer(
  record: ElementRecord,
  group: TransferGroup,
): Omit<FoundInstruction<PaymentRow>, "said"> {
  const amount = amountOf(record);
  const account = accountOf(record, "CdtrAcct", "CdtrAgt");
  const goesAbroad = isAbroad(record, amount);
  const { atOnce, later, schema, paths, read } = goesAbroad ? outward : home;
  const faults: FileFault[] = [];
  if (amount.isTwice) {
    const message = "Send InstdAmt or EqvtAmt, not both.";
    faults.push({ code: "U002", path: "InstructedAmount", message });
  }
  const value = withoutAbsent({
    InstructionIdentification: record.text("PmtId/InstrId"),
    EndToEndIdentification: record.text("PmtId/EndToEndId"),
    LocalInstrument: localInstrumentOf(record) ?? localInstrumentOf(group.record),
    RequestedExecutionDateTime: group.isLater ? group.date : undefined,
    InstructedAmount: withoutAbsent({ Amount: amount.amount, Currency: amount.ordered }),
    DebtorAccount: group.debtor,
    CreditorAccount: withoutAbsent({
      ...account,
      ...(goesAbroad ? schemeAbroad(record, account) : {}),
      Name: record.text("Cdtr/Nm"),
    }),
    RemittanceInformation: remittanceOf(record),
    ...(goesAbroad ? membersAbroad(record, group, amount, faults) : {}),
  });
  const said = judge(schema(), value).map(({ code, path = "", message }) => ({
    code,
    path,
    message,
  }));
  const kind = group.isLater ? later : atOnce;
  return {
    kind,
    request: read({ Data: { Initiation: value } }),
    paths,
    faults: [...faults, ...said],
    pathOf: (member) => pathOf(member, record, group),
    line: record.line,
    group: group.id,
  };
}

/** The ordered amount, and the currency that the creditor gets. */
type TransferAmount = {
  amount: string | undefined;
  ordered: string | undefined;
  sent: string | undefined;
  element: "Amt/InstdAmt" | "Amt/EqvtAmt/Amt";
  /** Whether it is given in both ways. */
  isTwice: boolean;
};

/** An equivalent amount is in another currency than what is sent for it. */
function amountOf(record: ElementRecord): TransferAmount {
  const hasEquivalent = record.text("Amt/EqvtAmt/Amt") !== undefined;
  const isTwice = hasEquivalent && record.text("Amt/InstdAmt") !== undefined;
  const isEquivalent = hasEquivalent && !isTwice;
  const element = isEquivalent ? "Amt/EqvtAmt/Amt" : "Amt/InstdAmt";
  const ordered = record.text(`${element}/@Ccy`);
  const sent = isEquivalent ? record.text("Amt/EqvtAmt/CcyOfTrf") : ordered;
  return { amount: record.text(element), ordered, sent, element, isTwice };
}

/** Whether a transfer is anything but a payment of pounds to an account in the United Kingdom. */
function isAbroad(record: ElementRecord, { ordered, sent }: TransferAmount): boolean {
  if ([ordered, sent].some((currency) => currency !== undefined && currency !== "GBP")) return true;
  const iban = record.text("CdtrAcct/Id/IBAN");
  if (iban !== undefined) return /^[A-Z]{2}/.test(iban) && !iban.startsWith("GB");
  return hasBankAbroad(record);
}

function hasBankAbroad(record: ElementRecord): boolean {
  const bic = record.text(bicOfCreditor) ?? "";
  return isBic(bic) && !isSameCountry(bic.slice(4, 6), "GB");
}

const bicOfCreditor = "CdtrAgt/FinInstnId/BICFI";

/** An account that is neither an IBAN nor has sort code and number is one of its bank's own. */
function schemeAbroad(record: ElementRecord, account: Account | undefined): object {
  if (account === undefined || account.SchemeName !== "UK.OBIE.SortCodeAccountNumber") return {};
  if (record.text("CdtrAcct/Id/Othr/SchmeNm/Prtry") !== undefined) return {};
  const isBritish = /^\d{14}$/.test(account.Identification) && !hasBankAbroad(record);
  if (isBritish) return {};
  return { SchemeName: "UK.OBIE.BBAN", Identification: record.text("CdtrAcct/Id/Othr/Id") };
}

/** The further members of an international payment. */
function membersAbroad(
  record: ElementRecord,
  group: TransferGroup,
  { sent }: TransferAmount,
  faults: FileFault[],
): Record<string, unknown> {
  const code = (element: string, member: string, words: Readonly<Record<string, string>>) => {
    const given = record.text(element) ?? group.record.text(element);
    if (given === undefined) return undefined;
    if (Object.hasOwn(words, given)) return words[given];
    const message = `The value must be one of ${Object.keys(words).join(", ")}.`;
    faults.push({ code: "U002", path: member, message });
    return undefined;
  };
  const address = addressOf(record, "CdtrAgt/FinInstnId/PstlAdr");
  const bic = record.text(bicOfCreditor);
  const agent = withoutAbsent({
    SchemeName: bic === undefined ? undefined : "UK.OBIE.BICFI",
    Identification: bic,
    Name: record.text("CdtrAgt/FinInstnId/Nm"),
    PostalAddress: address,
  });
  const creditorAddress = addressOf(record, "Cdtr/PstlAdr");
  return {
    InstructionPriority: code("PmtTpInf/InstrPrty", "InstructionPriority", priorities),
    ChargeBearer: code("ChrgBr", "ChargeBearer", bearers),
    CurrencyOfTransfer: sent,
    // the creditor's country of residence is used if neither account nor bank gives a country
    DestinationCountryCode:
      (record.text("CdtrAcct/Id/IBAN") ?? bic ?? address?.Country)
        ? undefined
        : record.text("Cdtr/PstlAdr/Ctry"),
    ExchangeRateInformation: rateOf(record, code),
    Creditor:
      creditorAddress &&
      withoutAbsent({
        Name: record.text("Cdtr/Nm"),
        PostalAddress: creditorAddress,
      }),
    CreditorAgent: Object.keys(agent).length > 0 ? agent : undefined,
  };
}

const priorities = { HIGH: "Urgent", NORM: "Normal" };
const bearers = {
  DEBT: "BorneByDebtor",
  CRED: "BorneByCreditor",
  SHAR: "Shared",
  SLEV: "FollowingServiceLevel",
};
const rateTypes = { SPOT: "Indicative", SALE: "Indicative", AGRD: "Agreed" };

/** Reads the rate, which may only name the unit currency. */
function rateOf(
  record: ElementRecord,
  code: (
    element: string,
    member: string,
    words: Readonly<Record<string, string>>,
  ) => string | undefined,
): object | undefined {
  const at = (element: string) => record.text(`XchgRateInf/${element}`);
  const named = code("XchgRateInf/RateTp", "ExchangeRateInformation.RateType", rateTypes);
  const promised = at("XchgRate") !== undefined || at("CtrctId") !== undefined;
  const RateType = promised ? "Agreed" : (named ?? "Indicative");
  const UnitCurrency = at("UnitCcy");
  if (RateType === "Indicative" && UnitCurrency === undefined) return undefined;
  return withoutAbsent({ UnitCurrency, RateType });
}

/** The element of the transfer, or of its payment information, from which each member comes. */
const elements: readonly (readonly [member: string, element: string])[] = [
  ["InstructionIdentification", "PmtId/InstrId"],
  ["EndToEndIdentification", "PmtId/EndToEndId"],
  ["LocalInstrument", "PmtTpInf/LclInstrm"],
  ["InstructionPriority", "PmtTpInf/InstrPrty"],
  ["ChargeBearer", "ChrgBr"],
  ["RequestedExecutionDateTime", "../ReqdExctnDt"],
  ["InstructedAmount.Currency", "Amt/InstdAmt/@Ccy"],
  ["InstructedAmount", "Amt/InstdAmt"],
  ["CurrencyOfTransfer", "Amt/InstdAmt/@Ccy"],
  ["ExchangeRateInformation.UnitCurrency", "XchgRateInf/UnitCcy"],
  ["ExchangeRateInformation", "XchgRateInf"],
  ["DestinationCountryCode", "Cdtr/PstlAdr/Ctry"],
  ["DebtorAccount", "../DbtrAcct/Id"],
  ["CreditorAgent.PostalAddress", "CdtrAgt/FinInstnId/PstlAdr"],
  ["CreditorAgent.Name", "CdtrAgt/FinInstnId/Nm"],
  ["CreditorAgent.SchemeName", bicOfCreditor],
  ["CreditorAgent.Identification", bicOfCreditor],
  ["CreditorAgent", "CdtrAgt"],
  ["Creditor.PostalAddress", "Cdtr/PstlAdr"],
  ["Creditor", "Cdtr"],
  ["CreditorAccount.Name", "Cdtr/Nm"],
  ["CreditorAccount", "CdtrAcct/Id"],
  ["RemittanceInformation", "RmtInf"],
];

// Elements that may be in the payment information instead.
const shared = ["PmtTpInf/LclInstrm", "PmtTpInf/InstrPrty", "ChrgBr"];

function pathOf(member: string, record: ElementRecord, group: TransferGroup): string {
  const row = elements.find(([name]) => member === name || member.startsWith(`${name}.`));
  if (row === undefined) return record.path;
  const element = amountElement(row, amountOf(record));
  const isOfGroup =
    shared.includes(element) && !holds(record, element) && holds(group.record, element);
  if (isOfGroup) return `${group.record.path}/${element}`;
  return element.startsWith("../")
    ? `${group.record.path}/${element.slice(3)}`
    : `${record.path}/${element}`;
}

function amountElement(
  [member, element]: readonly [string, string],
  { element: given }: TransferAmount,
): string {
  if (given === "Amt/InstdAmt") return element;
  return member === "CurrencyOfTransfer"
    ? "Amt/EqvtAmt/CcyOfTrf"
    : element.replace("Amt/InstdAmt", given);
}

const holds = (record: ElementRecord, element: string): boolean =>
  [element, `${element}/Prtry`, `${element}/Cd`].some((one) => record.text(one) !== undefined);

const localInstrumentOf = (record: ElementRecord): string | undefined =>
  record.text("PmtTpInf/LclInstrm/Prtry") ?? record.text("PmtTpInf/LclInstrm/Cd");

/**
 * Reads an account: an IBAN, or a sort code and number, either together or with the sort code as
 * its bank's.
 */
export function accountOf(
  record: ElementRecord,
  element: string,
  agent: string,
): Account | undefined {
  const iban = record.text(`${element}/Id/IBAN`);
  if (iban !== undefined) return { SchemeName: "UK.OBIE.IBAN", Identification: iban };
  const other = record.text(`${element}/Id/Othr/Id`);
  if (other === undefined) return undefined;
  const scheme = record.text(`${element}/Id/Othr/SchmeNm/Prtry`);
  const member = record.text(`${agent}/FinInstnId/ClrSysMmbId/MmbId`) ?? "";
  const apart = /^\d{8}$/.test(other) && /^\d{6}$/.test(member);
  return {
    SchemeName: scheme ?? "UK.OBIE.SortCodeAccountNumber",
    Identification: apart ? member + other : other,
  };
}

const addressMembers: readonly (readonly [element: string, member: string])[] = [
  ["Dept", "Department"],
  ["SubDept", "SubDepartment"],
  ["StrtNm", "StreetName"],
  ["BldgNb", "BuildingNumber"],
  ["BldgNm", "BuildingName"],
  ["Flr", "Floor"],
  ["PstBx", "PostBox"],
  ["Room", "Room"],
  ["PstCd", "PostCode"],
  ["TwnNm", "TownName"],
  ["TwnLctnNm", "TownLocationName"],
  ["DstrctNm", "DistrictName"],
  ["CtrySubDvsn", "CountrySubDivision"],
  ["Ctry", "Country"],
];

function addressOf(
  record: ElementRecord,
  element: string,
): { Country?: string; [member: string]: unknown } | undefined {
  const lines = record.texts(`${element}/AdrLine`);
  const address = withoutAbsent({
    ...Object.fromEntries(
      addressMembers.map(([name, member]) => [member, record.text(`${element}/${name}`)]),
    ),
    AddressLine: lines.length > 0 ? lines : undefined,
  });
  return Object.keys(address).length > 0 ? address : undefined;
}

function remittanceOf(record: ElementRecord): object | undefined {
  const lines = record.texts("RmtInf/Ustrd");
  const references = record.texts("RmtInf/Strd/CdtrRefInf/Ref");
  if (lines.length + references.length === 0) return undefined;
  return {
    ...(lines.length > 0 ? { Unstructured: lines } : {}),
    ...(references.length > 0
      ? {
          Structured: references.map((Reference) => ({
            CreditorReferenceInformation: { Reference },
          })),
        }
      : {}),
  };
}

const withoutAbsent = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
