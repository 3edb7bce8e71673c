import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type AuthBed, openAuthBed } from "./auth-bed.ts";
import { answerOf, type Journeys, type Kind, openJourneys, toApproval } from "./journeys.ts";
import type { Visitor } from "./visitor.ts";

let bed: AuthBed;
let journeys: Journeys;
before(async () => {
  bed = await openAuthBed();
  journeys = await openJourneys(bed);
});
after(() => bed.close());

/** Exits by an error: what the customer does, and the results for the TPP and the consent. */
const exits: {
  title: string;
  kind?: Kind;
  data?: Record<string, unknown>;
  leave(visitor: Visitor): Promise<unknown>;
  error: string;
  /** If given, the whole `error_description`. */
  description?: string;
  reason: string;
}[] = [
  {
    title: "P-105, A-105: cancelling at login",
    leave: (visitor) => visitor.submit({ decision: "cancel" }),
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "cancelling at the second factor",
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.submit({ decision: "cancel" });
    },
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "cancelling at the choice of accounts",
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
      await visitor.submit({ decision: "cancel" });
    },
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "cancelling at the review",
    data: { review: true },
    leave: async (visitor) => {
      await toApproval(visitor);
      await visitor.submit({ decision: "cancel" });
    },
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "cancelling because no account can be chosen",
    leave: async (visitor) => {
      await visitor.login("poor");
      await visitor.factor();
      await visitor.submit({ decision: "cancel" });
    },
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "a series of five wrong codes",
    leave: async (visitor) => {
      await visitor.login("ben");
      for (let turn = 0; turn < 5; turn++) {
        assert.equal(visitor.step, "factor");
        await visitor.submit({ code: "000000", decision: "continue" });
      }
    },
    error: "access_denied",
    reason: "U033",
  },
  {
    title: "another customer's debtor account",
    kind: "domestic-payment",
    data: { debtor: "20201012345201" },
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
    },
    error: "access_denied",
    reason: "AC02",
  },
  {
    title: "a debtor account that cannot pay",
    kind: "domestic-payment",
    data: { debtor: "20201012345102" },
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
    },
    error: "access_denied",
    reason: "AC02",
  },
  {
    title: "an AuthorisationType that no account meets",
    kind: "domestic-payment",
    data: { Authorisation: { AuthorisationType: "Single" } },
    leave: async (visitor) => {
      await visitor.login("joint");
      await visitor.factor();
    },
    error: "invalid_request",
    reason: "U042",
  },
  {
    title: "D-401-25: AuthorisationType Multiple for a debtor account with one signatory",
    kind: "domestic-payment",
    data: { debtor: "20201012345101", Authorisation: { AuthorisationType: "Multiple" } },
    leave: async (visitor) => {
      await visitor.login("anna");
      await visitor.factor();
    },
    error: "invalid_request",
    reason: "U042",
  },
  {
    title: "P-109: a cut-off that has passed",
    kind: "domestic-payment",
    data: { late: "cutOffPassed" },
    leave: async () => undefined,
    error: "access_denied",
    description: "U012: The cut-off for immediate payments has passed.",
    reason: "U012",
  },
  {
    title: "a payment date that has come",
    kind: "domestic-payment",
    data: { late: "dateCome" },
    leave: async () => undefined,
    error: "access_denied",
    description: "DT01: The payment date arrived before the consent was authorised.",
    reason: "DT01",
  },
];
for (const { title, kind = "account-access", data, leave, error, description, reason } of exits) {
  test(`${title} leads to an OAuth error and rejects the consent (${error}, ${reason})`, async () => {
    const { consentId, visitor } = await journeys.visit(kind, data);
    await leave(visitor);
    const answer = await answerOf(visitor);
    assert.equal(answer.error, error);
    if (description !== undefined) assert.equal(answer.error_description, description);
    assert.equal(answer.state, "s");
    assert.equal(answer.iss, bed.publicUrl);
    assert.equal(answer.code, undefined);
    const { status, reasons } = await bed.consent(consentId);
    assert.equal(status, "RJCT");
    assert.equal(reasons[0]?.code, reason);
  });
}
