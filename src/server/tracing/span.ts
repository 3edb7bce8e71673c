import { type Attributes, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";

/**
 * What makes the bank's spans. It is looked up each time, because the bank's SDK has its own copy
 * of the interface, and registers itself after ours has been loaded.
 */
export const tracer = (): Tracer => trace.getTracer("aldgate");

/**
 * Does work in a span for a call that the bank makes. If the work fails, the span has the name of
 * the error, and not its message, which may contain data of a customer.
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracer().startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
