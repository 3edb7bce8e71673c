import type { KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { DistinguishedName } from "#src/certificates/distinguished-name.ts";
import type { Admission } from "#src/http/access/admission.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import type { Metrics } from "#src/http/connection/observe.ts";
import type { MessageSigner } from "#src/http/signature/message-signer.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { UploadQuota } from "./body/upload-quota.ts";
import type { Recorder } from "./recorder.ts";
import type { RateLimiter } from "./refusal/rate-limit.ts";
import type { Profile } from "./refusal/refusals.ts";

/** A client's public signature keys by their `kid`. */
export type ClientKeys = ReadonlyMap<string, KeyObject>;

/** The dependencies that every operation of the kit shares. */
export type HttpKit = {
  database: Database;
  /** The bank's clock: tokens, consents and rate limits follow it. */
  clock: Clock;
  /** Base URL of the browsers' listener, without a slash at its end; read at each request. */
  publicUrl: string;
  /** Base URL of the mutual TLS listener, without a slash at its end; read at each request. */
  mtlsUrl: string;
  /** Whether a request came in over the mutual TLS listener: which base its links have. */
  arrivedOverMtls(request: IncomingMessage): boolean;
  credentialsOf(request: IncomingMessage): Credentials;
  /** Subject DN (RFC 4514 or Node's lines) of the trusted client certificate, or null. */
  certificateSubjectOf(request: IncomingMessage): DistinguishedName | null;
  signer: MessageSigner;
  /** The statement that reads the row of a token. */
  loadAccess(credentials: Pick<Credentials, "tokenHash">): Sql;
  /**
   * The key set of a client at a version; cached by the implementation, which may look for the key
   * `kid` elsewhere if the set lacks it.
   */
  loadClientKeys(clientId: string, jwksVersion: number, kid: string): Promise<ClientKeys>;
  /** DNS names accepted as `tan` of the TPPs' signatures. */
  trustAnchors: readonly string[];
  /** Decides how many details the refusal of a token gives. */
  profile: Profile;
  /** Says that the clock of a sandbox was set forward past the end of a token, or nothing. */
  passedNote?: ((end: Temporal.Instant) => string) | undefined;
  rateLimiter: RateLimiter;
  /** Limits callers before their token is read; no limit by default. */
  admission?: Admission | undefined;
  metrics: Metrics;
  /** Keeps the log of requests; none by default. */
  record?: Recorder | undefined;
  /** Largest request body in bytes. */
  bodyLimit: number;
  /** Limits each client's uploads in progress; no limit by default. */
  uploads?: UploadQuota;
  /** Where files wait until they are checked; the system's temporary folder by default. */
  spoolFolder?: string | undefined;
};
