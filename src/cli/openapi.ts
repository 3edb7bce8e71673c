import { addressesOf, managementPortOf } from "#src/config/addresses.ts";
import { bankOpenApi, documentId } from "#src/connector/document.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Operation } from "#src/http/operation.ts";
import { channelsOpenApi, sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type Command, type Result, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions } from "./options.ts";

/** `./aldgate openapi <api>` */
export const command: Command = {
  name: "openapi",
  summary: "prints the OpenAPI document of an API",
  async usage(cli) {
    return `  ./aldgate openapi ${idsOf(listOperations(await cli.kinds())).join(" | ")}`;
  },
  json: { "": "the OpenAPI document, with or without --json" },
  next: [["routes", "lists the operations with the grants that they need"]],
  async run(cli) {
    const config = configOf(cli.environment);
    const { publicUrl, mtlsUrl } = addressesOf(config);
    const [wanted] = readOptions(cli.arguments, {}).rest;
    if (wanted === "sandbox-v1") {
      return documentResult(sandboxOpenApi({ publicUrl, mtlsUrl, opensWorlds: true }));
    }
    if (wanted === "channels-v1") {
      const url = `http://${config.MANAGEMENT_HOST}:${managementPortOf(config)}`;
      return documentResult(channelsOpenApi(url));
    }
    if (wanted === documentId) return documentResult(bankOpenApi());
    const all = listOperations(await cli.kinds());
    const operations = all.filter(({ api }) => api.id === wanted);
    const api = operations[0]?.api;
    if (!api) throw new UsageError(`There is no API "${wanted ?? ""}".`, idsOf(all));
    return documentResult(openApiDocument(api, operations, [mtlsUrl, publicUrl]));
  },
};

const documentResult = (document: object): Result => ({
  lines: [JSON.stringify(document, null, 2)],
  json: document,
});

const idsOf = (operations: readonly Operation[]): string[] => [
  ...new Set(operations.map(({ api }) => api.id)),
  "sandbox-v1",
  "channels-v1",
  documentId,
];
