import type { FastifyInstance, FastifyReply } from "fastify";
import { jwkSetType, withCertificates } from "#src/http/connection/certificate-chain.ts";
import type { Queryable } from "#src/storage/database.ts";
import { statusPaths } from "./authority.ts";
import { standingClaims } from "./create-tpp.ts";
import type { Directory } from "./directory.ts";
import { registerSchemeList } from "./scheme-list.ts";
import { findSoftware, listPublishedKeys } from "./software-register.ts";

type DirectoryRouteDeps = {
  database: Queryable;
  directory: Pick<Directory, "jwks" | "status" | "caPem" | "authority">;
  /** Base URL of the listener with mutual TLS. */
  mtlsUrl: string;
};

const requestLimitBytes = 4096;

/** Serves the list of revoked certificates, and answers OCSP requests by POST. */
function registerStatus(app: FastifyInstance, { directory }: DirectoryRouteDeps): void {
  app.get(statusPaths.list, async (_request, reply) =>
    reply.type("application/pkix-crl").send(await directory.status.list()),
  );
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/ocsp-request",
      { parseAs: "buffer", bodyLimit: requestLimitBytes },
      (_request, body, done) => done(null, body),
    );
    scope.post(statusPaths.responder, async ({ body }, reply) =>
      reply.type("application/ocsp-response").send(await directory.status.respond(body as Buffer)),
    );
  });
}

type Params = { organisationId: string; file: string };

/**
 * Serves the directory's own keys at `/directory/directory.jwks`, and the status, the active keys
 * and the revoked keys of each TPP's software.
 */
export function registerDirectory(app: FastifyInstance, deps: DirectoryRouteDeps): void {
  registerStatus(app, deps);
  registerSchemeList(app, deps);
  app.get("/directory/directory.jwks", async (_request, reply) =>
    sendKeys(reply, deps.directory.jwks),
  );
  app.get<{ Params: { organisationId: string; softwareId: string } }>(
    "/directory/status/:organisationId/:softwareId",
    async ({ params }, reply) => {
      const software = await findSoftware(deps.database, params.softwareId);
      if (software?.organisationId !== params.organisationId) return reply.code(404).send();
      return { ...standingClaims(software), software_status: software.softwareStatus };
    },
  );
  app.get<{ Params: Params }>(
    "/directory/revoked/:organisationId/:file",
    async ({ params }, reply) =>
      sendKeys(reply, { keys: (await publishedKeys(deps, params, true)) ?? [] }),
  );
  app.get<{ Params: Params }>("/directory/:organisationId/:file", async (request, reply) => {
    const keys = await publishedKeys(deps, request.params, false);
    return keys ? sendKeys(reply, { keys }) : reply.code(404).send();
  });
}

async function publishedKeys(
  { database, directory }: DirectoryRouteDeps,
  { organisationId, file }: Params,
  isRevoked: boolean,
): Promise<object[] | null> {
  if (!file.endsWith(".jwks")) return null;
  const softwareId = file.slice(0, -".jwks".length);
  const keys = await listPublishedKeys(database, { organisationId, softwareId, isRevoked });
  const { caPem } = directory;
  return keys?.map((one) => withCertificates(one.jwk, `${one.certificatePem}${caPem}`)) ?? null;
}

// sent as bytes: Fastify adds a charset to text, which this media type must not have
const sendKeys = (reply: FastifyReply, jwks: { keys: object[] }): FastifyReply =>
  reply.type(jwkSetType).send(Buffer.from(JSON.stringify(jwks)));
