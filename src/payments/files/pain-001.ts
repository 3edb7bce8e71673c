import { type CompiledSchema, judge } from "#src/http/validate.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import type { Account, PaymentKind } from "#src/payments/payment-kind.ts";
import { compileText } from "#src/payments/pisp-operation.ts";
import { initiation } from "#src/standard/pisp-v4.0/initiation.ts";
import {
  defineFileFormat,
  type FileParser,
  type FileSink,
  type ParserOptions,
} from "./file-format.ts";
import { pain001Document, pain001Namespace } from "./pain-001-elements.ts";
import { pain002Report } from "./report-pain-002.ts";
import { type ElementRecord, XmlElements } from "./xml-elements.ts";

// What a domestic initiation holds of a credit transfer; its InstrId may be left out.
const transferSchema = initiation({
  InstructionIdentification: "x",
  EndToEndIdentification: "M",
  LocalInstrument: "x",
  RequestedExecutionDateTime: "x",
  InstructedAmount: "M",
  DebtorAccount: "x",
  CreditorAccount: "M",
  RemittanceInformation: "x",
});

let compiled: CompiledSchema | undefined;

/** Where in a transfer, or in the payment information around it (`../`), a member comes from. */
const elements: readonly (readonly [member: string, element: string])[] = [
  ["InstructionIdentification", "PmtId/InstrId"],
  ["EndToEndIdentification", "PmtId/EndToEndId"],
  ["LocalInstrument", "PmtTpInf/LclInstrm"],
  ["RequestedExecutionDateTime", "../ReqdExctnDt"],
  ["InstructedAmount.Currency", "Amt/InstdAmt/@Ccy"],
  ["InstructedAmount", "Amt/InstdAmt"],
  ["DebtorAccount", "../DbtrAcct/Id"],
  ["CreditorAccount.Name", "Cdtr/Nm"],
  ["CreditorAccount", "CdtrAcct/Id"],
  ["RemittanceInformation", "RmtInf"],
];

/** The payments of one `PmtInf`: what they share. */
type Group = {
  record: ElementRecord;
  id: string;
  date: string | undefined;
  kind: PaymentKind;
  debtor: Account | undefined;
  localInstrument: string | undefined;
};

/** A customer credit transfer initiation in XML. Source: digest 2.20; ISO 20022 pain.001.001.08. */
export const pain001 = defineFileFormat({
  fileType: "UK.OBIE.pain.001.001.08",
  contentTypes: ["text/xml", "application/xml"],
  payloads: [],
  openParser: (sink, options) => openParser(sink, options),
  report: pain002Report,
});

function openParser(sink: FileSink, { today }: ParserOptions): FileParser {
  // the schema has no part in which strictness counts
  compiled ??= compileText(transferSchema, true);
  const schema = compiled;
  let header: ElementRecord | undefined;
  let around: ElementRecord | undefined;
  let group: Group | undefined;
  const elementsOfFile = new XmlElements(pain001Document, pain001Namespace, {
    begins(name, record) {
      if (name !== "PmtInf") return;
      around = record;
      group = undefined;
      sink.groupBegins();
    },
    ends(name, record) {
      if (name === "GrpHdr") {
        header = record;
        sink.header({ messageId: record.text("MsgId") ?? null });
      } else if (name === "CdtTrfTxInf" && around) {
        group ??= readGroup(around, sink, today);
        readTransfer(record, group, sink, schema);
      } else if (name === "PmtInf") {
        sink.groupEnds(totalsOf(record));
      }
    },
  });
  return {
    write: (bytes) => elementsOfFile.write(bytes),
    end() {
      elementsOfFile.end();
      if (header) sink.fileEnds(totalsOf(header));
    },
  };
}

const totalsOf = (record: ElementRecord) => ({
  path: record.path,
  count: record.text("NbOfTxs") ?? null,
  sum: record.text("CtrlSum") ?? null,
});

function readGroup(record: ElementRecord, sink: FileSink, today: Temporal.PlainDate): Group {
  const date =
    record.text("ReqdExctnDt/Dt") ?? record.text("ReqdExctnDt/DtTm") ?? record.text("ReqdExctnDt");
  const day = date === undefined ? null : parseDateTime(date);
  const say = (code: string, element: string, message: string): void =>
    sink.fault({ code, path: `${record.path}/${element}`, message });
  if (!day) say("U003", "ReqdExctnDt", "Send a date.");
  const distance = day ? Temporal.PlainDate.compare(day.local.toPlainDate(), today) : 0;
  if (distance < 0) say("U003", "ReqdExctnDt", "The day of execution lies in the past.");
  if (record.text("PmtMtd") !== "TRF") say("U002", "PmtMtd", "Send TRF: credit transfers.");
  const id = record.text("PmtInfId") ?? "";
  if (id === "" || id.length > 35) say("U002", "PmtInfId", "Send 1 to 35 characters.");
  const debtor = accountOf(record, "DbtrAcct", "DbtrAgt");
  if (!debtor) say("U004", "DbtrAcct/Id", "Name the account by IBAN, or by Othr.");
  return {
    record,
    id,
    date,
    kind: distance > 0 ? domesticScheduledPayment : domesticPayment,
    debtor,
    localInstrument: localInstrumentOf(record),
  };
}

function readTransfer(
  record: ElementRecord,
  group: Group,
  sink: FileSink,
  schema: CompiledSchema,
): void {
  const scheduled = group.kind === domesticScheduledPayment;
  const account = accountOf(record, "CdtrAcct", "CdtrAgt");
  const found = {
    InstructionIdentification: record.text("PmtId/InstrId"),
    EndToEndIdentification: record.text("PmtId/EndToEndId"),
    LocalInstrument: localInstrumentOf(record) ?? group.localInstrument,
    RequestedExecutionDateTime: scheduled ? group.date : undefined,
    InstructedAmount: withoutAbsent({
      Amount: record.text("Amt/InstdAmt"),
      Currency: record.text("Amt/InstdAmt/@Ccy"),
    }),
    DebtorAccount: group.debtor,
    CreditorAccount: withoutAbsent({ ...account, Name: record.text("Cdtr/Nm") }),
    RemittanceInformation: remittanceOf(record),
  };
  const value = withoutAbsent(found);
  const pathOf = (member: string): string => {
    const row = elements.find(([name]) => member === name || member.startsWith(`${name}.`));
    const element = row?.[1];
    if (element === undefined) return record.path;
    return element.startsWith("../")
      ? `${group.record.path}/${element.slice(3)}`
      : `${record.path}/${element}`;
  };
  sink.instruction({
    kind: group.kind,
    initiation: value,
    faults: judge(schema, value).map(({ code, path: member = "", message }) => ({
      code,
      path: member,
      message,
    })),
    pathOf,
    line: record.line,
    group: group.id,
  });
}

const localInstrumentOf = (record: ElementRecord): string | undefined =>
  record.text("PmtTpInf/LclInstrm/Prtry") ?? record.text("PmtTpInf/LclInstrm/Cd");

/** An account by IBAN, or by sort code and number: together, or the sort code as its bank's. */
function accountOf(record: ElementRecord, element: string, agent: string): Account | undefined {
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
