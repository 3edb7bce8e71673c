import type { BankAccount } from "#src/bank/port.ts";
import type { StatusReason } from "#src/consents/consent.ts";
import { present } from "#src/lib/assert.ts";
import type { Account, PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import type { ScheduleRecord } from "#src/payments/schedule/schedule-record.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import type { MultiAuthorisationStatus } from "./order-states.ts";

/** What the bank added when it took an order in, as the standard words it. */
export type OrderTerms = {
  /** The debtor as the TPP may know it. */
  debtor: Partial<Account>;
  /** Where money can be sent back to; only when the consent asked for it. */
  refund?: { Account: Account };
  /** Absent while nobody can know: an immediate payment that waits for signatures. */
  expectedExecutionDateTime?: string;
  expectedSettlementDateTime?: string;
  /** When a standing order pays, as it was ordered: what the engine plans by. */
  schedule?: ScheduleRecord;
};

/** A payment order: the resource that used a consent. */
export type PaymentOrder = {
  orderId: string;
  consentId: string;
  kind: string;
  /** The version of the API that it was submitted on: `pisp-v4.0`. */
  apiVersion: ApiVersionId;
  clientId: string;
  customerId: string;
  debtorAccountId: string;
  /** Internal vocabulary: exposed through the kind's. */
  status: string;
  statusReason: StatusReason[];
  createdAt: Temporal.Instant;
  statusUpdatedAt: Temporal.Instant;
  terms: OrderTerms;
  /** Null, with all that follows, when one signatory is enough. */
  signatoriesRequired: number | null;
  signatoriesReceived: number | null;
  authorisationStatus: MultiAuthorisationStatus | null;
  authorisationUpdatedAt: Temporal.Instant | null;
  authorisationExpiresAt: Temporal.Instant | null;
  signedBy: string[];
};

/**
 * An account of the bank as the standard words it: by sort code and number, and by its IBAN for
 * those who would send money from abroad.
 */
export function standardAccount(
  account: BankAccount,
  { currencies }: Pick<PaymentKind, "currencies">,
): Account {
  const abroad = currencies === "exchanged" && account.iban !== null;
  const sortCode = abroad ? null : account.sortCodeAccountNumber;
  return {
    SchemeName: sortCode === null ? "UK.OBIE.IBAN" : "UK.OBIE.SortCodeAccountNumber",
    Identification: sortCode ?? present(account.iban, "a payment account's identification"),
    Name: account.holderName,
  };
}

/**
 * The debtor as a TPP may know it: what it named itself, exactly as it did; the whole account when
 * it was granted for refunds; otherwise the holder's name alone. Source: C-10, digest 2.10.
 */
export function debtorOf(
  account: BankAccount,
  data: { Initiation?: { DebtorAccount?: Account }; ReadRefundAccount?: string },
  kind: Pick<PaymentKind, "currencies">,
): Partial<Account> {
  const named = data.Initiation?.DebtorAccount;
  if (named) {
    return {
      SchemeName: named.SchemeName,
      Identification: named.Identification,
      Name: account.holderName,
      ...(named.SecondaryIdentification === undefined
        ? {}
        : { SecondaryIdentification: named.SecondaryIdentification }),
    };
  }
  if (data.ReadRefundAccount === "Yes") return standardAccount(account, kind);
  return { Name: account.holderName };
}
