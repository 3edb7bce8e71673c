import { randomUUID } from "node:crypto";
import type {
  PaymentInstruction,
  PaymentOutcome,
  Reason,
  StatementReference,
} from "#src/bank/port.ts";
import { codeOf, type SecondAccount, secondAccounts, secondCustomers } from "./customers.ts";

type Payment = {
  instruction: PaymentInstruction;
  outcome: PaymentOutcome;
  released: boolean;
  receivedAt: Temporal.Instant;
};

const perPage = 5;

/** A movement of money: one entry per account and payment. */
export type Entry = { paymentId: string; accountId: string; amountMinor: bigint };

const noFunds: Reason = { code: "AM04", text: "InsufficientFunds" };
const blocked: Reason = { code: "AC06", text: "BlockedAccount" };
const withdrawn: Reason = { code: "MS03", text: "NotSpecifiedReasonAgentGenerated" };

/** The second bank's books, in memory. They are always correct, whatever faults its process has. */
export function createLedger() {
  const accounts = new Map(secondAccounts.map((one) => [one.accountId, { ...one, heldMinor: 0n }]));
  const payments = new Map<string, Payment>();
  const entries: Entry[] = [];

  const outcomeOf = (paymentId: string): PaymentOutcome => {
    const payment = payments.get(paymentId);
    if (!payment) return { state: "unknown" };
    return payment.released ? { state: "refused", reason: withdrawn } : payment.outcome;
  };

  const book = (paymentId: string, accountId: string, amountMinor: bigint): void => {
    const account = accounts.get(accountId);
    if (!account) return;
    account.bookedMinor += amountMinor;
    entries.push({ paymentId, accountId, amountMinor });
  };

  const totalOf = ({ amount, charge }: PaymentInstruction): bigint =>
    amount.amountMinor + (charge?.amountMinor ?? 0n);

  function reserve(instruction: PaymentInstruction): void {
    if (payments.has(instruction.paymentId)) return;
    const account = accounts.get(instruction.debtorAccountId);
    const total = totalOf(instruction);
    const refusal =
      account?.status !== "Enabled"
        ? blocked
        : account.bookedMinor - account.heldMinor < total
          ? noFunds
          : null;
    if (account && !refusal) account.heldMinor += total;
    const outcome: PaymentOutcome = refusal
      ? { state: "refused", reason: refusal }
      : { state: "reserved" };
    const receivedAt = Temporal.Now.instant();
    payments.set(instruction.paymentId, { instruction, outcome, released: false, receivedAt });
  }

  function execute({ paymentId }: PaymentInstruction): void {
    const payment = payments.get(paymentId);
    if (payment?.outcome.state !== "reserved" || payment.released) return;
    const { debtorAccountId, creditor, amount } = payment.instruction;
    letGo(payment);
    book(paymentId, debtorAccountId, -totalOf(payment.instruction));
    const payee = find(creditor.identification, creditor.secondaryIdentification);
    if (payee && payee !== "ambiguous") book(paymentId, payee.accountId, amount.amountMinor);
    payment.outcome = { state: "settled", posted: true };
  }

  function letGo({ instruction }: Payment): void {
    const account = accounts.get(instruction.debtorAccountId);
    if (account) account.heldMinor -= totalOf(instruction);
  }

  const find = (
    identification: string,
    secondary: string | null,
  ): SecondAccount | "ambiguous" | undefined => {
    const open = [...accounts.values()].filter(
      (one) => one.sortCodeAccountNumber === identification && one.status !== "Deleted",
    );
    if (secondary === null && open.length > 1) return "ambiguous";
    if (secondary === null) return open[0];
    return open.find((one) => one.secondaryIdentification === secondary);
  };

  const shown = ({ holders: _holders, bookedMinor: _booked, ...account }: SecondAccount) => {
    const { heldMinor: _held, ...rest } = account as typeof account & { heldMinor?: bigint };
    return rest;
  };

  // challenges without an answer
  const challenged = new Set<string>();

  const customer = (matches: (one: (typeof secondCustomers)[number]) => boolean) => {
    const found = secondCustomers.find(matches);
    if (!found) return null;
    return { customerId: found.customerId, login: found.login, name: found.name };
  };

  const fundsOf = (accountId: string) => {
    const account = accounts.get(accountId);
    if (!account) return undefined;
    const { bookedMinor, heldMinor, currency } = account;
    return { bookedMinor, availableMinor: bookedMinor - heldMinor, currency };
  };

  const calls: Record<string, (...given: never[]) => unknown> = {
    authenticate: (login: string, password: string) =>
      customer((one) => one.login === login && one.password === password),
    challenge: () => {
      const challengeId = `second-${randomUUID()}`;
      challenged.add(challengeId);
      const expiresAt = Temporal.Now.instant().add({ minutes: 5 });
      return { challengeId, method: "code", expiresAt };
    },
    verify: (challengeId: string, code: string) =>
      code === codeOf(challengeId) && challenged.delete(challengeId),
    loadCustomer: (customerId: string) => customer((one) => one.customerId === customerId),
    listAccounts: (customerId: string, wanted?: { funds: boolean }) =>
      [...accounts.values()]
        .filter((one) => one.holders.includes(customerId))
        .map((one) =>
          wanted?.funds ? { ...shown(one), funds: fundsOf(one.accountId) } : shown(one),
        ),
    loadAccount: (accountId: string) => {
      const account = accounts.get(accountId);
      return account ? shown(account) : null;
    },
    findAccount: (_scheme: string, identification: string, secondary: string | null) => {
      const account = find(identification, secondary);
      return account && account !== "ambiguous" ? shown(account) : (account ?? null);
    },
    loadFunds: (accountIds: string[]) =>
      new Map(accountIds.flatMap((id) => (fundsOf(id) ? [[id, fundsOf(id)]] : []))),
    listBeneficiaries: () => [],
    saveBeneficiary: () => false,
    trustBeneficiary: () => false,
    removeBeneficiary: () => false,
    listDirectDebits: () => [],
    cancelDirectDebit: () => false,
    confirmFunds: (accountId: string, amount: { amountMinor: bigint }) =>
      (fundsOf(accountId)?.availableMinor ?? -1n) >= amount.amountMinor,
    quoteRate: () => null,
    loadContract: () => null,
    price: () => null,
    reserve: (given: PaymentInstruction[]) => {
      given.forEach(reserve);
      return given.map(({ paymentId }) => outcomeOf(paymentId));
    },
    execute: (given: PaymentInstruction[]) => {
      given.forEach(execute);
      return given.map(({ paymentId }) => outcomeOf(paymentId));
    },
    ask: (paymentIds: string[]) => paymentIds.map(outcomeOf),
    listPayments: (since: Temporal.Instant, after: string | null) =>
      [...payments.values()]
        .filter(({ receivedAt }) => Temporal.Instant.compare(receivedAt, since) >= 0)
        .map(({ instruction, receivedAt }) => {
          const { paymentId, debtorAccountId, amount } = instruction;
          return { paymentId, debtorAccountId, amount, receivedAt };
        })
        .sort((one, other) => (one.paymentId < other.paymentId ? -1 : 1))
        .filter(({ paymentId }) => after === null || paymentId > after)
        .slice(0, perPage),
    loadStatementDocument: ({ statementId, customerId }: StatementReference) =>
      Buffer.from(`%PDF-1.7 ${statementId} for ${customerId}`),
    release: (paymentIds: string[]) => {
      for (const id of paymentIds) {
        const payment = payments.get(id);
        if (payment?.outcome.state !== "reserved" || payment.released) continue;
        letGo(payment);
        payment.released = true;
      }
      return null;
    },
  };
  return {
    calls,
    /** The codes that the customers have received and not yet entered. */
    codes: () => [...challenged].map(codeOf),
    /** All entries and balances, for tests that no payment is lost or made twice. */
    books: () => ({
      entries,
      accounts: [...accounts.values()].map(({ accountId, bookedMinor, heldMinor }) => ({
        accountId,
        bookedMinor,
        heldMinor,
      })),
    }),
  };
}
