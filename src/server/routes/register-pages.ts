import type { FastifyInstance, FastifyReply } from "fastify";
import { sendPage } from "#src/auth/login/page-scope.ts";
import { securityProfiles } from "#src/clients/security-profile.ts";
import type { Config } from "#src/config/config.ts";
import { listOf } from "#src/config/networks.ts";
import { shownCommands } from "#src/config/shown-commands.ts";
import { bankOpenApi, documentId } from "#src/connector/document.ts";
import { sendDocument } from "#src/http/document.ts";
import { likelyPaths } from "#src/http/refusal/likely-paths.ts";
import type { Clock } from "#src/lib/clock.ts";
import { registerAssets } from "#src/pages/assets.ts";
import { compressPage } from "#src/pages/compressed.ts";
import { homePage } from "#src/pages/home.ts";
import { pageHeaders } from "#src/pages/page-headers.ts";
import type { RefuseMethod } from "#src/server/listeners/refuse-method.ts";
import type { Parts, ReadyTpp } from "#src/server/parts.ts";
import { makeCollection, registerCollections } from "#src/server/portal/collections.ts";
import {
  documentUrl,
  listDocuments,
  once,
  type PortalDocument,
  withSamples,
} from "#src/server/portal/documents.ts";
import { portalPages } from "#src/server/portal/portal-pages.ts";
import { createPortal, type Portal, registerPortal } from "#src/server/portal/register-portal.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";

/** Serves the home page, the API reference and the OpenAPI documents. */
export async function registerPages(
  parts: Parts,
  known: { refuseMethod: RefuseMethod },
): Promise<void> {
  const { app, config, publicUrl, mtlsUrl, operations, sandbox } = parts;
  const apis = [...new Set(operations.map(({ api }) => api))];
  registerAssets(app);
  registerReference(parts, apis);
  registerLost(parts, known);
  registerAppLinks(app, config);
  app.get("/", { onSend: compressPage }, async (_request, reply: FastifyReply) =>
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

/** Handles unknown paths and methods: browsers get a page, everyone else JSON. */
function registerLost(
  { app, config, operations, sandbox }: Parts,
  { refuseMethod }: { refuseMethod: RefuseMethod },
): void {
  const likely = likelyPaths(operations);
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
    const wrong = refuseMethod(request, reply);
    if (wrong !== null) return sendPage(request, reply, page, wrong);
    const nothing = `There is nothing at this address.${likely(path)}`;
    return sendPage(request, reply.code(404), page, nothing);
  });
}

/** The documentation and the OpenAPI documents. Each is made at its first request. */
function registerReference(parts: Parts, apis: ApiVersion[]): void {
  const { app, bank, clock, config, kinds, publicUrl, sandbox } = parts;
  const documents = listDocuments({ ...parts, isSandbox: sandbox !== null });
  for (const { url, make } of documents)
    serveJson(
      app,
      url,
      once(() => Buffer.from(JSON.stringify(make()))),
    );
  // for a bank's engineers, so it is no part of the documentation for TPPs
  serveJson(
    app,
    documentUrl(documentId),
    once(() => Buffer.from(JSON.stringify(bankOpenApi()))),
  );
  const collection = oncePerDay(clock, (today) =>
    makeCollection(config.BANK_NAME, publicUrl, withSamples(documents, kinds, today, bank)),
  );
  if (sandbox) registerCollections(app, collection);
  const portal = oncePerDay(clock, (today) => openPortal(parts, apis, documents, today));
  registerPortal(app, portal);
}

function openPortal(
  { bank, config, kinds, publicUrl, mtlsUrl, sandbox }: Parts,
  versions: ApiVersion[],
  documents: readonly PortalDocument[],
  today: Temporal.PlainDate,
): Portal {
  const { BANK_NAME: bankName } = config;
  const profiles = sandbox && securityProfiles;
  // the one that can call without a certificate
  const tpp = sandbox?.readyTpps.find((one) => !one.tpp.certificateBound);
  const pages = portalPages({
    bankName,
    versions,
    documents: withSamples(documents, kinds, today, bank),
    caller: { publicUrl, mtlsUrl, profiles, ...(tpp ? { shell: shellFor(config, tpp) } : {}) },
  });
  return createPortal({ bankName, pages, profiles });
}

const shellFor = (config: Config, { folder }: ReadyTpp) => ({
  command: shownCommands(config),
  tppFolder: folder,
});

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

/**
 * Serves the files by which phones learn that the bank's app may open authorization URLs. Source:
 * Apple, Supporting associated domains; Google, Digital Asset Links.
 */
function registerAppLinks(app: FastifyInstance, config: Config): void {
  const appIDs = listOf(config.APP_LINKS_APPLE);
  if (appIDs.length > 0) {
    // only where an authorization begins: a journey that a browser has begun stays there
    const components = [{ "/": "/auth", "?": { client_id: "?*" } }];
    const file = { applinks: { details: [{ appIDs, components }] } };
    app.get("/.well-known/apple-app-site-association", async (_request, reply) =>
      reply.type("application/json").send(JSON.stringify(file)),
    );
  }
  const packages = listOf(config.APP_LINKS_ANDROID).map((one) => one.split("="));
  if (packages.length > 0) {
    const file = packages.map(([name, fingerprint]) => ({
      relation: ["delegate_permission/common.handle_all_urls"],
      target: {
        namespace: "android_app",
        package_name: name,
        sha256_cert_fingerprints: [fingerprint],
      },
    }));
    app.get("/.well-known/assetlinks.json", async () => file);
  }
}
