import assert from "node:assert/strict";
import { type CancellationResult, cancelOrder } from "#src/payments/execution/cancellation.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { verifyInvariants } from "#src/server/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "./answer-check.ts";
import {
  accounts,
  type Front,
  numbers,
  openPayments,
  type PaymentsFixture,
  standingOrderConsent,
} from "./fixture.ts";

/** Where consents of standing orders are lodged. */
export const consentPath = "/domestic-standing-order-consents";
/** Where standing orders are submitted. */
export const orderPath = "/domestic-standing-orders";

/** What a test makes of an ordinary standing order. */
export type Change = (initiation: Json, data: Json) => void;

/** A bank with an engine, two customers who share an account, and what tests do with it. */
export type StandingOrderBed = {
  bank: PaymentsFixture;
  engine: Engine;
  /** Ends what earlier tests have left running, and sets the clock to 2 March 2027. */
  reset(): Promise<void>;
  /** A standing order of £5 a month to the joint account, as its order's answer. */
  order(change?: Change, front?: Front): Promise<Json>;
  read(made: Json, front?: Front): Promise<Json>;
  details(made: Json, front?: Front): Promise<Json[]>;
  statuses(made: Json): Promise<string[]>;
  /** Lets the days of payments come, one after the other, until nothing is due on that day. */
  liveUntil(day: string): Promise<void>;
  cancel(made: Json, customerId?: string): Promise<CancellationResult>;
  /** Holds what was done against the invariants, and closes the bank. */
  close(): Promise<void>;
};

/** Opens the bank on an empty database of the lane's kind. */
export async function openStandingOrders(): Promise<StandingOrderBed> {
  const bank = await openPayments();
  const { database, clock } = bank;
  await database.query(sql`
    insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
    values ('customer-bob', 'bob', 'Bob Example', 'personal', '', '')`);
  await database.query(sql`
    insert into account_holder (account_id, customer_id, role)
    values (${accounts.current}, 'customer-ann', 'owner'),
      (${accounts.joint}, 'customer-ann', 'signatory'),
      (${accounts.joint}, 'customer-bob', 'signatory')`);
  const engine = createEngine({
    database,
    clock,
    bank: createSandboxBank({ database, clock }),
    owner: "engine",
    batchSize: 16,
    log: { error: (details, text) => assert.fail(`${text} ${JSON.stringify(details)}`) },
  });
  const details = async ({ Links }: Json, front: Front = bank): Promise<Json[]> =>
    (await front.get(`${Links.Self}/payment-details`)).body.Data.PaymentStatus;
  return {
    bank,
    engine,
    details,
    async reset() {
      await database.query(sql`
        update payment_order set status = 'CANC' where kind like '%-standing-order'`);
      await database.query(sql`
        update payment set status = 'CANC', due_at = null where due_at is not null`);
      clock.set("2027-03-02T10:00:00Z");
    },
    async order(change = () => undefined, front = bank) {
      const body = standingOrderConsent(({ Data }) => {
        Data.Initiation.CreditorAccount.Identification = numbers.joint;
        change(Data.Initiation, Data);
      });
      const granted = await front.authorised({ path: consentPath, body });
      const answer = await front.post(orderPath, { token: granted.token, body: granted.order });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body;
    },
    read: async ({ Links }, front = bank) => (await front.get(Links.Self)).body.Data,
    statuses: async (made) => (await details(made)).map(({ Status }) => Status),
    async liveUntil(day) {
      const end = Temporal.Instant.from(`${day}T23:59:59Z`);
      for (;;) {
        await engine.drain();
        const due = await engine.nextDueAt();
        if (due === null || Temporal.Instant.compare(due, end) > 0) break;
        clock.set(due.toString());
      }
      clock.set(end.toString());
    },
    cancel: (made, customerId = "customer-ann") =>
      cancelOrder(bank, {
        orderId: made.Data.DomesticStandingOrderId ?? made.Data.InternationalStandingOrderId,
        customerId,
      }),
    async close() {
      assert.deepEqual(await verifyInvariants(database), []);
      await bank.close();
    },
  };
}
