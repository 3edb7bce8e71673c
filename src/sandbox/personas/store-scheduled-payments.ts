import type { BankCharge } from "#src/bank/port.ts";
import { loadConfig } from "#src/config/config.ts";
import { toTermsRecord } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import { formatAmount } from "#src/lib/money.ts";
import { type PaymentRow, requestOf } from "#src/payments/definitions/payment-kind.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import { paymentRecord } from "#src/payments/order/create-order.ts";
import type { PaymentDraft } from "#src/payments/order/payment-order.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { PaymentRequest } from "#src/payments/request/payment-request.ts";
import { chargesOf } from "#src/payments/request/tariff.ts";
import { storeOwnPayments } from "#src/payments/submission/store-own-orders.ts";
import { sandboxCharges } from "#src/sandbox/bank/tariff.ts";
import { stableId } from "#src/sandbox/stable-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import type { LaterPayment } from "./persona.ts";
import type { SeededHousehold } from "./store-direct-debits.ts";
import { ownChannel, storeChannelOrders } from "./store-own-orders.ts";

/**
 * Stores the future payments of a household's customers. The engine executes them when they fall
 * due.
 */
export async function storeScheduledPayments(
  on: Queryable,
  seeded: SeededHousehold,
): Promise<void> {
  for (const later of seeded.household.later ?? []) await storeOne(on, seeded, later);
}

async function storeOne(
  on: Queryable,
  { household, accountIds, now }: SeededHousehold,
  later: LaterPayment,
): Promise<void> {
  const account = household.accounts.find(({ key }) => key === later.account);
  const holder = household.personas.find(({ login }) => login === account?.holders[0]?.login);
  const debtorAccountId = present(accountIds.get(later.account), "the account of a payment");
  const kind = account?.currency ? internationalScheduledPayment : domesticScheduledPayment;
  const orderId = stableId(kind.orderIdPrefix, `${household.name} ${later.reference}`);
  const initiation = initiationOf(later, account?.currency ?? "GBP", now);
  const body = { Data: { Permission: "Create", Initiation: initiation }, Risk: {} };
  const offered = paymentKinds.find(({ id }) => id === kind.id);
  // a bank without the version in whose format the bodies are could not read them
  if (!offered?.formats[ownChannel.apiVersion]) return;
  const request = requestOf(offered, { apiVersion: ownChannel.apiVersion, body });
  const charges = chargesOf({ chargesOf: sandboxCharges }, kind.id, request);
  const draft = draftOf(kind, request, charges, now);
  const status = "PDNG";
  await storeChannelOrders(on, { kind, status, now }, [
    {
      order_id: orderId,
      consent_id: stableId(kind.consentIdPrefix, orderId),
      created_at: now.toString(),
      body,
      customer_id: holder?.customerId,
      debtor_account_id: debtorAccountId,
      consent_terms: toTermsRecord({ charges }),
      terms: {},
      signatories: null,
      signed_by: [],
    },
  ]);
  const paymentId = stableId("pay", orderId);
  await storeOwnPayments(on, [
    {
      ...paymentRecord({ ...draft, paymentId, dueAt: draft.executeAt }, 0),
      order_id: orderId,
      status,
      created_at: now.toString(),
      status_updated_at: now.toString(),
      debtor_account_id: debtorAccountId,
    },
  ]);
}

function draftOf(
  kind: PaymentRow,
  request: PaymentRequest,
  charges: BankCharge[],
  now: Temporal.Instant,
): PaymentDraft {
  const plan = { kind, request, terms: { charges }, now, config: loadConfig({}) };
  return present(kind.shape.payments(plan)[0], "a payment");
}

function initiationOf(
  { inDays, sum, party, reference }: LaterPayment,
  currency: string,
  now: Temporal.Instant,
) {
  const day = now.toZonedDateTimeISO("UTC").toPlainDate().add({ days: inDays });
  return {
    InstructionIdentification: reference.replaceAll(" ", "-"),
    EndToEndIdentification: reference.replaceAll(" ", "-"),
    RequestedExecutionDateTime: `${day}T00:00:00+00:00`,
    ...(currency === "GBP" ? {} : { CurrencyOfTransfer: currency }),
    InstructedAmount: { Amount: formatAmount(BigInt(sum), currency), Currency: currency },
    CreditorAccount: {
      SchemeName: currency === "GBP" ? "UK.OBIE.SortCodeAccountNumber" : "UK.OBIE.IBAN",
      Identification: party.number,
      Name: party.name,
    },
    RemittanceInformation: { Unstructured: [reference] },
  };
}
