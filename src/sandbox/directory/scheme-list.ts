import type { FastifyInstance, FastifyRequest } from "fastify";
import { decodeJwt, importJWK, importPKCS8, jwtVerify, SignJWT } from "jose";
import { listChanges } from "#src/history/change.ts";
import { arrivedOverMtls, judgedCertificateOf } from "#src/http/connection/peers.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { Authority } from "./authority.ts";
import { statementIssuer } from "./create-tpp.ts";
import type { Directory } from "./directory.ts";
import { findSoftware, listPublishedKeys } from "./software-register.ts";

type SchemeListDeps = {
  database: Queryable;
  directory: Pick<Directory, "authority" | "jwks">;
  mtlsUrl: string;
};

const paths = {
  list: "/directory/v2.1/organisation/mlastatus",
  token: "/directory/token",
} as const;
const scope = "MLAReadAccess";
const tokenMinutes = 10;
const formBytes = 8192;

/**
 * Serves the list of the commercial scheme's participants. Over mutual TLS, it needs a token, as at
 * the directory of Open Banking; on the listener for browsers, everybody can read it. Any software
 * in the directory can get a token with its certificate and its signing key.
 * Source: CV-10, CV-12, CV-14, CV-26.
 */
export function registerSchemeList(app: FastifyInstance, deps: SchemeListDeps): void {
  app.get(paths.list, async (request, reply) => {
    const message = arrivedOverMtls(request.raw) ? await faultOfToken(request, deps) : null;
    if (message !== null) return reply.code(401).send({ code: "Unauthorized", message });
    return listSchemeParticipants(deps.database);
  });
  app.register(async (scoped) => {
    scoped.removeAllContentTypeParsers();
    scoped.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: formBytes },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    scoped.post(paths.token, async (request, reply) => {
      const answer = await issueToken(request, deps);
      return reply.code("error" in answer ? 400 : 200).send(answer);
    });
  });
}

const secondsOf = ({ clock }: Authority): number =>
  Math.floor(clock.now().epochMilliseconds / 1000);

const refused = (error: string, error_description: string) => ({ error, error_description });

/** Authenticates a client by its certificate and its assertion, and issues a token. */
async function issueToken(
  { body, raw }: FastifyRequest,
  { database, directory, mtlsUrl }: SchemeListDeps,
) {
  const form = body instanceof URLSearchParams ? body : new URLSearchParams();
  const { facts } = judgedCertificateOf(raw);
  if (facts === null) {
    return refused("invalid_client", `Send a client certificate of this directory to ${mtlsUrl}.`);
  }
  if (form.get("grant_type") !== "client_credentials") {
    return refused("unsupported_grant_type", "grant_type must be client_credentials.");
  }
  if (form.get("scope") !== scope) return refused("invalid_scope", `scope must be ${scope}.`);
  const { authority } = directory;
  try {
    const assertion = form.get("client_assertion") ?? "";
    const software = await findSoftware(database, String(decodeJwt(assertion).iss));
    if (!software) throw new Error("its iss is not software of this directory");
    const keys = (await listPublishedKeys(database, { ...software, isRevoked: false })) ?? [];
    const { softwareId } = software;
    await jwtVerify(
      assertion,
      ({ kid = "", alg = "" }) => {
        const found = keys.find(({ jwk }) => jwk.kid === kid);
        return importJWK(present(found, "the key of kid").jwk, alg);
      },
      {
        algorithms: ["PS256", "ES256"],
        issuer: softwareId,
        subject: softwareId,
        audience: `${mtlsUrl}${paths.token}`,
        requiredClaims: ["exp", "iat", "jti"],
        currentDate: new Date(authority.clock.now().epochMilliseconds),
      },
    );
    if (facts.softwareId !== softwareId) throw new Error("the certificate is of other software");
  } catch (error) {
    return refused(
      "invalid_client",
      `The client_assertion is refused: ${(error as Error).message}.`,
    );
  }
  const key = await importPKCS8(authority.statementKey.privateKeyPem, "PS256");
  const now = secondsOf(authority);
  const access_token = await new SignJWT({ scope, cnf: { "x5t#S256": facts.thumbprint } })
    .setProtectedHeader({ alg: "PS256", typ: "at+jwt" })
    .setIssuer(statementIssuer)
    .setExpirationTime(now + tokenMinutes * 60)
    .sign(key);
  return { access_token, token_type: "Bearer", expires_in: tokenMinutes * 60, scope };
}

/** Why a request's token cannot be used; null if it can. */
async function faultOfToken(
  { headers, raw }: FastifyRequest,
  { directory: { authority, jwks } }: SchemeListDeps,
): Promise<string | null> {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(headers.authorization ?? "") ?? [];
  if (token === undefined) return `Send a token for the scope ${scope} as Authorization: Bearer.`;
  try {
    const key = await importJWK(present(jwks.keys[0], "the directory's key"), "PS256");
    const { payload } = await jwtVerify<{ cnf?: { "x5t#S256"?: string } }>(token, key, {
      issuer: statementIssuer,
      typ: "at+jwt",
      currentDate: new Date(authority.clock.now().epochMilliseconds),
    });
    const isOwn = payload.cnf?.["x5t#S256"] === judgedCertificateOf(raw).facts?.thumbprint;
    return isOwn ? null : "The token belongs to another certificate.";
  } catch (error) {
    return `The token is refused: ${(error as Error).message}.`;
  }
}

type ListedRow = { organisationId: string; name: string; status: string; clientId: string };

/**
 * Makes the list of the organisations in the commercial scheme, as the directory of Open Banking
 * serves it. The sandbox has only one store of their statuses, so a change is in the list and
 * takes effect at the same time. Source: CV-12, CV-26.
 */
async function listSchemeParticipants(on: Queryable): Promise<{ Data: object[] }> {
  const rows = await on.query<ListedRow>(sql`
    select distinct on (cs.organisation_id) cs.organisation_id as "organisationId", o.name,
      cs.scheme_status as status, cs.client_id as "clientId"
    from client_setting cs join organisation o on o.organisation_id = cs.organisation_id
    where cs.scheme_status is not null
    order by cs.organisation_id, cs.client_id`);
  return { Data: await Promise.all(rows.map((row) => participant(on, row))) };
}

async function participant(
  on: Queryable,
  { organisationId, name, status, clientId }: ListedRow,
): Promise<object> {
  const changes = await listChanges(on, clientId);
  const last = changes.findLast(({ before, after }) => before?.schemeStatus !== after.schemeStatus);
  return {
    OBOrganisationId: organisationId,
    OrganisationCommonName: name,
    NCAId: `GB-FCA-${organisationId}`,
    MLAStatus: status,
    MLAStatusUpdated: formatInstant(present(last, "the change of a status").occurredAt),
  };
}
