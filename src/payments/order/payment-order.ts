import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { ConsentBody, StatusReason } from "#src/consents/consent.ts";
import type { Recorded } from "#src/consents/terms.ts";
import { present } from "#src/lib/assert.ts";
import type {
  PaymentRequest,
  RequestedAccount,
  RequestedUse,
} from "#src/payments/request/payment-request.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Mandate, Remittance } from "#src/standard/shared/mandate.ts";
import type { MultiAuthorisationStatus, OrderFamily } from "./order-states.ts";

// An order as it is stored (this file), loaded (load-order.ts) and shown to the TPP that owns it
// (own-order.ts). order-states.ts has the tables of statuses for orders and payments, and says
// which status a TPP sees; status-reasons.ts gives the reasons and expected-dates.ts the dates.
// order-invariants.ts has the checks of `./aldgate verify`.

/** An account as far as a TPP may see it: perhaps only the name of its holder. */
export type ShownAccount = Partial<AccountReference>;

/** When a payment is expected to be executed and settled. */
export type ExpectedDates = { execution: Temporal.Instant; settlement: Temporal.Instant };

/** The bank's additions to an order, in no version's format. */
export type OrderTerms = {
  /** The debtor, as far as the TPP may see it. */
  debtor: ShownAccount;
  /** The account for refunds; only if the consent requested it. */
  refund?: AccountReference;
  /** Absent while it is unknown: an immediate payment that awaits signatures. */
  expected?: ExpectedDates;
  /** The members that the TPP sent beyond its consent, which the responses repeat. */
  sent?: ConsentBody;
  /** How the payment comes about, if its consent is used within limits. */
  use?: RequestedUse;
  /** The schedule of a standing order, as ordered; the engine plans payments by it. */
  schedule?: ScheduleRecord;
  /** What was said about a standing order, for account information to show. */
  mandate?: Mandate;
  remittance?: Remittance;
};

/** The terms of an order as they are stored. */
export type OrderTermsRecord = Recorded<OrderTerms>;

/** Reads the stored terms of an order. */
export const fromOrderTerms = ({ expected, ...terms }: OrderTermsRecord): OrderTerms => ({
  ...terms,
  ...(expected === undefined
    ? {}
    : {
        expected: {
          execution: Temporal.Instant.from(expected.execution),
          settlement: Temporal.Instant.from(expected.settlement),
        },
      }),
});

/** A payment order: the resource that a TPP creates with a consent. */
export type PaymentOrder = {
  orderId: string;
  consentId: string;
  kind: KindId;
  family: OrderFamily;
  /** The version of the API that it was submitted on: `pisp-v4.0`. */
  apiVersion: ApiVersionId;
  clientId: string;
  customerId: string;
  debtorAccountId: string;
  /** In the internal vocabulary; TPPs see the kind's statuses. */
  status: string;
  statusReason: StatusReason<string>[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  terms: OrderTerms;
  /** Null, like the next members, if one signatory is enough. */
  signatoriesRequired: number | null;
  signatoriesReceived: number | null;
  authorisationStatus: MultiAuthorisationStatus | null;
  authorisationUpdatedAt: Temporal.Instant | null;
  authorisationExpiresAt: Temporal.Instant | null;
  signedBy: string[];
};

/**
 * An account of the bank as the standard names it: by sort code and number, and by its IBAN for
 * payers abroad.
 */
export function standardAccount(
  account: BankAccount,
  { international }: Pick<PaymentRequest, "international">,
): AccountReference {
  const abroad = international !== null && account.iban !== null;
  const sortCode = abroad ? null : account.sortCodeAccountNumber;
  return {
    schemeName: sortCode === null ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
    identification: sortCode ?? present(account.iban, "a payment account's identification"),
    name: account.holderName,
    secondaryIdentification: sortCode === null ? null : (account.secondaryIdentification ?? null),
  };
}

/**
 * The debtor, as far as a TPP may see it: the account exactly as the TPP named it; the whole
 * account if the TPP may see it for refunds, or the consent is used within limits; otherwise only
 * the holder's name. Source: PC-10; PISP profile, OBDomesticRefundAccount1; V-053.
 */
export function debtorOf(
  account: BankAccount,
  request: PaymentRequest,
  { shape }: { shape: { showsDebtor?: true } },
): ShownAccount {
  const named = namedAccount(request.debtor);
  if (named) return { ...named, name: account.holderName };
  if (request.readsRefundAccount || shape.showsDebtor) return standardAccount(account, request);
  return { name: account.holderName };
}

/** The account that the TPP named; null if it named none, or none that can be found. */
export function namedAccount(account: RequestedAccount | null): AccountReference | null {
  if (account === null) return null;
  const { schemeName, identification } = account;
  if (schemeName === null || identification === null) return null;
  return { ...account, schemeName, identification };
}
