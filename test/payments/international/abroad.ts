import assert from "node:assert/strict";
import type { Bank } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { ibanFrom, ibanOf } from "#src/sandbox/bank/account-numbers.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { endingAbroad, scenarios, schemeAnswer } from "#src/sandbox/scenarios/scenarios.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { addAccounts } from "#test/account-store/add-accounts.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { bob } from "#test/payments/bob.ts";
import { accounts, openPayments, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";
import { addCustomers } from "#test/sandbox/stored-customers.ts";
import {
  addContract,
  addLedgerAccounts,
  addPostings,
  type GivenContract,
} from "#test/sandbox/stored-ledger.ts";

export const consents = "/international-payment-consents";
export const orders = "/international-payments";
export const scheduledConsents = "/international-scheduled-payment-consents";
export const scheduledOrders = "/international-scheduled-payments";

/** Accounts besides those of the fixture: Ann's dollars, and another customer's euros. */
export const dollars = "account-dollars";
export const payeeIban = ibanOf("00100166666666");

/** An order that was accepted. */
export type Placed = { url: string; data: Json; paymentId: string };

/** A bank with international payments: funded accounts, networks and an engine. */
export type Abroad = PaymentsFixture & {
  core: Bank;
  engine: Engine;
  /** Authorises a consent and submits its order. */
  place(body: Json, given?: { scheduled?: boolean; accountId?: string }): Promise<Placed>;
  dataOf(placed: Placed): Promise<Json>;
  /** Returns the balance of an account in its own currency. */
  balance(accountId: string): Promise<bigint>;
  /** Sets the clock to that time and processes what is due. */
  runTo(instant: string): Promise<void>;
  /** Lists the breaches of the invariants; empty if there are none. */
  breaches(): Promise<string[]>;
};

/** 3 March 2027 is a Wednesday, so the market is open. */
export const start = "2027-03-03T10:00:00Z";

/** Returns the foreign payee whose payments always have this outcome. */
export const payeeOf = (kind: string): string => {
  const found = present(
    scenarios.find(({ answer }) => answer.kind === kind),
    kind,
  );
  return ibanFrom("DE", `0099009900${endingAbroad(found)}`);
};

/** A consent request for 100 euros to Germany, which `change` may alter. */
export function euroConsent(change: (body: Json) => void = () => undefined): Json {
  const body = {
    Data: {
      Initiation: {
        InstructionIdentification: "i1",
        EndToEndIdentification: "e1",
        CurrencyOfTransfer: "EUR",
        InstructedAmount: { Amount: "100.00", Currency: "EUR" },
        CreditorAccount: {
          SchemeName: "UK.OBIE.IBAN",
          Identification: payeeOf("accept"),
          Name: "Kaffeerösterei Lindenau",
        },
      },
    },
    Risk: {},
  };
  change(body);
  return body;
}

/** A consent request for dollars to an account in the United States, by SWIFT. */
export const dollarConsent = (change: (body: Json) => void = () => undefined): Json =>
  euroConsent((body) => {
    Object.assign(body.Data.Initiation, {
      CurrencyOfTransfer: "USD",
      InstructedAmount: { Amount: "100.00", Currency: "USD" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.BBAN",
        Identification: "000099000001",
        Name: "Bright Harbor Media Inc",
      },
      CreditorAgent: { SchemeName: "UK.OBIE.BICFI", Identification: "NONEUS33" },
    });
    change(body);
  });

/** Makes a request future-dated: Wednesday 10 March 2027, unless `change` sets another date. */
export const onDay = (body: Json, change: (body: Json) => void = () => undefined): Json => {
  body.Data.Permission = "Create";
  body.Data.Initiation.RequestedExecutionDateTime = "2027-03-10T00:00:00+00:00";
  change(body);
  return body;
};

/** Adds a request for a rate of this type. */
export const atRate =
  (RateType: string, more: Json = {}, UnitCurrency = "GBP") =>
  ({ Data }: Json): void => {
    Data.Initiation.ExchangeRateInformation = { UnitCurrency, RateType, ...more };
  };

/** Opens the bank. The payer has 1,000,000.00 in each of three currencies. */
export async function openAbroad(): Promise<Abroad> {
  const fixture = await openPayments();
  const { database, clock } = fixture;
  clock.set(start);
  await fund(fixture);
  const core = createSandboxBank({ database, clock, scheme: schemeAnswer });
  const engine = createEngine({
    database,
    clock,
    bank: core,
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
  return {
    ...fixture,
    core,
    engine,
    async place(body, { scheduled = false, accountId = accounts.current } = {}) {
      const path = scheduled ? scheduledConsents : consents;
      const { token, consentId } = await fixture.authorised({ body, path, accountId });
      const answer = await fixture.post(scheduled ? scheduledOrders : orders, {
        token,
        body: orderOf(consentId, body),
      });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const url: string = answer.body.Links.Self;
      const details = (await fixture.get(`${url}/payment-details`)).body.Data.PaymentStatus;
      return { url, data: answer.body.Data, paymentId: details[0].PaymentTransactionId };
    },
    dataOf: async ({ url }) => (await fixture.get(url)).body.Data,
    async balance(accountId) {
      const funds = await core.loadFunds([accountId]);
      return present(funds.get(accountId), accountId).bookedMinor;
    },
    async runTo(instant) {
      clock.set(instant);
      await engine.drain();
    },
    breaches: async () =>
      (await verifyInvariants(database)).map(
        ({ invariant, subject, expected, found }) =>
          `${invariant}: ${subject} should be ${expected} and is ${found}`,
      ),
  };
}

async function fund({ database }: PaymentsFixture): Promise<void> {
  const { current, joint, euro } = accounts;
  const his = { accountId: "account-bob", currency: "EUR" };
  const hers = { accountId: dollars, currency: "USD" };
  await addCustomers(database, [bob]);
  await addAccounts(database, [
    { ...hers, sortCodeAccountNumber: "00100155555555" },
    { ...his, holderName: bob.name, sortCodeAccountNumber: "00100166666666", iban: payeeIban },
  ]);
  await addLedgerAccounts(database, [hers, his]);
  const capital = "internal-opening";
  const million = { amountMinor: 100_000_000n };
  await addPostings(database, [
    { postingId: "o1", from: capital, to: current, amountMinor: 99_995_000n },
    { postingId: "o2", from: `${capital}-EUR`, to: euro, ...million, currency: "EUR" },
    { postingId: "o3", from: `${capital}-USD`, to: dollars, ...million, currency: "USD" },
    { postingId: "o4", from: capital, to: joint, ...million },
  ]);
}

/** Inserts a contract for payments from the pounds account: 1,000 euros at 1.2. */
export const insertContract = (
  { database }: Abroad,
  given: Pick<GivenContract, "id"> & Partial<GivenContract>,
): Promise<unknown> =>
  addContract(database, {
    account: accounts.current,
    rate: "1.2",
    amountMinor: 100_000n,
    expires: "2028-01-01T00:00:00Z",
    ...given,
  });
