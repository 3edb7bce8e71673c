import { securityProfiles } from "#src/clients/security-profile.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { ApiDocument } from "#src/pages/portal/api-document.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import { errorsOf } from "#src/server/portal/operation-errors.ts";
import { portalPages } from "#src/server/portal/portal-pages.ts";
import { createPortal, type Portal } from "#src/server/portal/register-portal.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { referenceSamples } from "#src/server/routes/reference-samples.ts";
import { sampleDay } from "./samples.ts";

/** Every operation of a bank with the published kinds. */
export const operations = listOperations(paymentKinds);

const versions = [...new Set(operations.map(({ api }) => api))];
const publicUrl = "http://localhost:8080";
const mtlsUrl = "https://localhost:8443";

/** The portal of a sandbox, made of the bank's own rows without opening a bank. */
export function samplePortal(): Portal {
  const samples = referenceSamples(paymentKinds, sampleDay);
  const documents = versions.map((api) => ({
    id: api.id as string,
    url: `/openapi/${api.id}.json`,
    document: openApiDocument(api, operations, [mtlsUrl, publicUrl]) as ApiDocument,
    samples: samples[api.id] ?? {},
    errorsOf(operationId: string) {
      const row = operations.find((one) => one.api === api && one.operationId === operationId);
      return row ? errorsOf(row) : [];
    },
  }));
  const pages = portalPages({
    bankName: "Aldgate Bank",
    versions,
    documents: [
      ...documents,
      {
        id: "sandbox-v1",
        url: "/openapi/sandbox-v1.json",
        document: sandboxOpenApi(publicUrl) as ApiDocument,
        samples: {},
        errorsOf: () => [],
      },
    ],
    caller: { publicUrl, mtlsUrl, profiles: securityProfiles },
  });
  return createPortal({ bankName: "Aldgate Bank", pages, profiles: securityProfiles });
}
