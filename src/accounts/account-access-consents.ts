import { byTpp } from "#src/consents/change.ts";
import type { Consent, ConsentBody } from "#src/consents/consent.ts";
import { consentDeletion, loadConsent } from "#src/consents/consent.ts";
import type { ConsentStatus } from "#src/consents/states.ts";
import { notYours } from "#src/http/access.ts";
import { refusal } from "#src/http/api-error.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import { accountAccessConsent } from "#src/standard/aisp-v3.1/account-access-consent.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type AccessRequest, dateOf, parseAccessRequest, renderDates } from "./access-request.ts";
import { withinCalendar } from "./page-request.ts";

const kind = "account-access";
const path = "/account-access-consents";

/**
 * Lodging, reading and deleting consents to account access; `supported` are the permissions that
 * they may carry. Source: A-060…A-114.
 */
export function accountAccessConsentOperations(
  { database }: { database: Database },
  supported: ReadonlySet<string>,
): Operation[] {
  const common = {
    api: aispV31,
    tag: "Account Access",
    grant: "client_credentials",
    access: "loaded",
    signed: false,
    idempotent: false,
    request: null,
  } as const;
  const ofOne = { ...common, path: `${path}/:ConsentId` };
  return [
    {
      ...common,
      operationId: "CreateAccountAccessConsents",
      summary: "Create Account Access Consents",
      method: "POST",
      path,
      request: accountAccessConsent.request,
      success: { status: 201, schema: accountAccessConsent.response },
      refusals: { 400: ["U002", "U003", "U004", "U005"] },
      handle: (request) => createConsent(database, supported, request),
    },
    {
      ...ofOne,
      operationId: "GetAccountAccessConsentsConsentId",
      summary: "Get Account Access Consents",
      method: "GET",
      success: { status: 200, schema: accountAccessConsent.response },
      refusals: { 400: ["U011"], 403: ["U011"] },
      async handle(request) {
        return render(200, await loadOwn(database, request), request.selfUrl);
      },
    },
    {
      ...ofOne,
      operationId: "DeleteAccountAccessConsentsConsentId",
      summary: "Delete Account Access Consents",
      method: "DELETE",
      success: { status: 204, schema: null },
      refusals: { 400: ["U011"], 403: ["U011"] },
      handle: (request) => deleteConsent(database, request),
    },
  ];
}

async function createConsent(
  database: Database,
  supported: ReadonlySet<string>,
  { access, body, now, baseUrl, interactionId }: OperationRequest,
): Promise<OperationReply> {
  const data = parseAccessRequest(body, supported, now);
  const { clientId } = present(access, "who calls");
  const consentId = newId("aac");
  const day = (instant: Temporal.Instant | null) => instant && withinCalendar(instant);
  await database.query(sql`
    insert into consent (consent_id, kind, api_version, client_id, status, created_at,
      status_updated_at, expires_at, body, permissions, transactions_from, transactions_to,
      changed_by, interaction_id)
    values (${consentId}, ${kind}, ${aispV31.id}, ${clientId}, 'AWAU', ${now}, ${now},
      ${day(dateOf(data, "ExpirationDateTime"))}, ${JSON.stringify({ Data: data, Risk: {} })}::json,
      ${[...new Set(data.Permissions)]}::text[],
      ${day(dateOf(data, "TransactionFromDateTime"))},
      ${day(dateOf(data, "TransactionToDateTime"))}, 'tpp', ${interactionId})`);
  const consent = {
    consentId,
    status: "AWAU",
    createdAt: now,
    statusUpdatedAt: now,
    authorisedAt: null,
    // what parseAccessRequest let through
    body: { Data: data as ConsentBody["Data"] },
  } as const;
  return render(201, consent, `${baseUrl}${path}/${consentId}`);
}

/** Consent of the calling TPP; 400 when there is none, 403 when it is another's. */
async function loadOwn(database: Database, { access, params }: OperationRequest): Promise<Consent> {
  const id = params.ConsentId ?? "";
  // ids of ours have no other characters; what cannot be one never reaches the database
  const consent = /^[\w-]{1,128}$/.test(id) ? await loadConsent(database, id) : undefined;
  if (consent?.kind !== kind) {
    throw refusal("U011", "ConsentId", "There is no account access consent with this id.");
  }
  if (consent.clientId !== present(access, "who calls").clientId) throw notYours("ConsentId");
  return consent;
}

// The consent stays as a record; its tokens are gone at once. Source: A-098…A-103.
async function deleteConsent(
  database: Database,
  request: OperationRequest,
): Promise<OperationReply> {
  const { consentId } = await loadOwn(database, request);
  await database.query(sql`
    with gone as (${consentDeletion(consentId, byTpp(request))}), tokens as (
      delete from access_token t using gone where t.grant_id = gone.grant_id
    )
    delete from oidc_artifact a using gone where a.grant_id = gone.grant_id`);
  return { status: 204, body: null };
}

type Rendered = Pick<
  Consent,
  "consentId" | "status" | "createdAt" | "statusUpdatedAt" | "authorisedAt" | "body"
>;

function render(status: number, consent: Rendered, selfUrl: string): OperationReply {
  // stored by createConsent
  const data = consent.body.Data as AccessRequest;
  return {
    status,
    body: {
      Data: {
        ConsentId: consent.consentId,
        CreationDateTime: formatInstant(consent.createdAt),
        Status: words[consent.status],
        // v3.1 knows no status after Authorised, so that is the last change it sees
        StatusUpdateDateTime: formatInstant(consent.authorisedAt ?? consent.statusUpdatedAt),
        Permissions: data.Permissions,
        ...renderDates(data),
      },
      Risk: {},
      Links: { Self: selfUrl },
      Meta: { TotalPages: 1 },
    },
  };
}

// Revoked at the bank and expired are still Authorised. Source: digest 2.5, 2.6, A-104, A-108.
const words: Record<ConsentStatus, string> = {
  AWUP: "AwaitingAuthorisation",
  AWAU: "AwaitingAuthorisation",
  RJCT: "Rejected",
  AUTH: "Authorised",
  COND: "Authorised",
  CANC: "Authorised",
  EXPD: "Authorised",
};
