import { passedNote } from "#src/auth/provider/clock-note.ts";
import type { Admission } from "#src/http/access/admission.ts";
import { bodyLimitBytes } from "#src/http/receive-body.ts";
import { recordApis } from "#src/request-log/record-api.ts";
import { signingOf } from "#src/server/opening/message-signing.ts";
import type { Parts } from "#src/server/parts.ts";
import { serveApis } from "./serve-apis.ts";

// The routes of the bank. list-operations.ts collects the operations of every API. This file serves
// them, and serve-apis.ts adds what all APIs share, such as signatures. register-auth.ts serves the
// authorization server, the journey and the bank's own pages. register-pages.ts serves the home
// page and the API reference, whose samples are in reference-samples.ts. route-list.ts prints the
// operations and their checks.

// the files of full size that one TPP may be uploading to a process
const uploadsAtOnce = 2;

/** Serves the Open Banking APIs. */
export function registerApis(parts: Parts, admission: Admission): void {
  const { app, config, keyRing, sandbox } = parts;
  serveApis(app, parts.operations, {
    database: parts.database,
    clock: parts.clock,
    machineClock: parts.machineClock,
    refreshKeys: parts.registration.keys.refresh,
    publicUrl: parts.publicUrl,
    mtlsUrl: parts.mtlsUrl,
    profile: config.ALDGATE_PROFILE,
    passedNote: sandbox ? (end) => passedNote({ sandboxHints: sandbox.hints }, end) : undefined,
    signing: signingOf(config, keyRing),
    requestsPerSecond: config.RATE_LIMIT_PER_SECOND,
    metrics: parts.metrics,
    record: parts.requestLog ? recordApis(parts.requestLog, parts.operations) : undefined,
    admission,
    bodyLimit: bodyLimitBytes,
    uploadQuotaBytes: uploadsAtOnce * config.FILE_LIMIT_BYTES,
    spoolFolder: config.SPOOL_FOLDER,
  });
}
