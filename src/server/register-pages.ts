import type { FastifyInstance, FastifyReply } from "fastify";
import { openApiDocument } from "#src/http/openapi.ts";
import { registerAssets } from "#src/pages/assets.ts";
import { homePage } from "#src/pages/home.ts";
import { pageHeaders, referenceHeaders } from "#src/pages/page-headers.ts";
import { type ReferenceDocument, referencePage } from "#src/pages/reference.ts";
import { sandboxOpenApi } from "#src/sandbox/interface.ts";
import type { Parts } from "./open-server.ts";

/** Serves the home page, the API reference and the OpenAPI documents. */
export async function registerPages(parts: Parts): Promise<void> {
  const { app, config, publicUrl, mtlsUrl, operations, sandbox } = parts;
  const apis = [...new Set(operations.map(({ api }) => api))];
  const documents = apis.map((api) => ({
    id: api.id,
    url: `/openapi/${api.id}.json`,
    // the page reads of our own document what its type says
    document: openApiDocument(
      api,
      operations.filter((operation) => operation.api === api),
      sandbox ? [mtlsUrl, publicUrl] : [mtlsUrl],
    ) as ReferenceDocument,
  }));
  if (sandbox) {
    const document = sandboxOpenApi(publicUrl) as ReferenceDocument;
    documents.push({ id: "sandbox-v1", url: "/openapi/sandbox-v1.json", document });
  }
  registerAssets(app);
  for (const { url, document } of documents) serveJson(app, url, JSON.stringify(document));
  const reference = referencePage({
    bankName: config.BANK_NAME,
    documents,
    explorer: sandbox !== null,
  });
  app.get("/docs", (_request, reply) => reply.headers(referenceHeaders).send(reference));
  app.get("/", async (_request, reply: FastifyReply) =>
    reply.headers(pageHeaders).send(
      homePage({
        bankName: config.BANK_NAME,
        publicUrl,
        mtlsUrl,
        apis: apis.map(({ title, basePath }) => ({ title, path: basePath })),
        sandbox: sandbox ? await sandbox.home() : null,
      }),
    ),
  );
}

/** A document that does not change while the process lives; any page may read it. */
function serveJson(app: FastifyInstance, url: string, text: string): void {
  app.get(url, (_request, reply) =>
    reply
      .header("content-type", "application/json; charset=utf-8")
      .header("access-control-allow-origin", "*")
      .send(text),
  );
}
