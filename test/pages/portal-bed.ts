import { securityProfiles } from "#src/clients/security-profile.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listDocuments, withSamples } from "#src/server/portal/documents.ts";
import { portalPages } from "#src/server/portal/portal-pages.ts";
import { createPortal, type Portal } from "#src/server/portal/register-portal.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { sampleDay } from "./samples.ts";

/** Every operation of a bank with the published kinds. */
export const operations = listOperations(paymentKinds);

const versions = [...new Set(operations.map(({ api }) => api))];
/** Not the default address, which the guides in docs/ have. */
export const publicUrl = "http://localhost:9090";
const mtlsUrl = "https://localhost:8443";

/** The portal of a sandbox, made of the bank's own rows without opening a bank. */
export function samplePortal(): Portal {
  const documents = listDocuments({
    publicUrl,
    mtlsUrl,
    operations,
    kinds: paymentKinds,
    isSandbox: true,
  });
  const pages = portalPages({
    bankName: "Aldgate Bank",
    versions,
    documents: withSamples(documents, paymentKinds, sampleDay),
    caller: { publicUrl, mtlsUrl, profiles: securityProfiles },
  });
  return createPortal({ bankName: "Aldgate Bank", pages, profiles: securityProfiles });
}
