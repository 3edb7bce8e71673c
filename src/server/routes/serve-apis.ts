import type { FastifyInstance } from "fastify";
import { accessRow } from "#src/auth/access-row.ts";
import { createClientKeys, type RefreshKeys } from "#src/clients/client-keys.ts";
import { prepareAccess } from "#src/http/access/access.ts";
import { createUploadQuota } from "#src/http/body/upload-quota.ts";
import { credentialsOf } from "#src/http/connection/listeners.ts";
import { arrivedOverMtls, certificateSubjectOf } from "#src/http/connection/peers.ts";
import { refuseHostileText } from "#src/http/hostile-text.ts";
import type { HttpKit } from "#src/http/kit.ts";
import type { Operation } from "#src/http/operation.ts";
import { createRateLimiter } from "#src/http/refusal/rate-limit.ts";
import { registerOperations } from "#src/http/register-operations.ts";
import { createMessageSigner } from "#src/http/signature/message-signer.ts";
import type { Clock } from "#src/lib/clock.ts";
import { type MessageSigning, trustAnchorsOf } from "#src/server/opening/message-signing.ts";

/** The parts of the kit that differ between banks. */
export type ApiOptions = Pick<
  HttpKit,
  | "database"
  | "clock"
  | "publicUrl"
  | "mtlsUrl"
  | "profile"
  | "passedNote"
  | "metrics"
  | "record"
  | "admission"
  | "bodyLimit"
  | "spoolFolder"
> & {
  /** The machine's clock: TPPs compare the dates of signatures with their own clocks. */
  machineClock: Clock;
  signing: MessageSigning;
  /** Requests per second of each client and group; 0 means unlimited. */
  requestsPerSecond: number;
  /** Bytes that each client may have in progress in uploads. */
  uploadQuotaBytes: number;
  /** Reads a client's keys again if a signature names an unknown one. */
  refreshKeys?: RefreshKeys;
};

/**
 * Assembles the kit and serves operations on it, in the same way for the server and for tests.
 * Returns the kit.
 */
export function serveApis(
  app: FastifyInstance,
  operations: readonly Operation[],
  { machineClock, signing, requestsPerSecond, uploadQuotaBytes, refreshKeys, ...given }: ApiOptions,
): HttpKit {
  const { trustAnchor } = signing;
  const isSandbox = given.profile === "sandbox";
  const kit: HttpKit = {
    ...given,
    arrivedOverMtls,
    // only a sandbox accepts unbound tokens, which it knows by the caller's address
    credentialsOf: isSandbox
      ? credentialsOf
      : (request) => ({ ...credentialsOf(request), loopback: false }),
    certificateSubjectOf,
    signer: createMessageSigner({ ...signing, clock: machineClock }),
    loadAccess: prepareAccess(accessRow),
    loadClientKeys: createClientKeys({
      database: given.database,
      clock: machineClock,
      ...(refreshKeys ? { refreshKeys } : {}),
    }),
    trustAnchors: trustAnchorsOf(trustAnchor, given.profile),
    rateLimiter: createRateLimiter(requestsPerSecond),
    uploads: createUploadQuota(uploadQuotaBytes),
  };
  refuseHostileText(app);
  registerOperations(app, operations, kit);
  return kit;
}
