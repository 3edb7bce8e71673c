import assert from "node:assert/strict";
import { test } from "node:test";
import { findUndescribed } from "#scripts/descriptions.ts";

const described = { type: "string", description: "The name of the account's holder." };

test("a property without a description is found, at any depth and once", () => {
  const inner = { properties: { Name: described, Code: { type: "string" } } };
  const schemas = { Account: { properties: { Holder: { ...described, items: inner } } } };
  const found = findUndescribed(new Map([["pisp-v4.0", { components: { schemas } }]]));
  assert.equal(found.length, 1);
  assert.match(found[0]?.message ?? "", /^Holder\.Code of pisp-v4\.0 has no description/);
  schemas.Account.properties.Holder.items.properties.Code = described;
  assert.deepEqual(findUndescribed(new Map([["pisp-v4.0", { components: { schemas } }]])), []);
});
