import { setImmediate } from "node:timers/promises";
import { findNamedAccount } from "#src/bank/find-account.ts";
import {
  type Consent,
  loadConsent,
  moveConsent,
  type StatusReason,
} from "#src/consents/consent.ts";
import { statusAfter, statusesBefore } from "#src/consents/states.ts";
import type { ConsentTerms } from "#src/consents/terms.ts";
import { byTpp, type Why } from "#src/history/change.ts";
import { ApiError, type Fault, refusal } from "#src/http/api-error.ts";
import { essenceOf, wrongMediaType } from "#src/http/headers/request-headers.ts";
import type { IncomingFile } from "#src/http/operation.ts";
import {
  type Operation,
  type OperationReply,
  type OperationRequest,
  OutgoingFile,
} from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { bankDate } from "#src/payments/calendar/timing.ts";
import {
  ownConsent,
  type PaymentRow,
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import { atLine, type FileFormat } from "#src/payments/formats/file-format.ts";
import { pispOperation } from "#src/payments/formats/pisp-operation.ts";
import { loadExchangeBoard } from "#src/payments/international/facts.ts";
import { namedAccount } from "#src/payments/order/payment-order.ts";
import { ambiguousDebtor } from "#src/payments/request/checks.ts";
import { type KeyUse, loadBoundKey } from "#src/payments/request/idempotency-key.ts";
import type { FileRequest, PaymentRequest } from "#src/payments/request/payment-request.ts";
import {
  checkSameRequest,
  fieldCodes,
  keyOf,
  withKeyRefusals,
  wrongStatus,
} from "#src/payments/request/refusals.ts";
import { file as paymentFile } from "#src/standard/shared/payments/initiation.ts";
import { type FileFacts, FileReader } from "./file-reader.ts";
import { FileStore, piecesOf } from "./file-store.ts";
import { contentTypesOf, fileFormatOf, fileFormatsOf } from "./format-of.ts";
import { loadFile, readFile } from "./load-file.ts";
import { attachFile, beginFile, dropFile } from "./store-file.ts";

// How a file of payments is uploaded. The format of the consent's file type reads the file as a
// stream, piece by piece (json-format.ts, pain-001/), and file-reader.ts checks each instruction.
// store-file.ts stores the instructions in batches, and then attaches the file to its consent if
// the file matches the facts that the consent announces. The shape of the order turns the
// instructions into payments, and report-operations.ts reports on them.

const inCode = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(" or ");

function formatText({ fileType, contentTypes, payloads }: FileFormat<PaymentRow>): string {
  const text = `\`${fileType}\` as ${inCode(contentTypes)}`;
  return payloads.length > 0 ? `${text} with ${inCode(payloads)}` : text;
}

const contentCodes: readonly Fault["code"][] = ["FF01", "AM10", "AM18"];
const bankCodes: readonly Fault["code"][] = [
  "U009",
  "U011",
  "U021",
  "U022",
  "U023",
  "U026",
  "U027",
];

/** The operations on the file of a consent, for kinds with uploaded payments. */
export function fileOperations(kind: ServedKind, deps: ShapeDeps): Operation[] {
  const stem = `${kind.id}-consents`;
  const contentTypes = contentTypesOf(kind);
  const operation = pispOperation(kind.format, `${kind.tag.slice(0, -1)} Consents`, stem);
  return [
    operation({
      method: "POST",
      path: `/${stem}/:ConsentId/file`,
      summary: "Upload the file",
      description: `The bank accepts ${fileFormatsOf(kind).map(formatText).join("; ")}.`,
      request: paymentFile,
      upload: { contentTypes, limitBytes: deps.config.FILE_LIMIT_BYTES },
      success: { status: 200, schema: null },
      refusals: withKeyRefusals(
        { 400: [...fieldCodes, ...bankCodes, ...contentCodes], 403: ["U011"], 413: ["U010"] },
        kind.format,
      ),
      handle: (request) => upload(kind, deps, request),
    }),
    operation({
      method: "GET",
      path: `/${stem}/:ConsentId/file`,
      summary: "Read the file",
      success: { status: 200, schema: paymentFile, contentTypes },
      refusals: { 400: ["U011"], 403: ["U011"] },
      handle: (request) => read(kind, deps, request),
    }),
  ];
}

async function read(
  kind: ServedKind,
  deps: ShapeDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const consent = await ownConsent(kind, deps, request);
  const stored = await loadFile(deps.database, consent.consentId);
  if (!stored) throw refusal("U011", "ConsentId", "No file has been uploaded to this consent.");
  const chunks = readFile(deps.database, stored.fileId);
  return { status: 200, body: new OutgoingFile(stored.contentType, chunks) };
}

async function upload(
  kind: ServedKind,
  deps: ShapeDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const incoming = present(request.file, "the file of an upload");
  const consent = await ownConsent(kind, deps, request, "uses");
  const asked = requestOf(kind, consent);
  const format = fileFormatOf(kind, asked.file);
  // faults of the transport are reported before a wrong status. Source: P-200
  if (!format.contentTypes.includes(essenceOf(incoming.contentType))) {
    throw wrongMediaType(format.contentTypes);
  }
  const uploadable = statusesBefore(kind.consent, "upload");
  if (uploadable.includes(consent.status)) {
    const done = await takeIn({ ...deps, kind }, request, { consent, asked }, format, incoming);
    if (done) return { status: 200, body: null };
  }
  const use = keyUse(kind, request, consent, incoming);
  const bound = await loadBoundKey(deps.database, use, request.now);
  if (bound) {
    checkSameRequest(bound, use.fingerprint, kind.format, deps.config);
    return { status: 200, body: null };
  }
  const current = await loadConsent(deps.database, consent.consentId);
  const { consents } = kind.format.version;
  throw wrongStatus(consents, current?.status ?? consent.status, uploadable);
}

const keyUse = (
  { format }: ServedKind,
  request: OperationRequest,
  consent: Consent,
  incoming: IncomingFile,
): KeyUse => ({
  clientId: request.access.clientId,
  operation: `POST ${format.version.basePath}/${consent.kind}-consents/${consent.consentId}/file`,
  key: keyOf(request),
  fingerprint: incoming.sha256,
});

type UploadDeps = ShapeDeps & { kind: ServedKind };

/** A consent, and the facts that it announces about its file. */
type Announced = { consent: Consent; asked: PaymentRequest };

/**
 * Stores a file while it is read. Returns true if it is now the consent's file, false if another
 * upload was first. If the file does not match its consent, the consent is rejected; if the hash
 * shows this, nothing of the file is stored. Source: P-195…P-199, PC-02.
 */
async function takeIn(
  deps: UploadDeps,
  request: OperationRequest,
  announced: Announced,
  format: FileFormat<PaymentRow>,
  incoming: IncomingFile,
): Promise<boolean> {
  const { consent, asked } = announced;
  const { database, bank, config, kind } = deps;
  const reader = new FileReader({
    bank,
    format,
    consentId: consent.consentId,
    now: request.now,
    config,
    request: asked,
    paths: kind.format.paths,
    exchange: await loadExchangeBoard(bank, config),
    limit: config.FILE_PAYMENTS_LIMIT,
  });
  if (!isAnnounced(asked, incoming.sha256)) {
    const { facts, faults } = await readThrough(reader, incoming);
    const all = [...announcedFaults(kind, asked, facts, faults, incoming.sha256), ...faults];
    throw await reject(deps, consent, all, byTpp(request));
  }
  const coming = await beginFile(database, incoming.contentType.slice(0, 200));
  let attached = false;
  try {
    const store = new FileStore(database, coming, reader);
    for await (const chunk of incoming.chunks()) await store.take(chunk);
    await store.end();
    const { facts, faults } = reader.end();
    await store.storeRest();
    const all = [...announcedFaults(kind, asked, facts, faults, incoming.sha256), ...faults];
    if (all.length === 0) all.push(...(await accountFaults(deps, asked, facts)));
    if (all.length > 0) throw await reject(deps, consent, all, byTpp(request));
    const use = keyUse(kind, request, consent, incoming);
    const terms = { ...consent.terms, ...termsOf(facts, coming.fileId) };
    attached = await attachFile(database, coming, consent, {
      course: kind.consent,
      terms,
      use,
      why: byTpp(request),
    });
    return attached;
  } finally {
    if (!attached) await dropFile(database, coming);
  }
}

const termsOf = ({ totals, ...facts }: FileFacts, fileId: string): ConsentTerms => ({
  charges: totals.charges,
  file: {
    fileId,
    messageId: facts.messageId,
    count: facts.count,
    abroad: totals.abroad,
    totals: totals.totals,
    controlSum: totals.sumText,
    accountCurrency: facts.account?.currency ?? null,
    debtor: facts.debtor,
    firstDay: totals.days.firstDay && bankDate(totals.days.firstDay),
    lastDay: totals.days.lastDay && bankDate(totals.days.lastDay),
  },
});

/** Checks that the named account has the currency that the payments need. */
async function accountFaults(
  { bank }: ShapeDeps,
  asked: PaymentRequest,
  { debtor, account: required }: FileFacts,
): Promise<Fault[]> {
  const named = namedAccount(asked.debtor) ?? debtor;
  if (!named || required === null) return [];
  const account = await findNamedAccount(bank, named);
  if (account === "ambiguous") {
    return [{ code: "U022", path: required.path, message: atLine(required.line, ambiguousDebtor) }];
  }
  if (account === null || account.currency === required.currency) return [];
  const message =
    `This payment needs a debtor account in ${required.currency}; the debtor account is in ` +
    `${account.currency}.`;
  return [{ code: "U002", path: required.path, message: atLine(required.line, message) }];
}

const isAnnounced = ({ file }: PaymentRequest, sha256: string): boolean =>
  Buffer.from(file?.hash ?? "", "base64").toString("base64url") === sha256;

/** Reads a file only to find its faults. */
async function readThrough(
  reader: FileReader,
  incoming: IncomingFile,
): Promise<ReturnType<FileReader["end"]>> {
  for await (const chunk of incoming.chunks()) {
    for (const piece of piecesOf(chunk)) {
      reader.write(piece);
      reader.take();
      await setImmediate();
    }
  }
  return reader.end();
}

/** The differences between a file and the facts that its consent announces. Source: P-196…P-198. */
function announcedFaults(
  { format: { paths } }: ServedKind,
  asked: PaymentRequest,
  facts: FileFacts,
  contentFaults: readonly Fault[],
  sha256: string,
): Fault[] {
  const faults: Fault[] = [];
  const say = (code: Fault["code"], member: keyof FileRequest, message: string): void =>
    void faults.push({ code, path: paths[`file.${member}`] ?? "", message });
  if (!isAnnounced(asked, sha256))
    say("U002", "hash", "FileHash must be the SHA-256 of the uploaded file.");
  // a file that could not be read to its end has no totals
  if (contentFaults.length > 0) return faults;
  const { numberOfTransactions = null, controlSum = null } = asked.file ?? {};
  if (numberOfTransactions !== null && numberOfTransactions !== facts.count) {
    const message = `NumberOfTransactions must match the file, which contains ${facts.count}.`;
    say("AM18", "numberOfTransactions", message);
  }
  // numbers in JSON are doubles, so the announced sum is compared with the double of the exact sum
  if (controlSum !== null && controlSum !== Number(facts.totals.sum.toFixed())) {
    const sum = facts.totals.sum.toFixed();
    say("AM10", "controlSum", `ControlSum must equal the sum of the file's payments, ${sum}.`);
  }
  return faults;
}

/** Rejects the consent because of its file, and returns the error to throw. Source: PC-02. */
async function reject(
  { database, kind: { consent: course, format } }: UploadDeps,
  consent: Consent,
  faults: readonly Fault[],
  why: Why,
): Promise<ApiError> {
  const reasons: StatusReason[] = faults.slice(0, 5).map(({ code, path, message }) => ({
    code,
    text: message.slice(0, 500),
    ...(path ? { path: path.slice(0, 500) } : {}),
  }));
  const uploadable = statusesBefore(course, "upload");
  const rejected = await moveConsent(database, consent, course, "reject", reasons, why, uploadable);
  if (rejected) return new ApiError(400, faults);
  // another upload was first, so this one changes nothing
  const status = present(statusAfter(course, "upload"), "its status");
  return wrongStatus(format.version.consents, status, uploadable);
}
