import { createPrivateKey } from "node:crypto";
import type { Config } from "#src/config/config.ts";
import type { Keys } from "./keys.ts";
import type { Parts } from "./parts.ts";
import { type ApiOptions, serveApis } from "./serve-apis.ts";

/** The bank's key for messages, and how its signatures name the bank. */
export const signingOf = (config: Config, { signing }: Keys): ApiOptions["signing"] => ({
  key: createPrivateKey(signing.privateKeyPem),
  kid: signing.kid,
  organisationId: config.ORGANISATION_ID,
  trustAnchor: config.TRUST_ANCHOR,
});

/** Serves the Open Banking APIs. */
export function registerApis(parts: Parts): void {
  const { app, config, keys } = parts;
  serveApis(app, parts.operations, {
    database: parts.database,
    clock: parts.clock,
    machineClock: parts.machineClock,
    refreshKeys: parts.registration.keys.refresh,
    publicUrl: parts.publicUrl,
    mtlsUrl: parts.mtlsUrl,
    profile: config.ALDGATE_PROFILE,
    signing: signingOf(config, keys),
    rateLimit: { perSecond: config.RATE_LIMIT_PER_SECOND, headers: config.RATE_LIMIT_HEADERS },
    metrics: parts.metrics,
    bodyLimit: config.BODY_LIMIT_BYTES,
    uploadQuotaBytes: Math.max(config.UPLOAD_QUOTA_BYTES, config.FILE_LIMIT_BYTES),
    spoolFolder: config.SPOOL_FOLDER,
  });
}
