import { consentFacts } from "#src/consents/consent-facts.ts";
import type { Operation } from "#src/http/operation.ts";
import { moneyText } from "#src/pages/wording.ts";
import {
  defineOrderShape,
  requestOf,
  type ServedKind,
  type ShapeDeps,
} from "#src/payments/definitions/payment-kind.ts";
import type { PispOperation } from "#src/payments/formats/pisp-operation.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import {
  authorisedConsent,
  confirmation,
  debtorIdOf,
  selfOf,
} from "#src/payments/shapes/authorised-consent.ts";
import { usesUpConsent } from "#src/payments/shapes/order-steps.ts";
import { payeeOf, whyOtherCurrency } from "#src/payments/shapes/summary-parts.ts";
import type { Invariant } from "#src/storage/invariants.ts";
import { sql } from "#src/storage/sql.ts";
import { draftBatch, paymentsOf, totalOf } from "./batch-request.ts";

/** One order of several payments, which the body lists. They are made together. */
export const ofBatch = defineOrderShape({
  ...usesUpConsent,
  noun: "payment",
  hasOneSignatory: true,
  payments: draftBatch,
  chargesOf: (bank, kindId, asked) =>
    paymentsOf(asked).flatMap((payment) => chargesOf(bank, kindId, payment)),
  summarise(plan) {
    const drafts = draftBatch(plan);
    return {
      type: "payment",
      amount: moneyText(totalOf(drafts), "GBP"),
      payeeName: `${drafts.length} payees`,
      payeeAccount: "",
      rows: drafts.map(({ amount, creditor }) => {
        const { payeeName, payeeAccount } = payeeOf(creditor);
        const value = `${moneyText(amount.amountMinor, amount.currency)} to ${payeeAccount}`;
        return { label: payeeName, value, confirmed: true };
      }),
      notes: [],
    };
  },
  whyOtherCurrency,
  consentOperations: (kind, deps, operation) =>
    kind.confirmsFunds ? [confirmBatch(kind, deps, operation)] : [],
  invariants: { orders: batchInvariants() },
});

/** The operation that tells a TPP whether the funds for the whole batch are available. */
const confirmBatch = (kind: ServedKind, deps: ShapeDeps, operation: PispOperation): Operation =>
  operation({
    ...confirmation(kind),
    method: "GET",
    success: { status: 200, schema: kind.format.schemas.funds },
    refusals: { 400: ["U011"], 403: ["U011"] },
    async handle(request) {
      const { now } = request;
      const consent = await authorisedConsent(kind, deps, request);
      const { terms } = consent;
      const asked = requestOf(kind, consent);
      const drafts = draftBatch({ kind, request: asked, terms, now, config: deps.config });
      const debit = { amountMinor: totalOf(drafts), currency: "GBP" };
      const available = await deps.bank.confirmFunds(debtorIdOf(consent), debit);
      const self = selfOf(kind, request, consent);
      return { status: 200, body: kind.format.renderFunds({ available, now, self, asked: null }) };
    },
  });

/** What `./aldgate verify` checks of batches, besides the invariants of every order. */
function batchInvariants(): readonly Invariant[] {
  return [
    {
      name: "a batch has the payments that its consent lists",
      breaches: (within) => sql`select o.order_id, c.listed, p.made
        from payment_order o
        join (
          select consent_id, json_array_length(body->'Data'->'Initiation'->'Payments') as listed
          from ${consentFacts} facts
        ) c on c.consent_id = o.consent_id
        cross join lateral (
          select count(*) as made from payment where order_id = o.order_id
        ) p
        where ${within(sql`o.order_id`)} and c.listed <> p.made`,
    },
  ];
}
