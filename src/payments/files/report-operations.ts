import { essenceOf } from "#src/http/headers/request-headers.ts";
import {
  type Operation,
  type OperationReply,
  type OperationRequest,
  OutgoingFile,
} from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatAmount } from "#src/lib/money.ts";
import {
  ownOrder,
  type PaymentRow,
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import type { FileFormat } from "#src/payments/formats/file-format.ts";
import type { Format } from "#src/payments/formats/format.ts";
import { pispOperation } from "#src/payments/formats/pisp-operation.ts";
import type { ReportedFile, ReportedPayment } from "#src/payments/formats/report-words.ts";
import { exposeDetailStatus, exposeStatus } from "#src/payments/order/order-states.ts";
import { consentOf, loadOrder, type OrderWithConsent } from "#src/payments/order/payment-order.ts";
import { paramOf } from "#src/payments/request/refusals.ts";
import { file as paymentFile } from "#src/standard/shared/payments/initiation.ts";
import { contentTypesOf, reportFormatOf } from "./format-of.ts";
import { countPayments, type FilePaymentRow, loadFile, readFilePayments } from "./load-file.ts";

/** The report on an order with uploaded payments, in the file's own format. */
export function reportOperations(kind: ServedKind, deps: ShapeDeps): Operation[] {
  const stem = `${kind.id}s`;
  return [
    pispOperation(
      kind.format,
      kind.tag,
      stem,
    )({
      method: "GET",
      path: `/${stem}/:${kind.orderIdField}/report-file`,
      summary: "Read the report on a file, during processing and afterwards",
      success: { status: 200, schema: paymentFile, contentTypes: contentTypesOf(kind) },
      refusals: { 400: ["U011"], 403: ["U011"] },
      handle: (request) => report(kind, deps, request),
    }),
  ];
}

async function report(
  kind: ServedKind,
  deps: ShapeDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const orderId = paramOf(request, kind.orderIdField);
  const order = ownOrder(kind, await loadOrder(deps.database, orderId), request);
  const { file: announced } = requestOf(kind, consentOf(order));
  const stored = present(await loadFile(deps.database, order.consentId), "its file");
  const mediaType = essenceOf(stored.contentType);
  const fileFormat = reportFormatOf(kind, announced, mediaType);
  const { format } = kind;
  const reference = announced?.reference ?? null;
  const head = await headOf(format, order, reference, deps, request.now);
  const chunks = writeReport(fileFormat, head, format, deps, stored.fileId);
  const contentType = `${mediaType}; charset=utf-8`;
  return { status: 200, body: new OutgoingFile(contentType, chunks) };
}

/** The statuses as codes: ISO files keep them, and a version has its own words for JSON files. */
const codesOf = ({ order, details }: Format["statuses"]) => ({ order, details });

async function headOf(
  { statuses }: Format,
  order: OrderWithConsent,
  fileReference: string | null,
  { database }: ShapeDeps,
  now: Temporal.Instant,
): Promise<ReportedFile> {
  const file = present(order.consentTerms.file, "the file of an order");
  const { failed } = await countPayments(database, order.orderId);
  return {
    orderId: order.orderId,
    consentId: order.consentId,
    messageId: file.messageId,
    fileReference,
    createdAt: order.createdAt,
    reportedAt: now,
    status: exposeStatus(codesOf(statuses), order.status),
    failed: failed === 0 ? "none" : failed === file.count ? "all" : "some",
    count: file.count,
    sum: file.controlSum,
  };
}

async function* writeReport(
  { report }: FileFormat<PaymentRow>,
  head: ReportedFile,
  { statuses, version, reportWords }: Format,
  { database }: ShapeDeps,
  fileId: string,
): AsyncGenerator<Uint8Array> {
  const writer = report(present(reportWords, `the words of reports in ${version.id}`));
  yield Buffer.from(writer.begin(head));
  let last: ReportedPayment | null = null;
  for await (const rows of readFilePayments(database, fileId, head.orderId)) {
    let text = "";
    for (const row of rows) {
      const status = exposeDetailStatus(codesOf(statuses), row.status);
      const payment: ReportedPayment = { ...toReported(row), status };
      text += writer.payment(payment, last);
      last = payment;
    }
    yield Buffer.from(text);
  }
  yield Buffer.from(writer.end(last));
}

const toReported = ({ amountMinor, ...row }: FilePaymentRow): ReportedPayment => ({
  ...row,
  amount: formatAmount(amountMinor, row.currency),
});
