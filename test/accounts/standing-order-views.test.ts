import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountApiId, endpointsOf } from "#src/accounts/resource.ts";
import { standingOrders } from "#src/accounts/resources/standing-orders.ts";
import { present } from "#src/lib/assert.ts";
import { servedAt } from "./served.ts";

// Facts of standing orders that no persona has, in the format of both versions.

const facts = {
  accountId: "acc-1",
  orderId: "so-1",
  rhythm: { unit: "quarterDay", days: "SCOTTISH" },
  reference: "RENT",
  currency: "GBP",
  numberOfPayments: 8,
  state: "Active",
  first: { at: "2026-11-11T00:00:00Z", minor: "10000" },
  recurringAt: "2027-02-02T00:00:00Z",
  next: { at: "2027-02-02T05:00:00Z", minor: "12500" },
  last: { at: "2026-11-11T05:00:00Z", minor: "10000" },
  final: { at: "2028-08-01T00:00:00Z", minor: "5000" },
  mandate: null,
  remittance: null,
  creditorAgent: null,
  creditor: { schemeName: "UK.OBIE.SortCodeAccountNumber", identification: "20202010981789" },
};

function show(version: AccountApiId, change: Partial<typeof facts> = {}): Record<string, unknown> {
  const [endpoint] = endpointsOf(servedAt(standingOrders.path), version);
  const context = {
    now: Temporal.Instant.from("2026-12-01T00:00:00Z"),
    baseUrl: "https://bank.test",
    cardNumbers: false,
    detail: true,
  };
  const render = present(endpoint?.render, "a view that renders");
  return JSON.parse(JSON.stringify(render({ ...facts, ...change }, context)[0]));
}

test("E-046, E-047, E-050, E-051, E-052: a schedule without a v4.0 code keeps its v3.1 pattern on v4.0", () => {
  const old = show("aisp-v3.1");
  assert.equal(old.Frequency, "QtrDay:SCOTTISH");
  assert.equal(old.FirstPaymentDateTime, facts.first.at);
  assert.equal(old.FinalPaymentDateTime, facts.final.at);
  assert.ok(!("RecurringPaymentDateTime" in old));
  const now = show("aisp-v4.0");
  assert.deepEqual(now.MandateRelatedInformation, {
    FirstPaymentDateTime: facts.first.at,
    RecurringPaymentDateTime: facts.recurringAt,
    FinalPaymentDateTime: facts.final.at,
    Frequency: { Type: "QtrDay:SCOTTISH" },
  });
  const gone = ["Frequency", "FirstPaymentDateTime", "FinalPaymentDateTime", "Reference"];
  assert.deepEqual(
    gone.filter((name) => name in now),
    [],
  );
  const shared = ["NumberOfPayments", "NextPaymentDateTime", "LastPaymentDateTime"].concat(
    ["First", "Next", "Last", "Final"].map((which) => `${which}PaymentAmount`),
  );
  for (const name of shared) assert.deepEqual(now[name], old[name], name);
  assert.equal(now.NumberOfPayments, "8");
});

test("E-045: an order that has ended is Inactive on v3.1, and v4.0 shows how it ended", () => {
  const statusOf = (version: AccountApiId, state: string) =>
    show(version, { state }).StandingOrderStatusCode;
  const shown = ["Active", "Cancelled", "Expired", "Suspended"].map((state) => [
    statusOf("aisp-v3.1", state),
    statusOf("aisp-v4.0", state),
  ]);
  assert.deepEqual(shown, [
    ["Active", "ACTV"],
    ["Inactive", "CANC"],
    ["Inactive", "EXPI"],
    ["Inactive", "SUSP"],
  ]);
});

test("E-048: v4.0 shows a reference of more than 35 characters whole, as text", () => {
  const reference = "RENT OF THE HOUSE BY THE RIVER, SECOND FLOOR";
  assert.equal(show("aisp-v3.1", { reference }).Reference, reference.slice(0, 35));
  assert.deepEqual(show("aisp-v4.0", { reference }).RemittanceInformation, {
    Structured: [{ CreditorReferenceInformation: { Reference: reference.slice(0, 35) } }],
    Unstructured: [reference],
  });
});
