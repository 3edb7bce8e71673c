import type { FastifyInstance } from "fastify";
import type { JWK } from "jose";
import { first, type Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** What the directory's routes read. */
export type DirectoryRouteDeps = { database: Queryable; jwks: { keys: JWK[] } };

/** Serves the directory's own keys at `/directory/directory.jwks`, and each TPP's. */
export function registerDirectory(app: FastifyInstance, deps: DirectoryRouteDeps): void {
  const type = "application/jwk-set+json";
  app.get("/directory/directory.jwks", async (_request, reply) =>
    reply.type(type).send(JSON.stringify(deps.jwks)),
  );
  app.get<{ Params: { organisationId: string; file: string } }>(
    "/directory/:organisationId/:file",
    async (request, reply) => {
      const { organisationId, file } = request.params;
      const row = await first<{ jwks: object }>(
        deps.database,
        sql`select jwks from client where organisation_id = ${organisationId}
          and software_id = ${file.replace(/\.jwks$/, "")}`,
      );
      if (!row || !file.endsWith(".jwks")) return reply.code(404).send();
      return reply.type(type).send(JSON.stringify(row.jwks));
    },
  );
}
