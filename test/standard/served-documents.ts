import { bankOpenApi, documentId } from "#src/connector/document.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { channelsOpenApi, sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";

/** The documents of the bank's own interfaces, which are not for TPPs. */
export const ownInterfaces: readonly string[] = ["sandbox-v1", "channels-v1", documentId];

/** Every OpenAPI document that a sandbox serves, by its name. */
export function servedDocuments(): Map<string, object> {
  const operations = listOperations(paymentKinds);
  const servers = ["https://bank.example:8443", "https://bank.example"];
  const apis = [...new Set(operations.map(({ api }) => api))].map((api): [string, object] => [
    api.id,
    openApiDocument(api, operations, servers),
  ]);
  const [mtlsUrl = "", publicUrl = ""] = servers;
  const sandbox = { publicUrl, mtlsUrl, opensWorlds: true };
  return new Map([
    ...apis,
    ["sandbox-v1", sandboxOpenApi(sandbox)],
    ["channels-v1", channelsOpenApi("http://127.0.0.1:9080")],
    [documentId, bankOpenApi()],
  ]);
}
