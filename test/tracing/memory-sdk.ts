// What a bank names in TRACING_MODULE: an OpenTelemetry SDK, which keeps the spans in memory.
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SamplingDecision,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";

/** The spans that have ended. */
export const exporter = new InMemorySpanExporter();

/** How often the bank has closed the SDK. */
export const closings = { count: 0 };

/** Whether spans are recorded, and the names of those about which the SDK was asked. */
export const sampling = { records: true, asked: [] as string[] };

const sampler = {
  shouldSample(_context: unknown, _traceId: string, name: string) {
    sampling.asked.push(name);
    const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision;
    return { decision: sampling.records ? RECORD_AND_SAMPLED : NOT_RECORD };
  },
  toString: () => "as a test says",
};
const spanProcessors = [new SimpleSpanProcessor(exporter)];
new NodeTracerProvider({ sampler, spanProcessors }).register();

export const close = async (): Promise<void> => void closings.count++;
