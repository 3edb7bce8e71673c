import type { FastifyInstance, FastifyReply } from "fastify";
import { sendPage } from "#src/auth/login/page-scope.ts";
import { securityProfiles } from "#src/clients/security-profile.ts";
import { sendDocument } from "#src/http/document.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Clock } from "#src/lib/clock.ts";
import { registerAssets } from "#src/pages/assets.ts";
import { homePage } from "#src/pages/home.ts";
import { pageHeaders, referenceHeaders } from "#src/pages/page-headers.ts";
import { type ReferenceDocument, referencePage } from "#src/pages/reference.ts";
import { sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { renderScenarios } from "#src/sandbox/scenarios/scenarios-page.ts";
import type { Parts } from "#src/server/parts.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { referenceSamples } from "./reference-samples.ts";

/** Serves the home page, the API reference and the OpenAPI documents. */
export async function registerPages(parts: Parts): Promise<void> {
  const { app, config, publicUrl, mtlsUrl, operations, sandbox } = parts;
  const apis = [...new Set(operations.map(({ api }) => api))];
  registerAssets(app);
  registerReference(parts, apis);
  registerLost(parts);
  app.get("/", async (_request, reply: FastifyReply) =>
    reply.headers(pageHeaders).send(
      homePage({
        bankName: config.BANK_NAME,
        publicUrl,
        mtlsUrl,
        apis: apis.map(({ id, title, release, basePath }) => ({
          title: `${title} ${release}`,
          path: basePath,
          openApi: documentUrl(id),
        })),
        sandbox: sandbox ? await sandbox.home() : null,
      }),
    ),
  );
}

/** Handles unknown paths: browsers get a page, everyone else JSON. */
function registerLost({ app, config, sandbox }: Parts): void {
  app.setNotFoundHandler((request, reply) => {
    const title = "We cannot find this page";
    const message = "The address may be mistyped, or the page has moved.";
    const { BANK_NAME: bankName, BANK_HOME_URL: url } = config;
    // a sandbox's home page is for developers, and so is nearly every page of a sandbox
    const home = sandbox
      ? { url: "/", text: "Go to the home page" }
      : { url: "/bank", text: "Go to online banking" };
    const back = url ? { url, text: `Go to ${bankName}` } : home;
    const page = { bankName, title, message, back };
    return sendPage(request, reply.code(404), page, "There is nothing at this address.");
  });
}

const documentUrl = (id: string): string => `/openapi/${id}.json`;

type Document = { id: string; url: string; make(): ReferenceDocument };

/** The API reference and its documents. Each is made at its first request. */
function registerReference(
  { app, config, clock, kinds, publicUrl, mtlsUrl, operations, sandbox }: Parts,
  apis: ApiVersion[],
): void {
  const servers = sandbox ? [mtlsUrl, publicUrl] : [mtlsUrl];
  const documents: Document[] = apis.map((api) => ({
    id: api.id,
    url: documentUrl(api.id),
    make: once(() => {
      const rows = operations.filter((operation) => operation.api === api);
      // the page reads of our own document what its type says
      return openApiDocument(api, rows, servers) as ReferenceDocument;
    }),
  }));
  if (sandbox) {
    documents.push({
      id: "sandbox-v1",
      url: "/openapi/sandbox-v1.json",
      make: once(() => sandboxOpenApi(publicUrl) as ReferenceDocument),
    });
  }
  for (const { url, make } of documents)
    serveJson(
      app,
      url,
      once(() => Buffer.from(JSON.stringify(make()))),
    );
  const reference = oncePerDay(clock, (today) =>
    Buffer.from(
      referencePage({
        bankName: config.BANK_NAME,
        documents: documents.map(({ id, url, make }) => ({ id, url, document: make() })),
        explorer: sandbox && securityProfiles,
        samples: referenceSamples(kinds, today),
      }),
    ),
  );
  app.get("/docs", (_request, reply) => sendDocument(reply.headers(referenceHeaders), reference()));
  if (!sandbox) return;
  const scenarios = once(() => renderScenarios(config.BANK_NAME));
  app.get("/docs/scenarios", (_request, reply) => reply.headers(pageHeaders).send(scenarios()));
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function oncePerDay(clock: Clock, make: (today: Temporal.PlainDate) => Buffer): () => Buffer {
  let made: { day: string; document: Buffer } | undefined;
  return () => {
    const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
    const day = today.toString();
    if (made?.day !== day) made = { day, document: make(today) };
    return made.document;
  };
}

/** Serves a document that does not change while the process runs. Any page may read it. */
function serveJson(app: FastifyInstance, url: string, document: () => Buffer): void {
  app.get(url, (_request, reply) =>
    sendDocument(
      reply
        .header("content-type", "application/json; charset=utf-8")
        .header("access-control-allow-origin", "*"),
      document(),
    ),
  );
}
