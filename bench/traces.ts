import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { present } from "#src/lib/assert.ts";
import { compareWays } from "./lib/in-ways.ts";
import { show } from "./lib/report.ts";

// What traces cost: the CPU time of a page and of an order without an SDK, and with the one of the
// examples when it records one request in a hundred and every request. It sends the spans to a
// collector in this process, whose time is not measured. Its packages are installed as
// docs/tracing.md says, so this needs npm's registry.

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Installs the SDK of the examples in a folder, with the page's own command. */
function installSdk(folder: string): string {
  const page = readFileSync(fileOf("../docs/tracing.md"), "utf8");
  const command = present(/^ *npm (install @opentelemetry.*)$/m.exec(page)?.[1], "the command");
  execFileSync("npm", [...command.split(" "), "--prefix", folder, "--no-audit", "--no-fund"]);
  const module = join(folder, "tracing.mjs");
  copyFileSync(fileOf("../examples/monitoring/tracing.mjs"), module);
  return module;
}

// the SDK's own default is five seconds
const batchMilliseconds = 1000;
let spans = 0;
const collector = createServer(async (request, response) => {
  spans += (await text(request)).split('"spanId"').length - 1;
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
});
await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
const folder = mkdtempSync(join(tmpdir(), "aldgate-bench-tracing-"));
try {
  const module = installSdk(folder);
  const { port } = collector.address() as AddressInfo;
  const recording = (share: string): Record<string, string> => ({
    TRACING_MODULE: module,
    OTEL_TRACES_SAMPLER_ARG: share,
    OTEL_BSP_SCHEDULE_DELAY: String(batchMilliseconds),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  await compareWays({
    title: "Traces",
    ways: {
      "no traces": {},
      "1 % recorded": recording("0.01"),
      "all recorded": recording("1"),
    },
    lingerMilliseconds: batchMilliseconds + 300,
  });
  // without any, the figures would say nothing
  if (spans === 0) throw new Error("the collector got no spans");
  show("the collector got", `${spans} spans`);
} finally {
  collector.closeAllConnections();
  collector.close();
  rmSync(folder, { recursive: true, force: true });
}
