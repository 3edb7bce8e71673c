import type { FastifyInstance } from "fastify";
import type { Config } from "#src/config/config.ts";
import { listOf } from "#src/config/networks.ts";

/**
 * Serves the files by which phones learn that the bank's app may open authorization URLs. Source:
 * Apple, Supporting associated domains; Google, Digital Asset Links.
 */
export function registerAppLinks(app: FastifyInstance, config: Config): void {
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
