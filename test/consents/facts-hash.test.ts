import assert from "node:assert/strict";
import { test } from "node:test";
import { approvedMembers, factsHash } from "#src/consents/approved-facts.ts";
import type { Consent } from "#src/consents/consent.ts";

// A stored hash is compared by a later release. If one of these tests fails, every approval that is
// in progress during the upgrade would end as altered. Raise the version in approved-facts.ts,
// compare hashes of the version before in its form, and then change the text here.

const at = Temporal.Instant.from("2026-11-24T09:00:00.123456Z");

const consent: Consent = {
  consentId: "pdc-1",
  kind: "domestic-payment",
  apiVersion: "pisp-v4.0",
  clientId: "client-1",
  createdAt: at,
  expiresAt: null,
  body: { Data: { Initiation: { InstructedAmount: { Amount: "1.00", Currency: "GBP" } } } },
  terms: { cutOff: at },
  permissions: ["ReadBalances"],
  transactionsFrom: null,
  transactionsTo: null,
  status: "AWAU",
  statusReason: [],
  statusUpdatedAt: at,
  customerId: null,
  accountIds: [],
  debtor: null,
  grantId: null,
  authorisedAt: null,
  pausedAt: null,
};

test("the hash of the same facts is the same in each release, whatever the order of members", () => {
  const expected = "1.hNOzAmSYNlj6ZhF4oMM9dd8mFmOfzVpZbOUD8HAfby4";
  const facts = { at, number: 10n ** 20n, none: null, list: [{ b: 1, a: "é" }] };
  assert.equal(factsHash({ act: "consent", facts }), expected);
  const turned = { list: [{ a: "é", b: 1 }], none: null, number: 10n ** 20n, at };
  assert.equal(factsHash({ facts: turned, act: "consent" }), expected);
});

test("the members of a consent that its customer approves stay, and its state is none of them", () => {
  const expected = "1.sMOiVZ4NTQu8TNPQ_bwZCyrUfV_tzzgJ84z-p2ij1-Q";
  assert.equal(factsHash(approvedMembers(consent)), expected);
  const later: Consent = { ...consent, status: "AUTH", customerId: "cus-1", pausedAt: at };
  assert.equal(factsHash(approvedMembers(later)), expected);
  assert.notEqual(factsHash(approvedMembers({ ...consent, clientId: "client-2" })), expected);
});
