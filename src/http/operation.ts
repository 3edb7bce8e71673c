import type { TSchema } from "typebox";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { Access, AccessRow } from "./access/access-row.ts";
import type { ListedRefusals } from "./api-error.ts";
import type { IncomingFile } from "./body/incoming-file.ts";
import type { CertificateFault } from "./connection/client-certificate.ts";

/** What a handler is given. */
export type OperationRequest = {
  /** Who calls: null only with `access: "inline"`, where the statement checks. */
  access: Access | null;
  /** The row that told who calls: with what else the operation's `load` has in it. */
  loaded: AccessRow | null;
  /** SHA-256 of the bearer token, and of the client certificate when there is one. */
  credentials: Credentials;
  params: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  headers: Record<string, string | string[] | undefined>;
  /** The exact bytes received; empty for GET and DELETE. */
  rawBody: Buffer;
  /** The parsed JSON body; undefined for GET and DELETE. Not yet checked by a schema. */
  body: unknown;
  /** The body of an operation with `upload`; null for the others. */
  file: IncomingFile | null;
  interactionId: string;
  /** Present for operations with `idempotent: true`; its form has been checked. */
  idempotencyKey: string | null;
  /** Public base of the API that was called, without a slash at its end, for Links. */
  baseUrl: string;
  /** The URL that was requested, absolute, with its query. */
  selfUrl: string;
  now: Temporal.Instant;
  /**
   * Admits the caller whose token row came with the data: runs the version's steps from the token
   * on. What a handler with `access: "inline"` calls first; the kit has done it for the others.
   * Throws ApiError for the first check that fails.
   */
  admit(row: AccessRow | undefined): Access;
};

/** What a request proves who calls with. */
export type Credentials = {
  /** SHA-256 (base64url) of the bearer value; null when there is no usable Authorization header. */
  tokenHash: string | null;
  /** RFC 8705 x5t#S256 of the presented client certificate, if it can be relied on. */
  certificateThumbprint: string | null;
  /** Why there is no thumbprint; null if there is one. */
  certificateFault: CertificateFault | null;
  /** Whether the caller's address is loopback: where unbound sandbox tokens are accepted. */
  loopback: boolean;
};

/** What a handler returns; a string body is sent as it is (already JSON). */
export type OperationReply = {
  status: number;
  body: object | string | OutgoingFile | null;
  headers?: Record<string, string>;
};

/**
 * A body that is made while it is read: all of it is made, and signed, before any of it is sent, so
 * that a slow reader holds nothing up.
 */
export class OutgoingFile {
  /** Sent as it is, parameters and all. */
  readonly contentType: string;
  readonly chunks: AsyncIterable<Uint8Array>;

  constructor(contentType: string, chunks: AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.chunks = chunks;
  }
}

/** A request's body that is taken in piece by piece, whatever it is. */
export type Upload = {
  /** Media types without parameters, in lower case; all else is 415. */
  contentTypes: readonly string[];
  /** What is larger is 413. */
  limitBytes: number;
};

/** One operation of an API: data that routes, checks and OpenAPI pages are compiled from. */
export type Operation = {
  /** The version of the API that it belongs to. */
  api: ApiVersion;
  operationId: string;
  summary: string;
  /** What a caller must know beyond the schemas, for the OpenAPI page; `code` in back quotes. */
  description?: string;
  /** OpenAPI tag, e.g. `Domestic Payments`. */
  tag: string;
  method: "GET" | "POST" | "DELETE";
  /** Below the API's base path, Fastify style: `/accounts/:AccountId/balances`. */
  path: string;
  grant: "client_credentials" | "authorization_code";
  /**
   * `inline`: the handler's own statement reads the token in the same round trip as the data, and
   * the handler first calls the request's `admit` with the row. Not for request bodies.
   */
  access: "loaded" | "inline";
  /**
   * With `access: "loaded"`, a read in place of that of the access alone: it has the column
   * `access`, and what else the handler will want. Asked before anything of the request is checked.
   */
  load?: (request: Pick<OperationRequest, "credentials" | "headers" | "now">) => Sql;
  /** Request bodies (if it takes any) must be signed, and response bodies are, errors too. */
  signed: boolean;
  /** An idempotency key is wanted. */
  idempotent: boolean;
  request: TSchema | null;
  /** The body is a file, which the handler reads as it comes; `request` only documents it. */
  upload?: Upload;
  /** Query parameters for the OpenAPI page: name to description and schema. */
  query?: Record<string, { description: string; schema: TSchema }>;
  success: {
    status: number;
    schema: TSchema | null;
    /** Media types that an `OutgoingFile` may have, for Accept; JSON by default. */
    contentTypes?: readonly string[];
  };
  /** Every refusal that the handler may give, beyond those of the kit: codes by status. */
  refusals: ListedRefusals;
  /** The checks that the handler makes after the kit's, by name and in order, for lists. */
  steps?: readonly string[];
  handle(request: OperationRequest): Promise<OperationReply>;
};
