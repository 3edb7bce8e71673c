import type { AccountFact, StatementFact, Versioned } from "#src/account-store/facts.ts";

// Facts as a bank feeds them. Members that a test does not name have the simplest value.

/** A customer's current account in pounds, without numbers. `given` replaces members. */
export const accountFact = (
  given: Partial<Versioned<AccountFact>> & Pick<AccountFact, "accountId">,
): Versioned<AccountFact> => ({
  version: 1n,
  accountType: "Personal",
  accountSubType: "CurrentAccount",
  currency: "GBP",
  nickname: null,
  description: null,
  holderName: "Ann Example",
  openedOn: Temporal.PlainDate.from("2019-05-01"),
  status: "Enabled",
  statusUpdatedAt: Temporal.Instant.from("2019-05-01T09:30:00Z"),
  isSwitched: false,
  sortCodeAccountNumber: null,
  iban: null,
  maskedPan: null,
  signatoriesRequired: 1,
  productId: null,
  companyId: null,
  servicer: null,
  statementDeliveries: [],
  ...given,
});

/** A statement of a month without entries. `given` replaces members. */
export const statementFact = (
  given: Partial<Versioned<StatementFact>> &
    Pick<StatementFact, "accountId" | "statementId" | "startsAt" | "endsAt">,
): Versioned<StatementFact> => ({
  version: 1n,
  number: 1,
  createdAt: given.endsAt.add({ hours: 6 }),
  periodName: null,
  currency: "GBP",
  currencyKind: null,
  openingMinor: 0n,
  closingMinor: 0n,
  creditsMinor: 0n,
  debitsMinor: 0n,
  creditCount: 0,
  debitCount: 0,
  limitMinor: 0n,
  costs: [],
  minimumPaymentMinor: null,
  paymentDueAt: null,
  rates: [],
  ...given,
});
