import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument } from "#src/http/openapi.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { compareWithPublished, type Difference, type OpenApi } from "./compare-with-published.ts";
import { type DeliberateDifference, deliberateDifferences } from "./deliberate-differences.ts";
import { loadPublished, publishedFiles } from "./published.ts";

const document = (apiId: string): OpenApi => {
  const operations = listOperations(paymentKinds).filter(({ api }) => api.id === apiId);
  const api = operations[0]?.api;
  assert(api, `${apiId} has operations`);
  return openApiDocument(api, operations, [
    "https://bank.example:8443",
    "https://bank.example",
  ]) as OpenApi;
};

const unexplained = (differences: Difference[], deliberate: readonly DeliberateDifference[]) =>
  differences.filter(({ at }) => !deliberate.some((entry) => entry.at.test(at)));

const idle = (differences: Difference[], deliberate: readonly DeliberateDifference[]) =>
  deliberate.filter((entry) => !differences.some(({ at }) => entry.at.test(at)));

for (const [apiId, files] of Object.entries(publishedFiles)) {
  const deliberate = deliberateDifferences.filter(({ apis }) => apis.some((id) => id === apiId));

  test(`${apiId} is documented as published, except for deliberate differences`, () => {
    const differences = compareWithPublished(document(apiId), ...files.map(loadPublished));
    assert.deepEqual(unexplained(differences, deliberate), []);
    assert.deepEqual(
      idle(differences, deliberate),
      [],
      "deliberate differences that no longer exist",
    );
  });

  test(`the document of ${apiId} has no dangling references`, () => {
    const own = document(apiId);
    const text = JSON.stringify(own);
    const targets = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path));
    for (const path of targets) {
      let node: unknown = own;
      for (const name of (path ?? "").split("/")) node = (node as Record<string, unknown>)?.[name];
      assert(node, `#/${path} is there`);
    }
    assert(targets.size > 10);
    assert.doesNotMatch(text, /"const":/);
  });
}

type Mutable = { [name: string]: Mutable } & { push(value: unknown): void; pop(): void };

// a change of the published document, and the place where the difference must be reported
const changes: [string, (document: Mutable) => void, RegExp][] = [
  ["an operation", (d) => delete d.paths?.["/domestic-payments"], /^CreateDomesticPayments$/],
  [
    "a status",
    (d) => delete d.paths?.["/domestic-payments"]?.post?.responses?.["409"],
    /^CreateDomesticPayments status 409$/,
  ],
  [
    "a response header",
    (d) => delete d.components?.responses?.["400Error"]?.headers?.["x-jws-signature"],
    /^CreateDomesticPayments 400 header x-jws-signature$/,
  ],
  [
    "a parameter",
    (d) => d.paths?.["/domestic-payments"]?.post?.parameters?.pop(),
    /^CreateDomesticPayments parameter header x-jws-signature$/,
  ],
  [
    "whether a parameter is required",
    (d) => delete d.components?.parameters?.["x-idempotency-key"]?.required,
    /^CreateDomesticPayments parameter header x-idempotency-key required$/,
  ],
  [
    "a type",
    (d) => Object.assign(riskOf(d).ContractPresentIndicator ?? {}, { type: "string" }),
    /^CreateDomesticPayments request body Risk.ContractPresentIndicator type$/,
  ],
  [
    "a length",
    (d) => Object.assign(riskOf(d).MerchantCustomerIdentification ?? {}, { maxLength: 71 }),
    /^CreateDomesticPayments request body Risk.MerchantCustomerIdentification maxLength$/,
  ],
  [
    "a code of an enum",
    (d) => riskOf(d).CategoryPurposeCode?.enum?.pop(),
    /^CreateDomesticPayments request body Risk.CategoryPurposeCode enum$/,
  ],
  [
    "a pattern",
    (d) => Object.assign(addressOf(d).Country ?? {}, { pattern: "[A-Z]{2,2}" }),
    /^CreateDomesticPayments request body Risk.DeliveryAddress.Country pattern$/,
  ],
  [
    "the items of an array",
    (d) => Object.assign(addressOf(d).AddressLine?.items ?? {}, { minLength: 0 }),
    /^CreateDomesticPayments request body Risk.DeliveryAddress.AddressLine\[\] minLength$/,
  ],
  [
    "the length of an array",
    (d) => delete addressOf(d).AddressLine?.maxItems,
    /^CreateDomesticPayments request body Risk.DeliveryAddress.AddressLine maxItems$/,
  ],
  [
    "a property",
    (d) => delete addressOf(d).Room,
    /^CreateDomesticPayments request body Risk.DeliveryAddress Room$/,
  ],
  [
    "closedness",
    (d) => delete d.components?.schemas?.OBRisk1?.additionalProperties,
    /^CreateDomesticPayments request body Risk closed$/,
  ],
  [
    "the mandatory members",
    (d) => d.components?.schemas?.OBWriteDomestic2?.required?.pop(),
    /^CreateDomesticPayments request body required$/,
  ],
];

const riskOf = (d: Mutable): Mutable => membersOf(d, "OBRisk1");
const addressOf = (d: Mutable): Mutable => membersOf(d, "OBPostalAddress7");

function membersOf(d: Mutable, schema: string): Mutable {
  const members = d.components?.schemas?.[schema]?.properties;
  assert(members, `${schema} is a component`);
  return members;
}

for (const [what, change, seen] of changes) {
  test(`the comparison detects a difference in ${what}`, () => {
    const ours = document("pisp-v4.0");
    const changed = structuredClone(ours);
    assert.deepEqual(compareWithPublished(ours, changed), []);
    // safe: a document is a tree of plain objects
    change(changed as unknown as Mutable);
    assert(compareWithPublished(ours, changed).some(({ at }) => seen.test(at)));
  });
}

test("the comparison detects a deliberate difference that no longer exists", () => {
  const entry: DeliberateDifference = { apis: ["pisp-v4.0"], at: /^Nothing$/, reason: "none" };
  const difference = { at: "Something", ours: 1, published: 2 };
  assert.deepEqual(idle([difference], [entry]), [entry]);
  assert.deepEqual(unexplained([difference], [entry]), [difference]);
});
