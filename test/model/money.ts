import { type Calls, type Done, isBefore, type KeptOrder, type Movement } from "./calls.ts";
import { groupBy, type Rule } from "./rule.ts";

// The model of money: each settled order has left the payer's account once, with its amount, and
// nothing else has.

/** The movements of a client's money, and its orders as they were read before, and after. */
type Ended = {
  orders: Done<"keptOrders">;
  later: Done<"keptOrders"> | undefined;
  books: Done<"books">;
  /** The movements by payment. */
  moved: Map<string, Movement[]>;
};

function* ended(calls: Calls): Iterable<Ended> {
  for (const books of calls.done("books")) {
    const reads = calls.done("keptOrders").filter(({ client }) => client === books.client);
    const orders = reads.findLast((read) => isBefore(read, books));
    const later = reads.find((read) => isBefore(books, read));
    if (!orders) continue;
    yield {
      orders,
      later,
      books,
      moved: groupBy(books.told.movements, ({ paymentId }) => paymentId),
    };
  }
}

const isSettled = (status: string): boolean => /^(?:ACSC|ACCC|ACWP)$/.test(status);
const isWaiting = (status: string): boolean => /^(?:RCVD|PDNG|ACTC|PATC|ACCP|ACFC)$/.test(status);
const isOver = (status: string): boolean => /^(?:BLCK|INCO|INFA)$/.test(status);
const isUnpaid = (status: string): boolean => /^(?:RJCT|CANC)$/.test(status);

const movementsOf = ({ moved }: Ended, { payments }: KeptOrder): Movement[] =>
  payments.flatMap((id) => moved.get(id) ?? []);
const net = (movements: readonly Movement[]): number =>
  movements.reduce((sum, { amount }) => sum + amount, 0);
const isOut = ({ amount }: Movement): boolean => amount > 0;

/**
 * Makes a rule about each kept order and its movements. `fault` says what is wrong, or null. The
 * orders are those that were read before the books, unless `later` is set: what the bank does in
 * between is no error.
 */
const ofOrders = (
  claim: string,
  fault: (order: KeptOrder, movements: Movement[], held: boolean) => string | null,
  { later = false }: { later?: boolean } = {},
): Rule => ({
  claim,
  *breaches(calls) {
    const sent = groupBy(calls.done("order"), ({ told }) => told.orderId);
    for (const one of ended(calls)) {
      const held = new Set(one.books.told.held);
      for (const order of (later ? one.later : one.orders)?.told.orders ?? []) {
        const isHeld = order.payments.some((id) => held.has(id));
        const text = fault(order, movementsOf(one, order), isHeld);
        if (text === null) continue;
        yield { subject: order.orderId, text, calls: sent.get(order.orderId) ?? [] };
      }
    }
  },
});

/** The rules by which the statuses of orders follow what has become of their money. */
export const outcomeRules: readonly Rule[] = [
  ofOrders("a settled order is paid", ({ orderId, status, amount }, movements) =>
    isSettled(status) && net(movements) < (amount ?? 1)
      ? `${orderId} is ${status}, and ${net(movements)} pence have left the account for it`
      : null,
  ),
  ofOrders("a rejected order is not paid", ({ orderId, status }, movements) => {
    if (!isUnpaid(status) || movements.filter(isOut).length > 1 || net(movements) === 0)
      return null;
    return `${orderId} is ${status}, and ${net(movements)} pence have left the account for it`;
  }),
  ofOrders(
    "a paid order says so",
    ({ orderId, status }, movements) =>
      net(movements) > 0 && isWaiting(status)
        ? `${orderId} is ${status}, and its money has left the account`
        : null,
    { later: true },
  ),
  ofOrders("an ended order holds no money", ({ orderId, status }, _, isHeld) =>
    isHeld && (isSettled(status) || isUnpaid(status))
      ? `${orderId} is ${status}, and its money is still held`
      : null,
  ),
  ofOrders("an order with nothing left to do has ended", ({ orderId, status, isOpen }) =>
    !isOpen && !isUnpaid(status) && !isSettled(status) && !isOver(status)
      ? `${orderId} is ${status}, and the bank does nothing more about it`
      : null,
  ),
];

/** The rules about money. */
export const moneyRules: readonly Rule[] = [
  ...outcomeRules,
  {
    claim: "an order has a payment of its own",
    *breaches(calls) {
      for (const read of calls.done("keptOrders")) {
        const owners = new Map<string, string>();
        for (const { orderId, payments } of read.told.orders) {
          const [paymentId] = payments;
          const owner = payments.map((id) => owners.get(id)).find((id) => id !== undefined);
          for (const id of payments) owners.set(id, orderId);
          if (payments.length === 1 && owner === undefined) continue;
          const text =
            owner === undefined
              ? `${orderId} has ${payments.length} payments`
              : `${paymentId} is the payment of ${owner} and of ${orderId}`;
          yield { subject: orderId, text, calls: [] };
        }
      }
    },
  },
  ofOrders("money leaves once for a payment", ({ orderId }, movements) => {
    const times = movements.filter(isOut).length;
    return times > 1 ? `${orderId} was paid ${times} times` : null;
  }),
  ofOrders("a payment moves the amount of its order", ({ orderId, amount }, movements) => {
    const other = movements.find((one) => isOut(one) && one.amount !== amount);
    return other && amount !== null
      ? `${orderId} is about ${amount} pence, and ${other.amount} were moved`
      : null;
  }),
  {
    claim: "only orders move money",
    *breaches(calls) {
      for (const { orders, moved } of ended(calls)) {
        const known = new Set(orders.told.orders.flatMap(({ payments }) => payments));
        for (const [paymentId, movements] of moved) {
          if (known.has(paymentId) || net(movements) === 0) continue;
          const text = `${net(movements)} pence were moved for ${paymentId}, which nobody ordered`;
          yield { subject: paymentId, text, calls: [] };
        }
      }
    },
  },
  {
    claim: "what was ordered is paid once, even if the bank has forgotten it",
    *breaches(calls) {
      for (const books of calls.done("books")) {
        for (const [id, payments] of groupBy(books.told.paidIds ?? [], (one) => one)) {
          if (payments.length === 1) continue;
          const text = `${payments.length} payments were made for ${id}`;
          yield { subject: id, text, calls: [] };
        }
      }
    },
  },
  {
    claim: "a balance is the sum of its entries",
    *breaches(calls) {
      for (const read of calls.done("account")) {
        const { opening, entries, closing } = read.told;
        const sum = entries.reduce((total, amount) => total + amount, opening);
        if (sum === closing) continue;
        const { accountId } = read.asked;
        const text = `${accountId} opened with ${opening}, its entries make ${sum}, it has ${closing}`;
        yield { subject: accountId, text, calls: [read] };
      }
    },
  },
];
