import { addressesOf } from "#src/config/addresses.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import { sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";

/** `./aldgate openapi <api>` */
export const command: Command = {
  name: "openapi",
  summary: "prints the OpenAPI document of an API",
  async usage(cli) {
    const ids = new Set(listOperations(await cli.kinds()).map(({ api }) => api.id));
    return `  ./aldgate openapi ${[...ids, "sandbox-v1"].join(" | ")}`;
  },
  async run(cli) {
    const { publicUrl, mtlsUrl } = addressesOf(configOf(cli.environment));
    const wanted = cli.arguments[0];
    if (wanted === "sandbox-v1") {
      cli.print(JSON.stringify(sandboxOpenApi(publicUrl), null, 2));
      return 0;
    }
    const operations = listOperations(await cli.kinds()).filter(({ api }) => api.id === wanted);
    const api = operations[0]?.api;
    if (!api) throw new UsageError(`There is no API "${wanted ?? ""}".`);
    const document = openApiDocument(api, operations, [mtlsUrl, publicUrl]);
    cli.print(JSON.stringify(document, null, 2));
    return 0;
  },
};
