import type { TSchema } from "typebox";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { Access, AccessRow } from "./access/access-row.ts";
import type { ListedRefusals } from "./api-error.ts";
import type { IncomingFile } from "./body/incoming-file.ts";
import type { CertificateFault } from "./connection/client-certificate.ts";

/** The input of a handler. */
export type OperationRequest = {
  /**
   * The caller. Null only with `access: "inline"`, where the handler's statement checks the token.
   */
  access: Access | null;
  /** The row of the caller, with the further columns of the operation's `load`. */
  loaded: AccessRow | null;
  /** SHA-256 of the bearer token, and of the client certificate when there is one. */
  credentials: Credentials;
  params: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  headers: Record<string, string | string[] | undefined>;
  /** The exact bytes received; empty for GET and DELETE. */
  rawBody: Buffer;
  /** The parsed JSON body, not yet validated; undefined for GET and DELETE. */
  body: unknown;
  /** The body of an operation with `upload`; null for the others. */
  file: IncomingFile | null;
  interactionId: string;
  /** Present for operations with `idempotent: true`; its form has been checked. */
  idempotencyKey: string | null;
  /** Public base URL of the called API, without a trailing slash, for Links. */
  baseUrl: string;
  /** The URL that was requested, absolute, with its query. */
  selfUrl: string;
  now: Temporal.Instant;
  /**
   * Checks the caller whose token row came with the data: runs the version's steps from the token
   * on. A handler with `access: "inline"` calls it first; for other handlers, the kit has called
   * it. Throws ApiError for the first check that fails.
   */
  admit(row: AccessRow | undefined): Access;
};

/** The credentials of a request. */
export type Credentials = {
  /** SHA-256 (base64url) of the bearer token; null without a usable Authorization header. */
  tokenHash: string | null;
  /** RFC 8705 x5t#S256 of the client certificate; null unless it is valid. */
  certificateThumbprint: string | null;
  /** Why there is no thumbprint; null if there is one. */
  certificateFault: CertificateFault | null;
  /** Whether the caller's address is loopback: where unbound sandbox tokens are accepted. */
  loopback: boolean;
};

/** The output of a handler. A string body is JSON already and is sent as it is. */
export type OperationReply = {
  status: number;
  body: object | string | OutgoingFile | null;
  headers?: Record<string, string>;
};

/**
 * A body that is produced while it is read. It is produced and signed completely before it is sent,
 * so that a slow reader does not hold resources.
 */
export class OutgoingFile {
  /** Sent as it is, with its parameters. */
  readonly contentType: string;
  readonly chunks: AsyncIterable<Uint8Array>;

  constructor(contentType: string, chunks: AsyncIterable<Uint8Array>) {
    this.contentType = contentType;
    this.chunks = chunks;
  }
}

/** A request body that is received piece by piece, whatever its format. */
export type Upload = {
  /** Media types without parameters, in lower case. Any other type gets 415. */
  contentTypes: readonly string[];
  /** A larger body gets 413. */
  limitBytes: number;
};

/** One operation of an API: data that routes, checks and OpenAPI pages are compiled from. */
export type Operation = {
  /** The version of the API that it belongs to. */
  api: ApiVersion;
  operationId: string;
  summary: string;
  /**
   * Notes for callers that the schemas do not express, for the OpenAPI page; `code` in back quotes.
   */
  description?: string;
  /** OpenAPI tag, e.g. `Domestic Payments`. */
  tag: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the API's base path, Fastify style: `/accounts/:AccountId/balances`. */
  path: string;
  grant: "client_credentials" | "authorization_code";
  /**
   * `inline`: the handler's own statement reads the token in the same round trip as the data, and
   * the handler first calls the request's `admit` with the row. Not for request bodies.
   */
  access: "loaded" | "inline";
  /**
   * With `access: "loaded"`: a read in place of the plain read of the token row. It has the column
   * `access`, and the columns that the handler needs. It runs before anything of the request is
   * checked.
   */
  load?: (request: Pick<OperationRequest, "credentials" | "headers" | "now">) => Sql;
  /**
   * Whether request bodies must be signed and response bodies, including errors, are signed. With
   * `if sent`, a signature is verified if the request has one, and then the response is signed.
   */
  signed: boolean | "if sent";
  /** Whether requests need an idempotency key. */
  idempotent: boolean;
  request: TSchema | null;
  /** The body is a file, which the handler reads as it arrives; `request` only documents it. */
  upload?: Upload;
  /** Query parameters for the OpenAPI page: name to description and schema. */
  query?: Record<string, { description: string; schema: TSchema }>;
  /** Optional request headers besides those of every operation, for the OpenAPI page. */
  headers?: Record<string, { description: string; schema: TSchema }>;
  success: {
    status: number;
    schema: TSchema | null;
    /** Media types that an `OutgoingFile` may have, for Accept; JSON by default. */
    contentTypes?: readonly string[];
  };
  /** The handler's refusals, besides the kit's: codes by status. */
  refusals: ListedRefusals;
  /** The checks that the handler makes after the kit's, by name and in order, for lists. */
  steps?: readonly string[];
  handle(request: OperationRequest): Promise<OperationReply>;
};
