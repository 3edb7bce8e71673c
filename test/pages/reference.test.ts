import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { accountOperations } from "#src/accounts/operations.ts";
import { accessRow } from "#src/auth/access-row.ts";
import { securityProfiles } from "#src/clients/security-profile.ts";
import { loadConfig } from "#src/config/config.ts";
import { kindNamed } from "#src/consents/stored-kind.ts";
import { openApiDocument } from "#src/http/openapi.ts";
import { referencePage } from "#src/pages/reference.ts";
import { paymentOperations } from "#src/payments/operations.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { referenceSamples } from "#src/server/routes/reference-samples.ts";
import { sampleDay } from "./samples.ts";

// only the rows are read and no handler runs, so the dependencies are not needed
const none = { config: loadConfig({}), bank: {}, accessRow, kinds: paymentKinds } as never;
const operations = [...paymentOperations(none), ...accountOperations(none)];

const versions = [...new Set(operations.map(({ api }) => api))];

/** Renders the reference of the bank's own documents. */
const reference = (): string =>
  referencePage({
    bankName: "Aldgate Bank",
    explorer: securityProfiles,
    samples: referenceSamples(paymentKinds, sampleDay),
    documents: versions.map((api) => ({
      id: api.id,
      url: `/openapi/${api.id}.json`,
      document: openApiDocument(api, operations, ["https://localhost:8443"]),
    })),
  });

test("the reference shows every operation that the bank serves", () => {
  const page = reference();
  for (const { api, operationId, path } of operations) {
    assert.ok(page.includes(`id="${api.id}-${operationId}"`), operationId);
    assert.ok(page.includes(`${api.basePath}${path.replaceAll(/:(\w+)/g, "{$1}")}`), path);
  }
});

test("every operation with a body has a sample that is valid against its schema", () => {
  const samples = referenceSamples(paymentKinds, sampleDay);
  for (const { api, operationId, request, upload } of operations) {
    // a file has no schema that could be checked; its format is
    if (!request || upload) continue;
    const sample = structuredClone(samples[api.id]?.[operationId]) as { Data: object } | undefined;
    assert.ok(sample, operationId);
    if ("ConsentId" in sample.Data) sample.Data.ConsentId = "a-consent";
    const errors = Compile(request).Errors(sample);
    assert.deepEqual(errors, [], operationId);
  }
});

test("D-401-58, D-401-59, D-401-60: the reference shows file payments with the accepted file and content types", () => {
  const page = reference();
  assert.match(page, /<p class="tag">File Payment Consents<\/p>/);
  for (const { fileType, contentTypes, payloads } of kindNamed("file-payment", paymentKinds)
    .fileFormats ?? []) {
    for (const name of [fileType, ...contentTypes, ...payloads])
      assert.ok(page.includes(name), name);
  }
});
