import type { FastifyInstance, FastifyReply } from "fastify";
import { sendPage } from "#src/auth/login/page-scope.ts";
import { securityProfiles } from "#src/clients/security-profile.ts";
import { sendDocument } from "#src/http/document.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Clock } from "#src/lib/clock.ts";
import { registerAssets } from "#src/pages/assets.ts";
import { homePage } from "#src/pages/home.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import type { ApiDocument, ListedDocument } from "#src/pages/portal/api-document.ts";
import { sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import type { Parts } from "#src/server/parts.ts";
import { errorsOf } from "#src/server/portal/operation-errors.ts";
import { portalPages } from "#src/server/portal/portal-pages.ts";
import { createPortal, type Portal, registerPortal } from "#src/server/portal/register-portal.ts";
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
    const path = request.url.split("?", 1)[0] ?? "";
    if (request.method === "GET" && app.hasRoute({ method: "POST", url: path })) {
      reply.code(405).header("allow", "POST");
      return sendPage(request, reply, page, "This address takes only POST requests.");
    }
    return sendPage(request, reply.code(404), page, "There is nothing at this address.");
  });
}

const documentUrl = (id: string): string => `/openapi/${id}.json`;

type Document = Pick<ListedDocument, "id" | "url" | "errorsOf"> & { make(): ApiDocument };

/** The documentation and the OpenAPI documents. Each is made at its first request. */
function registerReference(parts: Parts, apis: ApiVersion[]): void {
  const { app, clock } = parts;
  const documents = listDocuments(parts, apis);
  for (const { url, make } of documents)
    serveJson(
      app,
      url,
      once(() => Buffer.from(JSON.stringify(make()))),
    );
  const portal = oncePerDay(clock, (today) => openPortal(parts, apis, documents, today));
  registerPortal(app, portal);
}

function listDocuments(
  { publicUrl, mtlsUrl, operations, sandbox }: Parts,
  apis: ApiVersion[],
): Document[] {
  const servers = sandbox ? [mtlsUrl, publicUrl] : [mtlsUrl];
  const documents: Document[] = apis.map((api) => {
    const rows = operations.filter((operation) => operation.api === api);
    const byId = new Map(rows.map((row) => [row.operationId, row]));
    return {
      id: api.id,
      url: documentUrl(api.id),
      // the portal reads of our own document what its type says
      make: once(() => openApiDocument(api, rows, servers) as ApiDocument),
      errorsOf(operationId) {
        const row = byId.get(operationId);
        return row ? errorsOf(row) : [];
      },
    };
  });
  if (!sandbox) return documents;
  const make = once(() => sandboxOpenApi(publicUrl) as ApiDocument);
  const id = "sandbox-v1";
  return [...documents, { id, url: documentUrl(id), make, errorsOf: () => [] }];
}

function openPortal(
  { config, kinds, publicUrl, mtlsUrl, sandbox }: Parts,
  versions: ApiVersion[],
  documents: readonly Document[],
  today: Temporal.PlainDate,
): Portal {
  const { BANK_NAME: bankName } = config;
  const samples = referenceSamples(kinds, today);
  const profiles = sandbox && securityProfiles;
  const pages = portalPages({
    bankName,
    versions,
    documents: documents.map(({ make, ...rest }) => ({
      ...rest,
      document: make(),
      samples: samples[rest.id] ?? {},
    })),
    caller: { publicUrl, mtlsUrl, profiles },
  });
  return createPortal({ bankName, pages, profiles });
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function oncePerDay<T>(clock: Clock, make: (today: Temporal.PlainDate) => T): () => T {
  let made: { day: string; value: T } | undefined;
  return () => {
    const today = clock.now().toZonedDateTimeISO("UTC").toPlainDate();
    const day = today.toString();
    if (made?.day !== day) made = { day, value: make(today) };
    return made.value;
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
