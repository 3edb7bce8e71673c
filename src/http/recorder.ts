import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Access } from "#src/http/access/access.ts";
import type { ArrivedRequest, Operation, OperationReply, ReceivedParts } from "./operation.ts";

/** An answered request to an API, before the answer is sent. */
export type AnsweredRequest = {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Null if no operation serves the request. */
  operation: Operation | null;
  interactionId: string;
  status: number;
  milliseconds: number;
  /** When the request arrived, as `performance.now()` counts. */
  startedAt: number;
  /** What the checks have read; null if the request was refused before them. */
  input: (ArrivedRequest & ReceivedParts) | null;
  /** Null if the token was refused, or not read. */
  access: Access | null;
  answer: Pick<OperationReply, "body" | "isReplay"> | null;
  /** The bytes of the answer; undefined without a body. */
  payload: Buffer | Readable | undefined;
  /** Why the request was refused; null if it was not. */
  error: unknown;
  /** When it was refused, as `startedAt`; null if it was not refused. */
  refusedAt: number | null;
};

/**
 * Is shown every answered request to an API. It returns immediately and never throws, because a
 * caller waits.
 */
export type Recorder = (answered: AnsweredRequest) => void;
