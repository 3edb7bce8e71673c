import { type BankPart, hasPart } from "#src/bank/parts.ts";
import type { Bank } from "#src/bank/port.ts";
import { formatAmount } from "#src/lib/money.ts";
import { cancelOrder, listUpcoming } from "#src/payments/execution/cancellation.ts";
import { listWaitingOrders } from "#src/payments/execution/multi-authorisation.ts";
import { loadOrder } from "#src/payments/order/payment-order.ts";
import type { PlacedOrder } from "#src/payments/order/placed-order.ts";
import type { CustomerActs } from "#src/sandbox/controls/customer-act-shapes.ts";
import { noCustomer, SandboxRefusal } from "#src/sandbox/controls/sandbox-refusal.ts";
import type { TestCustomer } from "#src/server/opening/bank-context.ts";
import type { Parts, Sandbox } from "#src/server/parts.ts";
import { kindNamed } from "#src/standard/kind-id.ts";

type SandboxParts = Parts & { sandbox: Sandbox };

/** Finds a customer by login; undefined if there is none. */
export const findCustomer = async (
  sandbox: Sandbox,
  login: string,
): Promise<TestCustomer | undefined> =>
  (await sandbox.customers()).find((one) => one.login === login);

/** Finds a customer by login. Throws SandboxRefusal. */
export async function customerOf(sandbox: Sandbox, login: string): Promise<TestCustomer> {
  const found = await findCustomer(sandbox, login);
  if (!found) throw noCustomer(login);
  return found;
}

/** What customers do on the bank's own pages, by the same functions, for programs. */
export function customerActs(parts: SandboxParts): CustomerActs {
  const { bank, sandbox } = parts;
  const idOf = async (login: string) => (await customerOf(sandbox, login)).customerId;
  return {
    async listConsents(login) {
      const given = await parts.consents.list(await idOf(login));
      return given.map((one) => ({
        consentId: one.consentId,
        kind: one.kind,
        clientId: one.clientId,
        status: one.status,
        accountIds: one.accountIds,
        authorisedAt: one.authorisedAt,
        expiresAt: one.expiresAt,
        deletedAt: one.deletedAt,
      }));
    },
    async listPayments(login) {
      const customerId = await idOf(login);
      const [upcoming, waiting] = await Promise.all([
        listUpcoming(parts, customerId),
        listWaitingOrders(parts, customerId),
      ]);
      return [
        ...waiting.map((order) => shown(parts, order, "AwaitsSignature", !order.signed)),
        ...upcoming.map((order) => shown(parts, order, "Upcoming", !order.fixed)),
      ];
    },
    async cancelOrder(login, orderId) {
      const customerId = await idOf(login);
      const result = await cancelOrder(parts, { orderId, customerId });
      if (result === "cancelled") return;
      if (result === "tooLate") {
        const order = await loadOrder(parts.database, orderId);
        const isCancelled = order?.status === "CANC";
        const message = isCancelled
          ? "The order has already been cancelled."
          : `It is too late to cancel the order: it is ${order?.status}.`;
        throw new SandboxRefusal(409, message);
      }
      const message = `${login} has no order with that id that can be cancelled.`;
      throw new SandboxRefusal(404, message);
    },
    async cancelDirectDebit(login, id) {
      requirePart(bank, "mandates");
      if (await bank.cancelDirectDebit(await idOf(login), id)) return;
      throw new SandboxRefusal(404, `${login} has no active direct debit with that id.`);
    },
    async addPayee(login, { reference = null, name, ...account }) {
      requirePart(bank, "payees");
      const creditor = { ...account, name, secondaryIdentification: null };
      const payee = { creditor, creditorBic: null, reference };
      if (await bank.saveBeneficiary(await idOf(login), payee)) return;
      throw new SandboxRefusal(409, "The account is already on the customer's list of payees.");
    },
  };
}

function requirePart(bank: Bank, part: BankPart): void {
  if (hasPart(bank, part)) return;
  throw new SandboxRefusal(
    409,
    `The bank's core lacks the part ${part}: about.parts does not name it.`,
  );
}

function shown(
  { kinds, config }: SandboxParts,
  order: PlacedOrder & { executeAt?: Temporal.Instant },
  state: "AwaitsSignature" | "Upcoming",
  canAct: boolean,
) {
  const { orderId, clientId, kind, debtorAccountId, payment, executeAt } = order;
  const { amount, payee } = kindNamed(kind, kinds).shape.listed(order, config);
  return {
    orderId,
    clientId,
    kind,
    accountId: debtorAccountId,
    state,
    canAct,
    amount: {
      amount: formatAmount(payment.amount.amountMinor, payment.amount.currency),
      currency: payment.amount.currency,
    },
    text: `${amount} to ${payee}`,
    executeAt: executeAt?.toString() ?? null,
  };
}
