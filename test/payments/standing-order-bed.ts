import assert from "node:assert/strict";
import { type CancellationResult, cancelOrder } from "#src/payments/execution/cancellation.ts";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { verifyInvariants } from "#src/server/health/verify-invariants.ts";
import { sql } from "#src/storage/sql.ts";
import type { Json } from "./answer-check.ts";
import { addBob } from "./bob.ts";
import {
  type Front,
  numbers,
  openPayments,
  type PaymentsFixture,
  standingOrderConsent,
} from "./fixture.ts";

/** The path of standing order consents. */
export const consentPath = "/domestic-standing-order-consents";
/** The path of standing orders. */
export const orderPath = "/domestic-standing-orders";

/** A test's change of an ordinary standing order. */
export type Change = (initiation: Json, data: Json) => void;

/** A bank with an engine and two customers who share an account, with functions for tests. */
export type StandingOrderBed = {
  bank: PaymentsFixture;
  engine: Engine;
  /** Ends what earlier tests have left running, and sets the clock to 2 March 2027. */
  reset(): Promise<void>;
  /** Orders £5 per month to the joint account. Returns the response. */
  order(change?: Change, front?: Front): Promise<Json>;
  read(made: Json, front?: Front): Promise<Json>;
  details(made: Json, front?: Front): Promise<Json[]>;
  statuses(made: Json): Promise<string[]>;
  /** Sets the clock to one payment date after the other, until nothing is due on the given day. */
  liveUntil(day: string): Promise<void>;
  cancel(made: Json, customerId?: string): Promise<CancellationResult>;
  /** Checks the invariants and closes the bank. */
  close(): Promise<void>;
};

/** Opens the bank on an empty database of the lane's kind. */
export async function openStandingOrders(): Promise<StandingOrderBed> {
  const bank = await openPayments();
  const { database, clock } = bank;
  await addBob(database, "signatory");
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
