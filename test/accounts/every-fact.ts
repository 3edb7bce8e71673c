import type { DirectDebitFact, Versioned } from "#src/account-store/facts.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import { transactionFact } from "./stored-transactions.ts";

const lei = "213800WAVVOPS85N2205";
const version = 1n;
const at = Temporal.Instant.from("2026-10-15T09:00:00Z");
const money = { amountMinor: 1250n, currency: "GBP" };
const stored = { amountMinor: "1250", currency: "GBP" };
const localAmount = { amountMinor: 1480n, currency: "EUR", currencyKind: "Local" } as const;

/** An address with every part. */
export const wholeAddress = {
  kind: "Business",
  careOf: "Ann Example",
  department: "Payments",
  subDepartment: "Claims",
  room: "Room 7",
  floor: "2nd floor",
  unitNumber: "4b",
  buildingName: "Foundry House",
  buildingNumber: "12",
  streetName: "Foundry Yard",
  postBox: "118",
  townLocationName: "Holbeck",
  districtName: "South Leeds",
  townName: "Leeds",
  countrySubDivision: "West Yorkshire",
  postCode: "LS11 5QP",
  country: "GB",
  lines: ["Rear entrance"],
} as const;

const supplementary = { branch: { region: "North" } };
const proxy = { code: "MBNO", identification: "+44-7700900333", type: "Mobile" };
const bank = { name: "First Bank", lei, address: wholeAddress };
const agent = { schemeName: "UK.OBIE.BICFI", identification: "FRSTGB2L", ...bank };
const creditor = {
  schemeName: "UK.OBIE.SortCodeAccountNumber",
  identification: "20202010981789",
  name: "Ann",
  secondaryIdentification: "ROLL 7",
  proxy,
};
const ultimate = {
  name: "Bob Example",
  schemeName: "UK.OBIE.IBAN",
  identification: "GB82WEST12345698765432",
  lei,
  address: wholeAddress,
};

const transaction: Omit<TransactionFact, "accountId" | "transactionId" | "indicator"> = {
  version,
  status: "Booked",
  bookedAt: at,
  valueAt: at,
  amount: money,
  isoCode: "PMNT-ICDT-DMCT",
  bankCode: { code: "FPO", issuer: "First Bank" },
  reference: "INVOICE 12",
  information: "TO ANN",
  card: { scheme: "VISA", authorisation: "PIN", maskedPan: "4444" },
  merchant: { name: "The Corner Shop", categoryCode: "5411" },
  counterparty: creditor,
  balance: { amountMinor: 5000n, type: "InterimBooked" },
  bookingId: null,
  particulars: {
    exchange: {
      sourceCurrency: "GBP",
      targetCurrency: "EUR",
      unitCurrency: "GBP",
      rate: "1.17",
      contractId: "FX-1",
      quotedAt: at,
      instructed: { amountMinor: 1463n, currency: "EUR" },
    },
    charge: money,
    statementReferences: ["1"],
    addressLine: "Leeds",
    cardName: "ANN EXAMPLE",
    counterpartyAgent: agent,
    counterpartyProxy: proxy,
    ultimateCreditor: ultimate,
    ultimateDebtor: ultimate,
    intermediaryAgents: [
      { ...agent, processing: "ACSC" },
      { ...agent, processing: "ACSP" },
      { ...agent, processing: "PDNG" },
    ],
    furtherBankCodes: [{ code: "FPO-7", issuer: "First Bank", description: "Sent from the app" }],
    paymentPurpose: "SALA",
    categoryPurpose: "SUPP",
    supplementary,
  },
};

/** The accounts of `everyFact`: a person's, and a company's for which the person acts. */
export const accountIds = ["acc-person", "acc-company"] as const;

/** The statement of `everyFact`, of the first account. */
export const statementId = "stm-every";

/** The id of their product. */
export const productId = "product-every";

/** Facts of two accounts that together have every fact that the feed accepts except the product. */
export function everyFact(customerId: string): AccountChanges {
  const [accountId, companyAccountId] = accountIds;
  const openedOn = Temporal.PlainDate.from("2019-05-01");
  const contact = {
    partyNumber: "P-1",
    fullLegalName: "Ann B. Example",
    email: "ann@mail.example",
    phone: "+44-1130000000",
    mobile: "+44-7700900123",
    address: wholeAddress,
  };
  const account = {
    version,
    accountId,
    accountType: "Personal",
    accountSubType: "CurrentAccount",
    currency: "GBP",
    nickname: "Bills",
    description: "Current account",
    holderName: "Ann Example",
    openedOn,
    maturesOn: openedOn.add({ years: 10 }),
    status: "Enabled",
    statusUpdatedAt: at,
    isSwitched: false,
    sortCodeAccountNumber: "20202010981700",
    secondaryIdentification: "ROLL 8",
    iban: null,
    maskedPan: null,
    signatoriesRequired: 1,
    productId,
    companyId: null,
    servicer: { bic: "FRSTGB2L", ...bank },
    statementDeliveries: [
      { frequency: "Monthly", channel: "Post", format: "Pdf", address: wholeAddress },
    ],
  } as const;
  const debit: Versioned<DirectDebitFact> = {
    ...{ version, directDebitId: "dd-every", accountId, mandateReference: "GAS-1" },
    ...{ originatorName: "Gas", frequency: "Monthly", state: "Active", stateUpdatedAt: at },
    previous: { at, amount: money },
    mandate: {
      classification: "Fixed",
      categoryPurpose: "SUPP",
      reason: "Gas",
      firstOn: "2026-01-15",
      recurringOn: "2026-02-20",
      finalOn: "2027-01-20",
      when: { pointInTime: "20" },
    },
  };
  return {
    parties: [
      {
        version: 2n,
        partyId: customerId,
        name: "Ann",
        legalStructure: "UK.OBIE.Individual",
        lei,
        contact,
      },
      {
        version,
        partyId: "com-every",
        name: "Example Ltd",
        legalStructure: "UK.OBIE.PrivateLimitedCompany",
        lei,
        contact,
      },
    ],
    accounts: [
      account,
      {
        ...account,
        ...{ accountId: companyAccountId, accountType: "Business", companyId: "com-every" },
        sortCodeAccountNumber: "20202010981701",
      },
    ],
    holders: accountIds.map((id) => ({
      version,
      accountId: id,
      customerId,
      role: "owner",
      isBeneficialOwner: true,
    })),
    balances: accountIds.map((id) => ({
      ...{ version, accountId: id, currency: "GBP", currencyKind: "Base", statedAt: at },
      balances: [
        {
          ...{ type: "InterimAvailable", amountMinor: 5000n, localAmount },
          creditLines: [{ type: "PreAgreed", isIncluded: true, amountMinor: 1000n }],
        },
      ],
    })),
    transactions: [
      transactionFact({ ...transaction, accountId, transactionId: "tx-out", indicator: "Debit" }),
      transactionFact({ ...transaction, accountId, transactionId: "tx-in", indicator: "Credit" }),
    ],
    statements: [
      {
        ...{ version, accountId, statementId, number: 1 },
        startsAt: Temporal.Instant.from("2026-10-01T00:00:00Z"),
        endsAt: Temporal.Instant.from("2026-11-01T00:00:00Z"),
        createdAt: Temporal.Instant.from("2026-11-01T06:00:00Z"),
        ...{ periodName: "October 2026", currency: "GBP", currencyKind: "Base" },
        ...{ openingMinor: 100n, closingMinor: 150n, creditsMinor: 60n, debitsMinor: 10n },
        ...{ creditCount: 1, debitCount: 1, limitMinor: 0n },
        costs: (["CHG", "INT"] as const).map((type) => ({
          ...{ type, indicator: "Debit" as const, text: "Cost", amount: "10" },
          code: "UK.OBIE.Total",
          ...{ rate: 1.5, rateType: type === "CHG" ? "UK.OBIE.EAR" : "UK.OBIE.Gross" },
          frequency: type === "CHG" ? "UK.OBIE.Weekly" : "UK.OBIE.Monthly",
        })),
        ...{ minimumPaymentMinor: null, paymentDueAt: at },
        rates: [{ type: "UK.OBIE.AnnualPurchase", rate: "18.9" }],
        particulars: {
          amounts: [
            { type: "UK.OBIE.ClosingBalance", amountMinor: 150n, localAmount },
            { type: "UK.OBIE.FSCSInsurance", amountMinor: 8_500_000n },
          ],
          benefits: [{ type: "UK.OBIE.Cashback", amount: money }],
          dates: [{ type: "UK.OBIE.NextStatement", at }],
          values: [{ type: "UK.OBIE.AirMilesPoints", value: "1200" }],
          totalValue: money,
        },
      },
    ],
    directDebits: [
      debit,
      {
        ...debit,
        ...{ directDebitId: "dd-counted", mandateReference: "GAS-2" },
        mandate: { ...debit.mandate, when: { countPerPeriod: 2 } },
      },
    ],
    standingOrders: [
      {
        ...{ version, standingOrderId: "so-every", accountId, currency: "GBP", state: "Active" },
        rhythm: { unit: "month", every: 1, day: 15 },
        ...{ reference: "RENT", numberOfPayments: 12, supplementary },
        first: { on: openedOn, amountMinor: 100n },
        recurringOn: openedOn.add({ months: 1 }),
        next: { at, amountMinor: 100n },
        last: { at, amountMinor: 100n },
        final: { on: openedOn.add({ years: 1 }), amountMinor: 100n },
        mandate: { ...debit.mandate, identification: "M-1" },
        remittance: {
          structured: [
            {
              documents: [
                {
                  ...{ type: "CINV", issuer: "Ann Ltd", number: "118", relatedOn: "2026-01-31" },
                  lines: ["2 chairs"],
                },
              ],
              documentAmount: stored,
              creditorReference: { type: "SCOR", issuer: "Ann Ltd", reference: "RENT" },
              ...{ invoicer: "Ann Ltd", invoicee: "Bob Ltd", tax: "VAT 20%" },
              additional: ["Paid in parts"],
            },
          ],
          unstructured: ["Chairs"],
        },
        creditor,
        creditorAgent: { bic: "FRSTGB2L", ...bank },
      },
    ],
    scheduledPayments: [
      {
        ...{ version, scheduledPaymentId: "sp-every", accountId, amount: money, creditor },
        executeAt: Temporal.Instant.from("2030-01-15T09:00:00Z"),
        ...{ reference: "RENT", debtorReference: "FLAT 2" },
        creditorAgent: { bic: "FRSTGB2L", ...bank },
      },
    ],
    beneficiaries: [
      {
        ...{ version, beneficiaryId: "ben-every", customerId, isTrusted: true, createdAt: at },
        ...{ ...creditor, creditorBic: "FRSTGB2L", creditorAgent: bank },
        ...{ reference: "RENT", supplementary },
      },
    ],
    offers: [
      {
        ...{ version, offerId: "offer-every", accountId },
        endsAt: Temporal.Instant.from("2035-01-01T00:00:00Z"),
        details: {
          ...{ type: "LimitIncrease", description: "An overdraft of 500 pounds" },
          ...{ startsAt: "2026-01-01T00:00:00Z", endsAt: "2035-01-01T00:00:00Z" },
          ...{ rate: "1.5", value: 500, term: "A year", url: "https://bank.example/offer" },
          ...{ amount: stored, fee: stored },
        },
      },
    ],
  };
}
