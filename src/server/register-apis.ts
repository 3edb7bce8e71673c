import { createPrivateKey } from "node:crypto";
import { accessRow } from "#src/auth/access-row.ts";
import { createClientKeys } from "#src/auth/client-keys.ts";
import { prepareAccess } from "#src/http/access-row.ts";
import { arrivedOverMtls, certificateSubjectOf, credentialsOf } from "#src/http/listeners.ts";
import { createMessageSigner } from "#src/http/message-signer.ts";
import { createRateLimiter } from "#src/http/rate-limit.ts";
import { registerOperations } from "#src/http/register-operations.ts";
import { createUploadQuota } from "#src/http/upload-quota.ts";
import type { Parts } from "./parts.ts";

// TPPs that come from the trust anchor's own sandbox sign under its test name.
const testAnchor = "openbankingtest.org.uk";

/** Serves the Open Banking APIs. */
export function registerApis(parts: Parts): void {
  const { app, config, database, clock, keys, metrics, machineClock, sandbox } = parts;
  registerOperations(app, parts.operations, {
    database,
    clock,
    publicUrl: parts.publicUrl,
    mtlsUrl: parts.mtlsUrl,
    arrivedOverMtls,
    // only a sandbox accepts unbound tokens, which it knows by the caller's address
    credentialsOf: sandbox ? credentialsOf : (raw) => ({ ...credentialsOf(raw), loopback: false }),
    profile: sandbox ? "sandbox" : "production",
    certificateSubjectOf,
    signer: createMessageSigner({
      key: createPrivateKey(keys.signing.privateKeyPem),
      kid: keys.signing.kid,
      organisationId: config.ORGANISATION_ID,
      trustAnchor: config.TRUST_ANCHOR,
      clock: machineClock,
    }),
    loadAccess: prepareAccess(accessRow),
    loadClientKeys: createClientKeys(database),
    trustAnchors: sandbox ? [config.TRUST_ANCHOR, testAnchor] : [config.TRUST_ANCHOR],
    rateLimiter: createRateLimiter({
      perSecond: config.RATE_LIMIT_PER_SECOND,
      headers: config.RATE_LIMIT_HEADERS,
    }),
    metrics,
    bodyLimit: config.BODY_LIMIT_BYTES,
    uploads: createUploadQuota(Math.max(config.UPLOAD_QUOTA_BYTES, config.FILE_LIMIT_BYTES)),
    spoolFolder: config.SPOOL_FOLDER,
  });
}
