import type { TSchema } from "typebox";
import { byTpp } from "#src/history/change.ts";
import { notYours, onOtherVersion } from "#src/http/access/access.ts";
import { type CodeFor, refusal } from "#src/http/api-error.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { returnedBy } from "#src/http/refusal/id-words.ts";
import { newId } from "#src/lib/ids.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { asOf } from "./as-of.ts";
import { type Consent, type ConsentBody, loadConsent, waitingReasons } from "./consent.ts";
import { consentCreation } from "./create-consent.ts";
import { deletionWithTokens, type GrantDeletions } from "./delete-consent.ts";
import { type HearingBank, heardDevice } from "./heard-device.ts";
import type { ConsentKind } from "./kind.ts";
import { shownStatus } from "./shown-status.ts";

/** The TPP's request, as the consent stores it. */
type AskedAccess<Data> = {
  /** The members of the request's `Data` that the version knows, as they were sent. */
  data: Data;
} & Pick<Consent, "expiresAt" | "permissions" | "transactionsFrom" | "transactionsTo">;

/**
 * The consents of one kind that no order uses up, in one version: access to accounts, or to
 * confirmations of funds. TPPs create, read and delete them without an idempotency key.
 */
export type AccessConsents<Data extends object> = {
  api: ApiVersion;
  kind: Pick<ConsentKind, "id" | "course">;
  /** `/account-access-consents` */
  path: string;
  tag: string;
  /** `Account Access Consents`: names the operations. */
  title: string;
  /** The noun in the refusal of an unknown id: `account access consent`. */
  noun: string;
  idPrefix: string;
  request: TSchema;
  response: TSchema;
  /** Whether requests that create a consent are signed. */
  signed: Operation["signed"];
  /** The codes with which a new consent may be refused. */
  refusals: readonly CodeFor<400>[];
  /** Checks a request; throws an ApiError with all faults. */
  read(body: unknown, now: Temporal.Instant): AskedAccess<Data>;
  /** The members of a response's `Data` that repeat the request. */
  render(data: Data): object;
  /** The members beside `Data`, in requests and responses. */
  beside: object;
};

/** The dependencies of the operations, besides their row. */
export type AccessConsentDeps = {
  database: Database;
  bank: HearingBank;
  grantDeletions: GrantDeletions;
};

/**
 * The operations that create, read and delete consents. Source: A-060…A-114, E-002…E-017,
 * C-001…C-022, C-050…C-061.
 */
export function accessConsentOperations<Data extends object>(
  row: AccessConsents<Data>,
  deps: AccessConsentDeps,
): Operation[] {
  const { database, grantDeletions } = deps;
  const { api, path, title } = row;
  const name = title.replaceAll(" ", "");
  const common = {
    api,
    tag: row.tag,
    grant: "client_credentials",
    signed: false,
    idempotent: false,
    request: null,
  } as const;
  const ofOne = { ...common, path: `${path}/:ConsentId` };
  return [
    {
      ...common,
      operationId: `Create${name}`,
      summary: `Create ${title}`,
      method: "POST",
      path,
      signed: row.signed,
      request: row.request,
      success: { status: 201, schema: row.response },
      refusals: { 400: row.refusals },
      handle: (request) => createConsent(row, deps, request),
    },
    {
      ...ofOne,
      operationId: `Get${name}ConsentId`,
      summary: `Get ${title}`,
      method: "GET",
      success: { status: 200, schema: row.response },
      refusals: { 400: ["U011"], 403: ["U011"] },
      async handle(request) {
        const found = await loadOwn(row, database, request);
        return render(row, 200, asOf(row.kind.course, found, request.now), request.selfUrl);
      },
    },
    {
      ...ofOne,
      operationId: `Delete${name}ConsentId`,
      summary: `Delete ${title}`,
      method: "DELETE",
      success: { status: 204, schema: null },
      refusals: { 400: ["U011"], 403: ["U011"] },
      async handle(request) {
        const { consentId } = await loadOwn(row, database, request);
        await database.query(deletionWithTokens(consentId, byTpp(request), grantDeletions));
        return { status: 204, body: null };
      },
    },
  ];
}

async function createConsent<Data extends object>(
  row: AccessConsents<Data>,
  { bank, database }: AccessConsentDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const { access, body, now, baseUrl, interactionId } = request;
  const { data, ...asked } = row.read(body, now);
  const { clientId } = access;
  const consentId = newId(row.idPrefix);
  const consent = {
    consentId,
    kind: row.kind.id,
    apiVersion: row.api.id,
    clientId,
    status: row.kind.course.initial,
    statusReason: [waitingReasons[row.kind.course.initial]],
    createdAt: now,
    statusUpdatedAt: now,
    authorisedAt: null,
    pausedAt: null,
    body: { Data: data as ConsentBody["Data"], ...row.beside },
    terms: heardDevice("access consent", bank, request),
    ...asked,
  };
  const ids = sql`select ${consentId}::text as consent_id`;
  await database.query(consentCreation(ids, consent, interactionId));
  return render(row, 201, consent, `${baseUrl}${row.path}/${consentId}`);
}

/**
 * Returns the consent of the calling TPP. Refused with 400 if there is none that this version
 * serves, with 403 if it is another TPP's. Source, E-005, E-007, C-053, C-054, C-102.
 */
async function loadOwn(
  { api, kind, noun, path }: Pick<AccessConsents<object>, "api" | "kind" | "noun" | "path">,
  database: Database,
  { access, params }: OperationRequest,
): Promise<Consent> {
  const id = params.ConsentId ?? "";
  // our ids have no other characters; any other text must not reach the database
  const consent = /^[\w-]{1,128}$/.test(id) ? await loadConsent(database, id) : undefined;
  const message =
    `There is no ${noun} with this id. Check the id: it must be ` +
    `${returnedBy("ConsentId", path)}.`;
  const unknown = refusal("U011", "ConsentId", message);
  if (consent?.kind !== kind.id) throw unknown;
  const isOwn = consent.clientId === access.clientId;
  if (!api.consents.serves.has(consent.apiVersion)) {
    throw isOwn ? onOtherVersion("ConsentId", consent.apiVersion) : unknown;
  }
  if (!isOwn) throw notYours("ConsentId");
  return consent;
}

type Rendered = Pick<
  Consent,
  | "consentId"
  | "status"
  | "statusReason"
  | "createdAt"
  | "statusUpdatedAt"
  | "authorisedAt"
  | "body"
>;

function render<Data extends object>(
  row: AccessConsents<Data>,
  status: number,
  consent: Rendered,
  selfUrl: string,
): OperationReply {
  const { renderReason } = row.api.consents;
  const reasons = renderReason && consent.statusReason.map(renderReason);
  return {
    status,
    body: {
      Data: {
        ...shownStatus(row.api.consents, consent),
        ...(reasons && reasons.length > 0 ? { StatusReason: reasons } : {}),
        // stored by createConsent
        ...row.render(consent.body.Data as Data),
      },
      ...row.beside,
      Links: { Self: selfUrl },
      Meta: { TotalPages: 1 },
    },
  };
}
