import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { loadConsent, unauthorisedReason } from "#src/consents/consent.ts";
import { consentCreation } from "#src/consents/create-consent.ts";
import { deletionWithTokens } from "#src/consents/delete-consent.ts";
import { expiredReason } from "#src/consents/sweep-consents.ts";
import { byTpp } from "#src/history/change.ts";
import { notYours } from "#src/http/access/access.ts";
import { refusal } from "#src/http/api-error.ts";
import { type CompiledSchema, compileSchema } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type AccessRequest, dateOf, parseAccessRequest, renderDates } from "./access-request.ts";
import { accountAccessKind } from "./account-access-kind.ts";
import type { AccountDeps } from "./account-deps.ts";
import type { AccountVersion } from "./account-versions.ts";
import { withinCalendar } from "./page-request.ts";

const kind = accountAccessKind.id;
const path = "/account-access-consents";

/** What creating a consent needs; `supported` are the permissions that it may have. */
type Lodging = {
  api: ApiVersion;
  database: Database;
  schema: CompiledSchema;
  supported: ReadonlySet<string>;
};

/**
 * The operations that create, read and delete account access consents on one version; `supported`
 * are the permissions that they may have. Source: A-060…A-114, E-002…E-017.
 */
export function accountAccessConsentOperations(
  { api, consent }: AccountVersion,
  { database, grantDeletions }: Pick<AccountDeps, "database" | "grantDeletions">,
  supported: ReadonlySet<string>,
): Operation[] {
  const common = {
    api,
    tag: "Account Access",
    grant: "client_credentials",
    access: "loaded",
    signed: false,
    idempotent: false,
    request: null,
  } as const;
  const ofOne = { ...common, path: `${path}/:ConsentId` };
  const lodging = { api, database, schema: compileSchema(consent.request), supported };
  return [
    {
      ...common,
      operationId: "CreateAccountAccessConsents",
      summary: "Create Account Access Consents",
      method: "POST",
      path,
      request: consent.request,
      success: { status: 201, schema: consent.response },
      refusals: { 400: ["U002", "U003", "U004", "U005"] },
      handle: (request) => createConsent(lodging, request),
    },
    {
      ...ofOne,
      operationId: "GetAccountAccessConsentsConsentId",
      summary: "Get Account Access Consents",
      method: "GET",
      success: { status: 200, schema: consent.response },
      refusals: { 400: ["U011"], 403: ["U011"] },
      async handle(request) {
        const found = await loadOwn(api, database, request);
        return render(api, 200, asOf(found, request.now), request.selfUrl);
      },
    },
    {
      ...ofOne,
      operationId: "DeleteAccountAccessConsentsConsentId",
      summary: "Delete Account Access Consents",
      method: "DELETE",
      success: { status: 204, schema: null },
      refusals: { 400: ["U011"], 403: ["U011"] },
      async handle(request) {
        const { consentId } = await loadOwn(api, database, request);
        await database.query(deletionWithTokens(consentId, byTpp(request), grantDeletions));
        return { status: 204, body: null };
      },
    },
  ];
}

async function createConsent(
  { api, database, schema, supported }: Lodging,
  { access, body, now, baseUrl, interactionId }: OperationRequest,
): Promise<OperationReply> {
  const data = parseAccessRequest(schema, body, supported, now);
  const { clientId } = present(access, "who calls");
  const consentId = newId("aac");
  const statusReason = [unauthorisedReason];
  const day = (instant: Temporal.Instant | null) => instant && withinCalendar(instant);
  const consent = {
    consentId,
    kind,
    apiVersion: api.id,
    clientId,
    status: "AWAU" as const,
    statusReason,
    createdAt: now,
    statusUpdatedAt: now,
    authorisedAt: null,
    expiresAt: day(dateOf(data, "ExpirationDateTime")),
    // parseAccessRequest has checked it
    body: { Data: data as ConsentBody["Data"], Risk: {} },
    terms: {},
    permissions: [...new Set(data.Permissions)],
    transactionsFrom: day(dateOf(data, "TransactionFromDateTime")),
    transactionsTo: day(dateOf(data, "TransactionToDateTime")),
  };
  const ids = sql`select ${consentId}::text as consent_id`;
  await database.query(consentCreation(ids, consent, interactionId));
  return render(api, 201, consent, `${baseUrl}${path}/${consentId}`);
}

/**
 * Returns the consent of the calling TPP. Refused with 400 if there is none that this version
 * serves, with 403 if it is another TPP's. Source, E-005, E-007.
 */
async function loadOwn(
  api: ApiVersion,
  database: Database,
  { access, params }: OperationRequest,
): Promise<Consent> {
  const id = params.ConsentId ?? "";
  // our ids have no other characters; any other text must not reach the database
  const consent = /^[\w-]{1,128}$/.test(id) ? await loadConsent(database, id) : undefined;
  if (consent?.kind !== kind || !api.consents.serves.has(consent.apiVersion)) {
    throw refusal("U011", "ConsentId", "There is no account access consent with this id.");
  }
  if (consent.clientId !== present(access, "who calls").clientId) throw notYours("ConsentId");
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

/**
 * The consent as it is now: it is expired if its time has passed, even if no sweep has stored that.
 * Source: E-012.
 */
function asOf(consent: Consent, now: Temporal.Instant): Rendered {
  const { expiresAt, status } = consent;
  if (expiresAt === null || Temporal.Instant.compare(expiresAt, now) > 0) return consent;
  if (status !== "AUTH" && status !== "CANC") return consent;
  return {
    ...consent,
    status: "EXPD",
    statusReason: [expiredReason],
    statusUpdatedAt: expiresAt,
  };
}

function render(
  { consents }: ApiVersion,
  status: number,
  consent: Rendered,
  selfUrl: string,
): OperationReply {
  const { words, showsReasons } = consents;
  // stored by createConsent
  const data = consent.body.Data as AccessRequest;
  const reasons = showsReasons && consent.statusReason.length > 0 ? consent.statusReason : null;
  // if the version has the same word for cancelled and authorised, nothing changes after
  // authorisation
  const changedAt = words.CANC === words.AUTH ? consent.authorisedAt : null;
  return {
    status,
    body: {
      Data: {
        ConsentId: consent.consentId,
        CreationDateTime: formatInstant(consent.createdAt),
        Status: words[consent.status],
        StatusUpdateDateTime: formatInstant(changedAt ?? consent.statusUpdatedAt),
        ...(reasons ? { StatusReason: reasons } : {}),
        Permissions: data.Permissions,
        ...renderDates(data),
      },
      Risk: {},
      Links: { Self: selfUrl },
      Meta: { TotalPages: 1 },
    },
  };
}
