import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RequestLog } from "#src/request-log/request-log.ts";
import { checksOf, type Served } from "#src/request-log/shown-request.ts";
import { tracer } from "./span.ts";

type Begun = { span: Span; within: Context };

/**
 * Makes a span for each request. It always begins a trace: the trace of a caller outside the bank
 * would let the caller choose what is recorded.
 */
export function traceRequests(app: FastifyInstance): void {
  const begun = new WeakMap<FastifyRequest, Begun>();
  // without promises, because the hooks run for every request
  app.addHook("onRequest", (request, _reply, done) => {
    const route = request.routeOptions.url;
    const span = tracer().startSpan(
      `${request.method} ${route ?? "unknown path"}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          "http.request.method": request.method,
          ...(route === undefined ? {} : { "http.route": route }),
        },
      },
      ROOT_CONTEXT,
    );
    const within = trace.setSpan(ROOT_CONTEXT, span);
    begun.set(request, { span, within });
    context.with(within, done);
  });
  // the bytes of a body come from the connection, which is in no request's context
  app.addHook("preHandler", (request, _reply, done) => {
    context.with(begun.get(request)?.within ?? ROOT_CONTEXT, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { span, within } = begun.get(request) ?? {};
    if (!span || !within) return done();
    span.setAttribute("http.response.status_code", reply.raw.statusCode);
    if (reply.raw.statusCode >= 500) {
      span.setAttribute("error.type", String(reply.raw.statusCode));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    // the hooks that follow log the request
    context.with(within, done);
    span.end();
  });
}

/**
 * Adds to the span of each request what its entry in the log says, with a span for each check. So
 * without a log, there are none.
 */
export const traceLog = (log: RequestLog, served: Served): RequestLog => ({
  ...log,
  add(waiting) {
    // what is written later belongs to no request
    context.with(ROOT_CONTEXT, () => log.add(waiting));
    const { entry } = waiting;
    const span = trace.getActiveSpan();
    if (!span?.isRecording()) return;
    span.setAttributes({
      "aldgate.interaction_id": entry.interactionId,
      ...(entry.clientId === null ? {} : { "aldgate.client_id": entry.clientId }),
      ...(entry.consentId === null ? {} : { "aldgate.consent_id": entry.consentId }),
      ...(entry.resourceId === null ? {} : { "aldgate.resource_id": entry.resourceId }),
      ...(entry.codes.length === 0 ? {} : { "aldgate.codes": [...entry.codes] }),
    });
    let at = entry.at - entry.milliseconds;
    for (const { name, result, milliseconds } of checksOf(entry, served)) {
      if (milliseconds === null) continue;
      const check = tracer().startSpan(`check ${name}`, { startTime: at });
      at += milliseconds;
      if (result === "refused") check.setStatus({ code: SpanStatusCode.ERROR });
      check.end(at);
    }
  },
});
