import type { Fault } from "#src/http/api-error.ts";
import { parseDateTime } from "#src/lib/date-time.ts";
import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import { pain002Report } from "#src/payments/files/report-pain-002.ts";
import { type ElementRecord, XmlElements } from "#src/payments/files/xml-elements.ts";
import {
  defineFileFormat,
  type FileEntry,
  type FileParser,
  type FileSink,
  type ParserOptions,
} from "#src/payments/formats/file-format.ts";
import { pain001Document, pain001Namespace } from "./pain-001-elements.ts";
import { accountOf, readTransfer, type TransferGroup } from "./pain-001-transfers.ts";

// How files in the words of ISO 20022 are read. xml-elements.ts splits the document into elements,
// pain-001-elements.ts checks them against those of the standard, and pain-001-transfers.ts reads
// each transfer as an instruction of the payment kind that it fits.

/**
 * A customer credit transfer initiation in XML. Source: PISP resource pages, File Payment Consents;
 * ISO 20022, pain.001.001.08.
 */
export const pain001 = defineFileFormat({
  fileType: "UK.OBIE.pain.001.001.08",
  contentTypes: ["text/xml", "application/xml"],
  payloads: [],
  openParser: (sink, options) => openParser(sink, options),
  // ISO 20022 has words that no version of the API changes
  report: () => pain002Report,
});

function openParser(sink: FileSink<PaymentRow>, { today, keepsAll }: ParserOptions): FileParser {
  let header: ElementRecord | undefined;
  let around: ElementRecord | undefined;
  let group: TransferGroup | undefined;
  let headerSays: FileEntry | undefined;
  let groupSays: FileEntry | undefined;
  const shared = () => {
    groupSays ??= allOf(around, "../");
    headerSays ??= allOf(header, "../../GrpHdr/");
    return [groupSays, headerSays];
  };
  const options = { namespace: pain001Namespace, keepsAll };
  const elementsOfFile = new XmlElements(pain001Document, options, {
    begins(name, record) {
      if (name !== "PmtInf") return;
      around = record;
      group = undefined;
      groupSays = undefined;
      sink.groupBegins();
    },
    ends(name, record) {
      if (name === "GrpHdr") {
        header = record;
        sink.header({ messageId: record.text("MsgId") ?? null });
      } else if (name === "CdtTrfTxInf" && around) {
        group ??= readGroup(around, sink, today);
        sink.instruction({ ...readTransfer(record, group), said: () => record.all(), shared });
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

/** Everything that a record says, by places that begin with `start`. */
const allOf = (record: ElementRecord | undefined, start: string): FileEntry =>
  Object.fromEntries(
    Object.entries(record?.all() ?? {}).map(([place, text]) => [`${start}${place}`, text]),
  );

const totalsOf = (record: ElementRecord) => ({
  path: record.path,
  count: record.text("NbOfTxs") ?? null,
  sum: record.text("CtrlSum") ?? null,
});

function readGroup(
  record: ElementRecord,
  sink: FileSink<PaymentRow>,
  today: Temporal.PlainDate,
): TransferGroup {
  const date =
    record.text("ReqdExctnDt/Dt") ?? record.text("ReqdExctnDt/DtTm") ?? record.text("ReqdExctnDt");
  const day = date === undefined ? null : parseDateTime(date);
  const say = (code: Fault["code"], element: string, message: string): void =>
    sink.fault({ code, path: `${record.path}/${element}`, message });
  if (!day) say("U003", "ReqdExctnDt", "Send a date.");
  const distance = day ? Temporal.PlainDate.compare(day.local.toPlainDate(), today) : 0;
  if (distance < 0) say("U003", "ReqdExctnDt", "The execution date is in the past.");
  if (record.text("PmtMtd") !== "TRF")
    say("U002", "PmtMtd", "PmtMtd must be TRF (credit transfer).");
  const id = record.text("PmtInfId") ?? "";
  if (id === "" || id.length > 35) say("U002", "PmtInfId", "Send 1 to 35 characters.");
  const debtor = accountOf(record, "DbtrAcct", "DbtrAgt");
  if (!debtor) say("U004", "DbtrAcct/Id", "Identify the account by IBAN or by Othr.");
  return {
    record,
    id,
    date,
    isLater: distance > 0,
    debtor,
  };
}
