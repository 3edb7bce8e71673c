import type { BankAccount } from "#src/bank/port.ts";
import { loadConfig } from "#src/config/config.ts";
import type { Consent } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import { paymentConsentKinds } from "#src/payments/consent/journey-kinds.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { PaymentKindId } from "#src/standard/kind-id.ts";
import { paperBank } from "#test/auth/paper-bank.ts";
import type { Json } from "./answer-check.ts";

// Consents without a database, and what their kinds say about them.

export const now = Temporal.Instant.from("2027-03-02T10:00:00Z");

export const kindOf = (kind: PaymentKindId, config: Partial<PaymentConfig> = {}) =>
  present(
    paymentConsentKinds(paymentKinds, {
      bank: paperBank,
      config: { ...loadConfig({}), ...config },
    }).find((row) => row.id === kind),
    kind,
  );

export const consentOf = (body: Json, terms: Consent["terms"] = {}): Consent => ({
  consentId: "dpc-1",
  kind: "domestic-payment",
  apiVersion: "pisp-v4.0",
  clientId: "tpp-1",
  status: "AWAU",
  statusReason: [],
  createdAt: now,
  statusUpdatedAt: now,
  expiresAt: null,
  body,
  terms,
  permissions: [],
  transactionsFrom: null,
  transactionsTo: null,
  customerId: null,
  accountIds: [],
  debtor: null,
  grantId: null,
  authorisedAt: null,
  pausedAt: null,
});

export const current: BankAccount = {
  accountId: "a",
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  holderName: "Ann",
  sortCodeAccountNumber: "40478411111111",
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  status: "Enabled",
};

export const fileTerms = {
  fileId: "f",
  messageId: null,
  count: 1,
  abroad: 1,
  totals: [{ currency: "EUR", amountMinor: 100n, count: 1 }],
  controlSum: "1.00",
  accountCurrency: null,
  debtor: null,
  firstDay: null,
  lastDay: null,
};
