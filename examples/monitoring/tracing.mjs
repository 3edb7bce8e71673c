// An OpenTelemetry SDK for TRACING_MODULE (docs/tracing.md). Install its packages beside this file:
//   npm install @opentelemetry/sdk-trace-node@2.12 @opentelemetry/exporter-trace-otlp-http@0.223
// OTEL_EXPORTER_OTLP_ENDPOINT says where the collector is; http://localhost:4318 by default.
// OTEL_TRACES_SAMPLER_ARG is the share of requests that are recorded, from 0 to 1.
import { hostname } from "node:os";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";

// one request in ten
const share = Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? 0.1);
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "aldgate", "host.name": hostname() }),
  sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

/** Sends what has been recorded. The bank calls this when it has closed everything else. */
export const close = () => provider.shutdown();
