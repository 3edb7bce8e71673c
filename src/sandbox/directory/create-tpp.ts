import { randomUUID } from "node:crypto";
import { importPKCS8, type JWK, SignJWT } from "jose";
import { registerClient } from "#src/clients/register-client.ts";
import { type ProfileId, securityProfileNamed } from "#src/clients/security-profile.ts";
import { byBank } from "#src/history/change.ts";
import { ownNames } from "#src/http/outgoing/address-guard.ts";
import { newId } from "#src/lib/ids.ts";
import { plainText, plainTextRule } from "#src/lib/plain-text.ts";
import type { GrantedContract } from "#src/payments/limits/contract-operations.ts";
import { backchannelGrant } from "#src/registration/backchannel-rules.ts";
import { publicPart } from "#src/registration/statement-issuer.ts";
import { sql } from "#src/storage/sql.ts";
import { type Authority, issueLeaf } from "./authority.ts";
import { type KeyPem, nameText } from "./certificates.ts";
import { storeCertificates } from "./held-certificates.ts";
import { type IssuedTpp, subjectOf, TppRefused } from "./issued-tpp.ts";
import { signingJwk } from "./keys.ts";
import { scopeOfRole, type TppRole, tppRoles } from "./roles.ts";

/** The requested registration of a TPP. */
export type TppRequest = {
  /** The name that customers see. */
  name: string;
  roles: TppRole[];
  /** https, or http on loopback. */
  redirectUris: string[];
  /** The default is `private_key_jwt`. */
  tokenEndpointAuthMethod?: "private_key_jwt" | "tls_client_auth";
  /** The default is true. Tokens of a client without a certificate work only on loopback. */
  certificateBound?: boolean;
  /** The security profile; the default is FAPI 1.0 Advanced. */
  profile?: ProfileId;
  /** Where a TPP that begins approvals without a browser is told of them; by default, it polls. */
  notificationEndpoint?: string;
  /** Contracts with the bank, which its staff would grant in production. */
  vrpContracts?: GrantedContract[];
};

/** The ids of a client and of its software in the directory. */
export type TppIds = Pick<IssuedTpp, "clientId" | "organisationId" | "softwareId">;

/** Issues keys, certificates and a software statement, and registers the client. */
export async function createTpp(
  authority: Authority,
  request: TppRequest,
  ids: TppIds = { clientId: newId("tpp"), ...newDirectoryIds() },
): Promise<IssuedTpp> {
  const faults = faultsOf(request);
  if (faults.length > 0) throw new TppRefused(faults);
  const [signingKey, transportKey] = await Promise.all([
    authority.generateKey(),
    authority.generateKey(),
  ]);
  const subject = subjectOf(ids);
  const issue = ({ publicKeyPem: subjectKeyPem }: KeyPem, use: "client" | "signing") =>
    issueLeaf(authority, { subject, subjectKeyPem, use });
  const jwk = await signingJwk(signingKey.publicKeyPem);
  const tpp: IssuedTpp = {
    ...ids,
    name: request.name.trim(),
    roles: [...new Set(request.roles)],
    redirectUris: [...new Set(request.redirectUris)],
    tokenEndpointAuthMethod: request.tokenEndpointAuthMethod ?? "private_key_jwt",
    certificateBound: request.certificateBound ?? true,
    profile: request.profile ?? "fapi1",
    softwareStatement: "",
    signing: {
      kid: jwk.kid,
      privateKeyPem: signingKey.privateKeyPem,
      certificatePem: await issue(signingKey, "signing"),
    },
    transport: {
      privateKeyPem: transportKey.privateKeyPem,
      certificatePem: await issue(transportKey, "client"),
    },
    caPem: authority.ca.certificatePem,
  };
  tpp.softwareStatement = await signStatement(authority, tpp);
  await registerTpp(authority, tpp, jwk, request.notificationEndpoint);
  return tpp;
}

/**
 * Registers the client, stores its certificates and enters its software in the directory, unless it
 * is already registered.
 */
export async function registerTpp(
  authority: Authority,
  tpp: IssuedTpp,
  jwk: JWK,
  notificationEndpoint?: string,
): Promise<void> {
  const { database, clock } = authority;
  const subject = nameText(subjectOf(tpp));
  const { responseTypes, registered } = securityProfileNamed(tpp.profile);
  const jwtAuthentication = tpp.tokenEndpointAuthMethod === "private_key_jwt";
  const metadata = {
    redirect_uris: tpp.redirectUris,
    grant_types: ["authorization_code", "client_credentials", "refresh_token", backchannelGrant],
    ...backchannelMembers(notificationEndpoint),
    response_types: responseTypes,
    scope: ["openid", ...tpp.roles.map((role) => scopeOfRole[role])].join(" "),
    token_endpoint_auth_method: tpp.tokenEndpointAuthMethod,
    ...(jwtAuthentication
      ? { token_endpoint_auth_signing_alg: "PS256" }
      : { tls_client_auth_subject_dn: subject }),
    software_id: tpp.softwareId,
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    ...registered,
    software_statement: tpp.softwareStatement,
  };
  const { clientId, organisationId, softwareId, name, roles, certificateBound } = tpp;
  const readAt = clock.now();
  await registerClient(database, {
    clientId,
    organisation: { organisationId, name },
    software: {
      softwareId,
      name,
      roles,
      directory: {
        issuer: statementIssuer,
        ...keyAddresses(authority.publicUrl, tpp),
        readAt,
        dueAt: readAt.add({ minutes: firstReadingMinutes }),
        statusDueAt: readAt.add({ hours: firstStatusHours }),
      },
    },
    metadata,
    certificateSubject: `CN=${softwareId},OU=${organisationId}`,
    keys: publicPart(jwk),
    setting: { certificateBound },
    why: byBank(authority.bankClock.now()),
  });
  await storeCertificates(authority, tpp);
  await enterTpp(authority, tpp, jwk);
}

/** The members of a client that begins approvals without a browser. */
const backchannelMembers = (endpoint: string | undefined) => ({
  backchannel_authentication_request_signing_alg: "PS256",
  backchannel_token_delivery_mode: endpoint === undefined ? "poll" : "ping",
  ...(endpoint === undefined ? {} : { backchannel_client_notification_endpoint: endpoint }),
});

// as if the bank had just read the keys
const firstReadingMinutes = 60;
const firstStatusHours = 24;

/** The addresses at which the directory publishes the active and the revoked keys of software. */
const keyAddresses = (
  publicUrl: string,
  { organisationId, softwareId }: Pick<IssuedTpp, "organisationId" | "softwareId">,
): { jwksUri: string; revokedJwksUri: string } => {
  const path = `${organisationId}/${softwareId}.jwks`;
  return {
    jwksUri: `${publicUrl}/directory/${path}`,
    revokedJwksUri: `${publicUrl}/directory/revoked/${path}`,
  };
};

/** Enters the software of a registered TPP, with its signing key, unless it is there already. */
async function enterTpp(
  { database, clock }: Authority,
  { softwareId, organisationId, name, roles, redirectUris, signing }: IssuedTpp,
  jwk: JWK,
): Promise<void> {
  const now = clock.now();
  await database.query(sql`
    with entered as (
      insert into directory_software (software_id, organisation_id, name, roles, redirect_uris,
        created_at)
      values (${softwareId}, ${organisationId}, ${name}, ${roles}::text[],
        ${redirectUris}::text[], ${now})
      on conflict (software_id) do nothing returning software_id
    )
    insert into directory_key (software_id, kid, use, jwk, certificate_pem, created_at)
    select software_id, ${signing.kid}, 'sig', ${JSON.stringify(jwk)}::json,
      ${signing.certificatePem}, ${now}::timestamptz
    from entered`);
}

/** Lists the faults of a request for a TPP; empty if there are none. */
export function faultsOf(request: TppRequest): string[] {
  const { name, roles, redirectUris, tokenEndpointAuthMethod, certificateBound } = request;
  const { mayBeUnbound, title } = securityProfileNamed(request.profile ?? "fapi1");
  const faults: string[] = [];
  if (!/^.{1,100}$/su.test(name.trim())) faults.push("name: 1 to 100 characters");
  if (!plainText.test(name)) faults.push(`name: must ${plainTextRule}`);
  if (roles.length === 0 || roles.some((role) => !tppRoles.includes(role))) {
    faults.push(`roles: one or more of ${tppRoles.join(", ")}`);
  }
  if (redirectUris.length === 0) faults.push("redirectUris: at least one");
  for (const uri of redirectUris) {
    if (!isRedirectUri(uri)) {
      faults.push(
        `redirectUris: ${uri} must use https (or http on loopback), without a fragment, and ` +
          "have at most 256 characters",
      );
    }
  }
  const { notificationEndpoint: endpoint } = request;
  if (endpoint !== undefined && !isRedirectUri(endpoint)) {
    faults.push(
      `notificationEndpoint: ${endpoint} must use https (or http on loopback), without a fragment, ` +
        "and have at most 256 characters",
    );
  }
  if (certificateBound === false && tokenEndpointAuthMethod === "tls_client_auth") {
    faults.push("certificateBound: must be true for a client that authenticates by certificate");
  }
  if (certificateBound === false && !mayBeUnbound) {
    faults.push(`certificateBound: must be true for a client of ${title}`);
  }
  return faults;
}

function isRedirectUri(uri: string): boolean {
  const parsed = URL.parse(uri);
  if (!parsed || uri.includes("#") || uri.length > 256) return false;
  if (parsed.username !== "" || parsed.password !== "") return false;
  const isOwn = ownNames.includes(parsed.hostname);
  return parsed.protocol === "https:" || (parsed.protocol === "http:" && isOwn);
}

/** The `iss` of the directory's software statements. */
export const statementIssuer = "Aldgate Sandbox Directory";

/** The facts of software that a statement gives. */
type StatedSoftware = Pick<
  IssuedTpp,
  "organisationId" | "softwareId" | "name" | "roles" | "redirectUris"
> & { onBehalfOf?: string | null; organisationStatus?: string; softwareStatus?: string };

/** The claims that describe the standing of software, in its statement and in its status. */
export const standingClaims = (software: StatedSoftware): Record<string, unknown> => ({
  org_id: software.organisationId,
  org_status: software.organisationStatus ?? "Active",
  software_id: software.softwareId,
  software_roles: software.roles,
  organisation_competent_authority_claims: {
    authority_id: "FCAGBR",
    registration_id: software.organisationId,
    status: "Active",
    authorisations: [{ member_state: "GB", roles: software.roles }],
  },
});

/** Issues a software statement. */
export async function signStatement(
  authority: Pick<Authority, "statementKey" | "publicUrl" | "clock">,
  tpp: StatedSoftware,
): Promise<string> {
  const { statementKey, publicUrl, clock } = authority;
  const { jwksUri, revokedJwksUri } = keyAddresses(publicUrl, tpp);
  const claims = {
    software_environment: "sandbox",
    software_mode: "Test",
    software_client_id: tpp.softwareId,
    software_client_name: tpp.name,
    software_client_description: tpp.name,
    software_version: "1.0",
    software_redirect_uris: tpp.redirectUris,
    ...standingClaims(tpp),
    ...(tpp.onBehalfOf ? { software_on_behalf_of_org: tpp.onBehalfOf } : {}),
    org_name: tpp.name,
    org_contacts: [],
    software_jwks_endpoint: jwksUri,
    software_jwks_revoked_endpoint: revokedJwksUri,
  };
  const key = await importPKCS8(statementKey.privateKeyPem, "PS256");
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "PS256", kid: statementKey.kid, typ: "JWT" })
    .setIssuer(statementIssuer)
    .setIssuedAt(Math.floor(clock.now().epochMilliseconds / 1000))
    .setJti(randomUUID())
    .sign(key);
}

/** Makes the ids of a new organisation and of its software. */
export const newDirectoryIds = (): Pick<IssuedTpp, "organisationId" | "softwareId"> => ({
  organisationId: `00158000${base62(10)}`,
  softwareId: base62(22),
});

// Ids may contain 62 different characters; these use 32 of them.
const base62 = (length: number): string => newId("").slice(1, length + 1);
