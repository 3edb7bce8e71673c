import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { openApiDocument } from "#src/http/openapi.ts";
import type { Operation } from "#src/http/operation.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { accountAccessConsent } from "#src/standard/aisp-v4.0/account-access-consent.ts";
import {
  readAccount,
  readBalance,
  readBeneficiary,
  readDirectDebit,
  readParties,
  readParty,
  readScheduledPayment,
  readStandingOrder,
  readStatement,
  readTransaction,
} from "#src/standard/aisp-v4.0/resources.ts";
import { readProduct } from "#src/standard/shared/accounts/product.ts";
import { readOffer } from "#src/standard/shared/accounts/read-offer.ts";
import { compareWithPublished, type OpenApi } from "./compare-with-published.ts";
import { loadPublished } from "./published.ts";

// the schema of each operation's success response, by the end of its path
const bodies: [path: RegExp, schema: TSchema][] = [
  [/consents/, accountAccessConsent.response],
  [/\/accounts(\/:AccountId)?$/, readAccount],
  [/balances$/, readBalance],
  [/transactions$/, readTransaction],
  [/beneficiaries$/, readBeneficiary],
  [/direct-debits$/, readDirectDebit],
  [/standing-orders$/, readStandingOrder],
  [/products?$/, readProduct],
  [/offers$/, readOffer],
  [/parties$/, readParties],
  [/party$/, readParty],
  [/scheduled-payments$/, readScheduledPayment],
  [/statements(\/:StatementId)?$/, readStatement],
];

test("E-001, E-065, D-401-70, D-401-71, D-401-72: every v4.0 body of account information matches the published schema", () => {
  const operations = listOperations(paymentKinds).flatMap((operation): Operation[] => {
    if (operation.api.id !== "aisp-v3.1") return [];
    const schema = bodies.find(([path]) => path.test(operation.path))?.[1] ?? null;
    const request = operation.request && accountAccessConsent.request;
    return [{ ...operation, request, success: { ...operation.success, schema } }];
  });
  const [first] = operations;
  assert(first);
  const document = openApiDocument(first.api, operations, ["https://b.example"]) as OpenApi;
  const differences = compareWithPublished(document, loadPublished("account-info-v4.0.1.json"));
  const inBodies = differences.filter(({ at }) => /(request|20[01]) body/.test(at));
  assert.deepEqual(
    inBodies.filter(({ at }) => !/(IdFile|^Delete)/.test(at)),
    [],
  );
  assert.equal(operations.length, 29);
});
