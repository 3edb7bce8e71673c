import type { BankAbout } from "#src/bank/parts.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Operation } from "#src/http/operation.ts";
import type { ApiDocument, ListedDocument } from "#src/pages/portal/api-document.ts";
import { sandboxOpenApi } from "#src/sandbox/controls/interface-document.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";
import { referenceSamples } from "#src/server/examples/reference-samples.ts";
import { errorsOf } from "./operation-errors.ts";
import { statusesIn } from "./resource-statuses.ts";

/** A document of the portal. It is made when it is first used. */
export type PortalDocument = Pick<ListedDocument, "id" | "url" | "errorsOf" | "statusesOf"> & {
  make(): ApiDocument;
};

/** What the documents are made of. */
type DocumentParts = {
  publicUrl: string;
  mtlsUrl: string;
  operations: readonly Operation[];
  kinds: readonly OfferedKind[];
  /** Whether the sandbox's own interface is documented too. */
  isSandbox: boolean;
  /** The worlds that the bank opens; null or absent if it opens none. */
  worlds?: object | null;
};

/** Where a document is served. */
export const documentUrl = (id: string): string => `/openapi/${id}.json`;

/** The OpenAPI documents of a bank. */
export function listDocuments(parts: DocumentParts): PortalDocument[] {
  const { publicUrl, mtlsUrl, operations, kinds, isSandbox, worlds = null } = parts;
  const servers = isSandbox ? [mtlsUrl, publicUrl] : [mtlsUrl];
  const apis = [...new Set(operations.map(({ api }) => api))];
  const documents: PortalDocument[] = apis.map((api) => {
    const rows = operations.filter((operation) => operation.api === api);
    const byId = new Map(rows.map((row) => [row.operationId, row]));
    const statuses = once(() => statusesIn(api, kinds));
    return {
      id: api.id,
      url: documentUrl(api.id),
      // the portal reads of our own document what its type says
      make: once(() => openApiDocument(api, rows, servers) as ApiDocument),
      errorsOf(operationId) {
        const row = byId.get(operationId);
        return row ? errorsOf(row) : [];
      },
      statusesOf: (operationId) => statuses().get(operationId) ?? [],
    };
  });
  if (!isSandbox) return documents;
  const addresses = { publicUrl, mtlsUrl, opensWorlds: worlds !== null };
  const make = once(() => sandboxOpenApi(addresses) as ApiDocument);
  const id = "sandbox-v1";
  return [
    ...documents,
    { id, url: documentUrl(id), make, errorsOf: () => [], statusesOf: () => [] },
  ];
}

/** The documents with the bodies to start from, whose dates are after `today`. */
export function withSamples(
  documents: readonly PortalDocument[],
  kinds: readonly OfferedKind[],
  today: Temporal.PlainDate,
  bank: { about?: BankAbout } = {},
): ListedDocument[] {
  const samples = referenceSamples(kinds, today, bank);
  return documents.map(({ make, ...rest }) => ({
    ...rest,
    document: make(),
    samples: samples[rest.id] ?? {},
  }));
}

/** Returns a function that makes something at its first call, and returns it at each call. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
