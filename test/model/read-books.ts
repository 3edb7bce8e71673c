import type { Queryable } from "#src/storage/database.ts";
import { eventsOf } from "#test/events/stored-events.ts";
import { changesOf } from "#test/history/stored-changes.ts";
import { readOrdersOf } from "#test/payments/stored-orders.ts";
import {
  fundsIn,
  paidIdsOf,
  paymentsOnHold,
  postingsOf,
  postingsOn,
  returnsOf,
} from "#test/sandbox/stored-ledger.ts";
import { Calls, type KeptOrder, type Movement } from "./calls.ts";
import type { History } from "./history.ts";

/** Notes in a history what the database of a bank has of a client's orders. */
export async function readKeptOrders(
  history: History,
  on: Queryable,
  clientId: string,
): Promise<KeptOrder[]> {
  const rows = await readOrdersOf(on, { clientId });
  const orders = [...Map.groupBy(rows, ({ orderId }) => orderId).values()].map((its) => {
    const [{ orderId, consentId, status, amountMinor }] = its as [(typeof rows)[number]];
    const payments = its.flatMap(({ paymentId }) => paymentId ?? []);
    const amount = amountMinor === null ? null : Number(amountMinor);
    const isOpen = its.some((one) => one.isOpen);
    return { orderId, consentId, status, amount, payments, isOpen };
  });
  history.note(clientId, "keptOrders", {}, { orders });
  return orders;
}

/**
 * Notes a client's orders, the postings of the sandbox bank for their payments, and the accounts
 * that paid. `ledger` is the sandbox bank's database, if it has one of its own, and `named` the
 * beginning of all end-to-end ids.
 */
export async function readBooks(
  history: History,
  on: Queryable,
  clientId: string,
  { ledger = on, named }: { ledger?: Queryable; named?: string } = {},
): Promise<void> {
  const orders = await readKeptOrders(history, on, clientId);
  const ids = orders.flatMap(({ payments }) => payments);
  const postings = await postingsOf(ledger, ids);
  const made = postings.filter(({ purpose }) => purpose === "payment");
  // a payment that was refused later comes back, and so may one that was settled
  const back = [
    ...postings.filter(({ purpose }) => purpose === "payment-return"),
    ...(await returnsOf(ledger, ids)),
  ];
  const movements: Movement[] = [
    ...made.map(({ paymentId, amountMinor }) => ({
      paymentId: String(paymentId),
      amount: Number(amountMinor),
    })),
    ...back.map(({ paymentId, amountMinor }) => ({
      paymentId: String(paymentId),
      amount: -Number(amountMinor),
    })),
  ];
  const paidIds = named === undefined ? {} : { paidIds: await paidIdsOf(ledger, named) };
  const held = await paymentsOnHold(ledger, ids);
  history.note(clientId, "books", {}, { movements, held, ...paidIds });
  await readKeptChanges(history, on, {
    clientId,
    orders: await readKeptOrders(history, on, clientId),
  });
  for (const accountId of new Set(made.map(({ from }) => from))) {
    const entries = (await postingsOn(ledger, accountId)).map(({ from, amountMinor }) =>
      Number(from === accountId ? -amountMinor : amountMinor),
    );
    const closing = Number((await fundsIn(ledger, accountId))?.balanceMinor);
    history.note(clientId, "account", { accountId }, { opening: 0, entries, closing });
  }
}

/** Notes the history of a client's orders, and of the consents that it knows. */
async function readKeptChanges(
  history: History,
  on: Queryable,
  { clientId, orders }: { clientId: string; orders: readonly KeptOrder[] },
): Promise<void> {
  const lodged = new Calls(history.calls())
    .done("lodge")
    .filter(({ client }) => client === clientId)
    .map(({ told }) => told.consentId);
  const ids = [...lodged, ...orders.map(({ orderId }) => orderId)];
  const changes = (await changesOf(on, ids)).map(({ objectId, sequence, status, cause }) => ({
    subject: objectId,
    sequence: Number(sequence),
    status,
    isOwn: cause === "tpp",
  }));
  history.note(clientId, "keptChanges", {}, { changes });
}

/** Notes the events that the bank has for a client, each with the place of its change. */
export async function readKeptEvents(
  history: History,
  on: Queryable,
  clientId: string,
): Promise<void> {
  const events = (await eventsOf(on, clientId)).map(
    ({ jti, objectId: subject, changeSequence, state }) => ({
      jti,
      subject,
      sequence: Number(changeSequence),
      state,
    }),
  );
  history.note(clientId, "keptEvents", {}, { events });
}
