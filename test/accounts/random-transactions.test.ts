import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import type { TransactionFact } from "#src/account-store/transaction.ts";
import type { StoredFacts } from "#src/account-store/transaction-rows.ts";
import type { AccountApiId } from "#src/accounts/resource.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { formatAmount, type Money } from "#src/lib/money.ts";
import * as v3 from "#src/standard/aisp-v3.1/words.ts";
import * as v4 from "#src/standard/aisp-v4.0/words.ts";
import { nameTransactionCode } from "#src/standard/shared/accounts/transaction-codes.ts";
import { sql } from "#src/storage/sql.ts";
import { AccountsBank } from "./fixture.ts";
import { storeFacts, transactionFact } from "./stored-transactions.ts";

// Stores random transactions with hostile texts, reads them through both versions, and compares
// them with objects that this test builds from the facts. Each response is checked against the
// published schema.

const seed = 20_261_122;
const count = 120;

let bank: AccountsBank;
let customerId: string;
let accountId: string;
let facts: Map<string, TransactionFact>;

before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
  accountId = await bank.addAccount(customerId);
  const made = fc
    .sample(randomFact, { numRuns: count, seed })
    .map((fact, index) =>
      transactionFact({ ...fact, accountId, transactionId: `${fact.transactionId}-${index}` }),
    );
  facts = new Map(made.map((fact) => [fact.transactionId, fact]));
  await storeFacts(bank.database, made);
});
after(() => bank.close());

const hostile = [
  '"',
  "\\",
  "\n\n",
  ",\n\n",
  "\u001f",
  "\u0001",
  "\u007f",
  "\u2028",
  "é",
  "😀",
  "]",
];
const text = (most: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...hostile), fc.string({ minLength: 1, maxLength: 9 })), {
      minLength: 1,
      maxLength: most,
    })
    // NUL cannot be stored, and neither can half of a surrogate pair, which the cut may leave
    .map((parts) => parts.join("").replaceAll("\0", "0").slice(0, most))
    .map((whole) => (whole.isWellFormed() ? whole : whole.replaceAll("😀", "e").toWellFormed()));
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null });
const minor = fc.bigInt({ min: 0n, max: 9_999_999_999_999n });
const money: fc.Arbitrary<Money> = fc.record({
  amountMinor: minor,
  currency: fc.constantFrom("GBP", "JPY", "KWD"),
});
const instant = fc
  .integer({ min: -1_000_000_000_000, max: 1_764_000_000_000 })
  .chain((ms) => fc.constantFrom(ms, Math.floor(ms / 1000) * 1000))
  .map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));
const code = fc.constantFrom("FPO", 'D"B', "a\\b");
const agent = fc.record({
  schemeName: fc.constant("UK.OBIE.BICFI"),
  identification: fc.constant("ALDGGB2L"),
});

const particulars = fc.record(
  {
    charge: money,
    exchange: fc.record({
      sourceCurrency: fc.constant("GBP"),
      targetCurrency: fc.constant("JPY"),
      unitCurrency: fc.constant("GBP"),
      rate: fc.constantFrom("1.25", "0.0051"),
      contractId: orNull(text(35)),
      instructed: money,
    }),
    statementReferences: fc.array(text(35), { minLength: 1, maxLength: 3 }),
    addressLine: text(70),
    counterpartyAgent: agent,
    ultimateCreditor: fc.record({ name: text(140) }),
    intermediaryAgents: fc.array(agent, { minLength: 1, maxLength: 3 }),
    furtherBankCodes: fc.array(fc.record({ code, issuer: code }), { minLength: 1, maxLength: 2 }),
    paymentPurpose: fc.constant("SALA"),
  },
  { requiredKeys: [] },
);

const party = { name: orNull(text(350)), secondaryIdentification: orNull(text(34)) };

const randomFact: fc.Arbitrary<Omit<TransactionFact, "accountId">> = fc.record({
  transactionId: fc.string({ minLength: 1, maxLength: 30 }),
  version: fc.constant(1n),
  indicator: fc.constantFrom("Credit", "Debit"),
  status: fc.constantFrom("Booked", "Future", "Information", "Pending", "Rejected"),
  bookedAt: instant,
  valueAt: orNull(fc.oneof(instant, fc.constant(Temporal.Instant.fromEpochMilliseconds(0)))),
  amount: money,
  isoCode: orNull(fc.constantFrom("PMNT-CCRD-POSD", "PMNT-ICDT-DMCT")),
  bankCode: orNull(fc.record({ code, issuer: orNull(code) })),
  reference: orNull(text(210)),
  information: orNull(text(500)),
  card: orNull(
    fc.record({
      scheme: fc.constantFrom("VISA", "Diners"),
      authorisation: orNull(fc.constantFrom("PIN", "None")),
      maskedPan: fc.constant("4929000012344444"),
    }),
  ),
  merchant: orNull(fc.record({ name: text(350), categoryCode: orNull(fc.constant("5411")) })),
  counterparty: orNull(
    fc.oneof(
      fc.record({ schemeName: fc.constant("UK.OBIE.IBAN"), identification: text(256), ...party }),
      fc.record({
        schemeName: fc.constant("UK.OBIE.PAN"),
        identification: fc.constant("4929000012344444"),
        ...party,
      }),
    ),
  ),
  balance: orNull(
    fc.record({
      amountMinor: fc.bigInt({ min: -9_999_999n, max: 9_999_999n }),
      type: fc.constantFrom("InterimBooked", "ClosingAvailable"),
    }),
  ),
  particulars: orNull(particulars),
  bookingId: fc.constant(null),
});

const amountOf = ({ amountMinor, currency }: Money) => ({
  Amount: formatAmount(amountMinor, currency),
  Currency: currency,
});
const masked = (digits: string) => `**** **** **** ${digits.slice(-4)}`;
const agentOf = (one: { schemeName: string; identification: string } | undefined) =>
  one && { SchemeName: one.schemeName, Identification: one.identification };

/** Returns the item with which a version shows a fact. */
function expected(fact: TransactionFact, version: AccountApiId, detail: boolean): object {
  const isNew = version === "aisp-v4.0";
  const words = isNew
    ? { statuses: v4.entryStatusCodes, balances: v4.balanceTypeCodes }
    : { statuses: v3.entryStatuses, balances: v3.balanceTypes };
  const { amount, card, merchant, counterparty, balance, particulars: more } = fact;
  const side = fact.indicator === "Debit" ? "Creditor" : "Debtor";
  const basic = {
    AccountId: accountId,
    TransactionId: fact.transactionId,
    TransactionReference: fact.reference,
    StatementReference: more?.statementReferences,
    CreditDebitIndicator: fact.indicator,
    Status: words.statuses[fact.status],
    TransactionMutability: fact.status === "Booked" ? "Immutable" : null,
    BookingDateTime: formatInstant(fact.bookedAt),
    ValueDateTime: formatInstant(fact.valueAt ?? fact.bookedAt),
    AddressLine: more?.addressLine,
    Amount: amountOf(amount),
    ChargeAmount: more?.charge && amountOf(more.charge),
    CurrencyExchange: more?.exchange && {
      SourceCurrency: more.exchange.sourceCurrency,
      TargetCurrency: more.exchange.targetCurrency,
      UnitCurrency: more.exchange.unitCurrency,
      ExchangeRate: Number(more.exchange.rate),
      ContractIdentification: more.exchange.contractId,
      InstructedAmount: amountOf(more.exchange.instructed),
    },
    BankTransactionCode: fact.isoCode && nameTransactionCode(fact.isoCode),
    ProprietaryBankTransactionCode: fact.bankCode && {
      Code: fact.bankCode.code,
      Issuer: fact.bankCode.issuer,
    },
    CardInstrument: card && {
      CardSchemeName: card.scheme,
      AuthorisationType: card.authorisation,
      Identification: masked(card.maskedPan),
    },
    ExtendedProprietaryBankTransactionCodes: isNew
      ? more?.furtherBankCodes?.map((one) => ({ Code: one.code, Issuer: one.issuer }))
      : null,
    PaymentPurposeCode: isNew ? more?.paymentPurpose : null,
  };
  if (!detail) return withoutNulls(basic);
  const agents = more?.intermediaryAgents ?? [];
  return withoutNulls({
    ...basic,
    TransactionInformation: fact.information,
    Balance: balance && {
      CreditDebitIndicator: balance.amountMinor < 0n ? "Debit" : "Credit",
      Type: words.balances[balance.type],
      Amount: amountOf({
        ...amount,
        amountMinor: balance.amountMinor < 0n ? -balance.amountMinor : balance.amountMinor,
      }),
    },
    MerchantDetails: merchant && {
      MerchantName: merchant.name,
      MerchantCategoryCode: merchant.categoryCode,
    },
    [`${side}Agent`]: agentOf(more?.counterpartyAgent),
    [`${side}Account`]: counterparty && {
      SchemeName: counterparty.schemeName,
      Identification:
        counterparty.schemeName === "UK.OBIE.PAN"
          ? masked(counterparty.identification)
          : counterparty.identification,
      Name: counterparty.name,
      SecondaryIdentification: counterparty.secondaryIdentification,
    },
    ...(isNew
      ? {
          UltimateCreditor: more?.ultimateCreditor && { Name: more.ultimateCreditor.name },
          IntermediaryAgent1: agentOf(agents[0]),
          IntermediaryAgent2: agentOf(agents[1]),
          IntermediaryAgent3: agentOf(agents[2]),
        }
      : {}),
  });
}

// Removes null and undefined members at every depth.
const withoutNulls = (value: object): object =>
  JSON.parse(JSON.stringify(value), (_, one) => (one === null ? undefined : one));

type Item = { TransactionId: string };

async function readAll(version: AccountApiId, which: string, path: string): Promise<Item[]> {
  const permissions = ["ReadAccountsBasic", "ReadTransactionsCredits", "ReadTransactionsDebits"];
  permissions.push(`ReadTransactions${which}`);
  const consent = { customerId, accountIds: [accountId], permissions };
  const { token } = await bank.addConsent(consent);
  const items: Item[] = [];
  for (let next: string | undefined = path; next; ) {
    const answer = await bank.through(version).get(next, token);
    assert.equal(answer.status, 200, answer.text);
    items.push(...answer.body.Data.Transaction);
    next = answer.body.Links.Next;
  }
  return items;
}

describe("random transactions with hostile texts", () => {
  for (const version of ["aisp-v3.1", "aisp-v4.0"] as const) {
    for (const which of ["Basic", "Detail"]) {
      test(`${version} shows every random transaction exactly as it was stored, with ${which}`, async () => {
        const shown = [...facts.values()].filter(
          ({ status }) => version === "aisp-v4.0" || status !== "Information",
        );
        for (const path of [`/accounts/${accountId}/transactions`, "/transactions"]) {
          const items = await readAll(version, which, path);
          assert.equal(items.length, shown.length);
          for (const item of items) {
            const fact = facts.get(item.TransactionId);
            assert.ok(fact, item.TransactionId);
            assert.deepEqual(item, expected(fact, version, which === "Detail"));
          }
        }
      });
    }
  }

  // the page is rendered differently if none of its texts has an escape
  test("texts that need no JSON escape are shown as stored, cut to the standard's length", async () => {
    const account = await bank.addAccount(customerId);
    const texts = ["\u007f\u2028é😀'", `${"a".repeat(499)}😀b`, "😀".repeat(251)];
    await storeFacts(
      bank.database,
      texts.map((information, index) =>
        transactionFact({ accountId: account, transactionId: `plain-${index}`, information }),
      ),
    );
    const { token } = await bank.addConsent({ customerId, accountIds: [account] });
    const { body } = await bank.get(`/accounts/${account}/transactions`, token);
    const shown = new Map<string, string>();
    for (const item of body.Data.Transaction) {
      shown.set(item.TransactionId, item.TransactionInformation);
    }
    for (const [index, text] of texts.entries()) {
      assert.equal(shown.get(`plain-${index}`), text.slice(0, 500));
    }
  });

  test("the stored array of facts equals the columns, without nulls at its end", async () => {
    const rows = await bank.database.query<{ facts: string; columns: StoredFacts }>(sql`
      select facts, json_build_array(indicator, status, amount_minor, currency, iso_code,
        information, balance_minor, balance_type, bank_code, bank_code_issuer, reference,
        merchant_name, merchant_category_code, party_scheme, party_identification, party_name,
        card_scheme, card_authorisation, card_ending,
        (extract(epoch from value_at) * 1000000)::bigint) as columns
      from account_transaction where account_id = ${accountId}`);
    assert.equal(rows.length, count);
    for (const row of rows) {
      const stored = JSON.parse(row.facts);
      assert.notEqual(stored.at(-1), null);
      const nulls = Array(row.columns.length - stored.length).fill(null);
      assert.deepEqual([...stored, ...nulls], row.columns);
    }
  });
});
