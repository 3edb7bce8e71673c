import type { AccountReference, BankAccount } from "#src/bank/port.ts";
import type { ConsentBody, StatusReason } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type {
  PaymentRequest,
  RequestedAccount,
  RequestedUse,
} from "#src/payments/request/payment-request.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { MultiAuthorisationStatus, OrderFamily } from "./order-states.ts";

// An order as it is stored (this file), loaded (load-order.ts) and shown to the TPP that owns it
// (own-order.ts). order-states.ts has the tables of statuses for orders and payments, and says
// which status a TPP sees; status-reasons.ts gives the reasons and expected-dates.ts the dates.
// order-invariants.ts has the checks of `./aldgate verify`.

/** An account in the standard's format. */
export type Account = {
  SchemeName: string;
  Identification: string;
  Name?: string;
  SecondaryIdentification?: string;
};

/** The expected execution and settlement of a payment, as RFC 3339. */
export type ExpectedDates = Pick<
  OrderTerms,
  "expectedExecutionDateTime" | "expectedSettlementDateTime"
>;

/** The bank's additions to an order, in the standard's format. */
export type OrderTerms = {
  /** The debtor, as far as the TPP may see it. */
  debtor: Partial<Account>;
  /** The account for refunds; only if the consent requested it. */
  refund?: { Account: Account };
  /** Absent while it is unknown: an immediate payment that awaits signatures. */
  expectedExecutionDateTime?: string;
  expectedSettlementDateTime?: string;
  /** The members that the TPP sent beyond its consent, which the responses repeat. */
  sent?: ConsentBody;
  /** How the payment comes about, if its consent is used within limits. */
  use?: RequestedUse;
  /** The schedule of a standing order, as ordered; the engine plans payments by it. */
  schedule?: ScheduleRecord;
};

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
 * An account of the bank in the standard's format: by sort code and number, and by its IBAN for
 * payers abroad.
 */
export function standardAccount(
  account: BankAccount,
  { international }: Pick<PaymentRequest, "international">,
): Account {
  const abroad = international !== null && account.iban !== null;
  const sortCode = abroad ? null : account.sortCodeAccountNumber;
  return {
    SchemeName: sortCode === null ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
    Identification: sortCode ?? present(account.iban, "a payment account's identification"),
    Name: account.holderName,
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
  { withinLimits }: { withinLimits?: object },
): Partial<Account> {
  const named = standardNames(request.debtor);
  if (named) return { ...named, Name: account.holderName };
  if (request.readsRefundAccount || withinLimits) return standardAccount(account, request);
  return { Name: account.holderName };
}

/** The account that the TPP named; null if it named none, or none that can be found. */
export function namedAccount(account: RequestedAccount | null): AccountReference | null {
  if (account === null) return null;
  const { schemeName, identification } = account;
  if (schemeName === null || identification === null) return null;
  return { ...account, schemeName, identification };
}

/** A named account in the standard's words; null if the TPP named none. */
export function standardNames(account: RequestedAccount | null): Account | null {
  if (account === null || account.schemeName === null || account.identification === null) {
    return null;
  }
  const { schemeName, identification, name, secondaryIdentification } = account;
  return {
    SchemeName: schemeName,
    Identification: identification,
    ...(name === null ? {} : { Name: name }),
    ...(secondaryIdentification === null
      ? {}
      : { SecondaryIdentification: secondaryIdentification }),
  };
}
