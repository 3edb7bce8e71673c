import type { TSchema } from "typebox";
import type { Access, AccessRow } from "#src/http/access/access.ts";
import type { Credentials } from "#src/http/connection/credentials.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import type { Sql } from "#src/storage/sql.ts";
import type { ListedRefusals } from "./api-error.ts";

/** A request whose caller is not known yet. */
export type ArrivedRequest = {
  /** SHA-256 of the bearer token, and of the client certificate when there is one. */
  credentials: Credentials;
  params: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  headers: Record<string, string | string[] | undefined>;
  interactionId: string;
  /** Public base URL of the called API, without a trailing slash, for Links. */
  baseUrl: string;
  /** The URL that was requested, absolute, with its query. */
  selfUrl: string;
  now: Temporal.Instant;
  /** When each check was passed so far, in their order, as `performance.now()` counts. */
  passed: number[];
};

/** What a request brings besides its address, once its steps have passed. */
export type ReceivedParts = {
  /** The parsed JSON body, not yet validated; undefined for GET and DELETE. */
  body: unknown;
  /** The bytes that `body` was parsed from; null without a body, and for a file. */
  bytes: Buffer | null;
  /** The body of an operation with `upload`; null for the others. */
  file: IncomingFile | null;
  /** Present for operations with `idempotent: true`; its form has been checked. */
  idempotencyKey: string | null;
};

/**
 * The input of a handler: a request that has passed its version's steps, with its caller, and with
 * what the operation's `load` reads.
 */
export type OperationRequest<Loaded = unknown> = ArrivedRequest &
  ReceivedParts & { access: Access; loaded: Loaded };

/**
 * A read in place of the plain read of the token's row: data that comes in the same round trip as
 * the caller. It runs before anything of the request is checked.
 */
type Load<Row, Loaded> = {
  /** Has the column `access` and the others of `Row`. */
  statement: Sql;
  /** Reads the row for the handler, once the caller is admitted. */
  read: (row: Row) => Loaded;
};

/** The output of a handler. A string body is JSON already and is sent as it is. */
export type OperationReply = {
  status: number;
  body: object | string | OutgoingFile | null;
  headers?: Record<string, string>;
  /** Whether it repeats the answer to an earlier request with the same idempotency key. */
  isReplay?: boolean;
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

/** A request's complete body whose signature is valid. Operations with `upload` receive it. */
export type IncomingFile = {
  /** As it was sent, with its parameters. */
  contentType: string;
  /** SHA-256 of the bytes, base64url. */
  sha256: string;
  /** The bytes, once. */
  chunks(): AsyncIterable<Buffer>;
  /** Releases disk and quota, whether or not the bytes were read. */
  discard(): Promise<void>;
};

/** A request body that is received piece by piece, whatever its format. */
type Upload = {
  /** Media types without parameters, in lower case. Any other type gets 415. */
  contentTypes: readonly string[];
  /** A larger body gets 413. */
  limitBytes: number;
};

/**
 * One operation of an API: data that routes, checks and OpenAPI pages are compiled from. An
 * operation that states a `load` is made with `defineOperation`.
 */
export type Operation<Row = AccessRow, Loaded = unknown> = {
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
  load?: (request: ArrivedRequest) => Load<Row, Loaded>;
  /** Whether a standby of the database may run `load`'s statement. */
  readsOnStandby?: boolean;
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
  handle: (request: OperationRequest<NoInfer<Loaded>>) => Promise<OperationReply>;
};

/** Makes an operation whose handler gets what its `load` reads. */
export function defineOperation<Row, Loaded>(operation: Operation<Row, Loaded>): Operation {
  // safe: `read` gets only rows of its own `statement`, and `handle` only what `read` returns
  return operation as Operation<AccessRow, unknown> as Operation;
}
