// Cores that are each broken in one way with payments.
import { type Bank, BankError, type PaymentInstruction } from "#src/bank/port.ts";
import type { ServedCore } from "#src/connector/serve-core.ts";
import { newId } from "#src/lib/ids.ts";
import type { BrokenCore } from "./broken-core.ts";
import { bankFile } from "./served-core.ts";

const copyOf = (payment: PaymentInstruction): PaymentInstruction => ({
  ...payment,
  paymentId: newId("pay"),
});

/** Makes a payment once more, under another id. */
async function payAgain({ bank }: ServedCore, payments: PaymentInstruction[]): Promise<void> {
  const copies = payments.map(copyOf);
  await bank.reserve(copies);
  await bank.execute(copies);
}

const anyPayment: PaymentInstruction = {
  paymentId: "",
  debtorAccountId: bankFile.accounts.own,
  amount: { amountMinor: 1n, currency: "GBP" },
  charge: null,
  creditor: {
    schemeName: "UK.OBIE.SortCodeAccountNumber",
    identification: "20000319825731",
    name: null,
    secondaryIdentification: null,
  },
  endToEndId: null,
  reference: null,
  localInstrument: null,
  international: null,
};

/** Executes a payment again whenever it is asked to. */
function bookTwice(core: ServedCore): Partial<Bank> {
  const made = new Set<string>();
  return {
    async execute(payments) {
      await payAgain(
        core,
        payments.filter(({ paymentId }) => made.has(paymentId)),
      );
      for (const { paymentId } of payments) made.add(paymentId);
      return core.bank.execute(payments);
    },
  };
}

/** The cores. */
export const moneyCores: readonly BrokenCore[] = [
  {
    name: "books a payment again when execute comes again",
    caughtBy: "K4-13",
    also: ["K4-14", "K4-26", "K4-29"],
    groups: ["K4"],
    make: bookTwice,
  },
  {
    name: "books a payment again after a lost answer",
    caughtBy: "K5-15",
    also: [],
    groups: ["K5-08", "K5-10", "K5-15"],
    make: bookTwice,
  },
  {
    name: "says that reserved money is still available",
    caughtBy: "K4-01",
    also: ["K4-05", "K4-06", "K4-07", "K4-11", "K4-23", "K4-25", "K4-30"],
    groups: ["K4"],
    make: ({ bank }) => ({
      async loadFunds(ids) {
        const found = await bank.loadFunds(ids);
        for (const funds of found.values()) funds.availableMinor = funds.bookedMinor;
        return found;
      },
    }),
  },
  {
    name: "forgets a hold while another is made",
    caughtBy: "K4-30",
    groups: ["K4"],
    make: ({ bank }) => ({
      async reserve(payments) {
        const found = await bank.reserve(payments);
        const isLarge = payments.every(({ amount }) => amount.amountMinor > 1_000n);
        return isLarge && payments.length === 1 ? [{ state: "reserved" }] : found;
      },
    }),
  },
  {
    name: "returns outcomes in another order under the ids of the request",
    caughtBy: "K4-24",
    groups: ["K4"],
    make: ({ bank }) => ({
      async reserve(payments) {
        const found = await bank.reserve(payments);
        return [...found.slice(1), ...found.slice(0, 1)];
      },
    }),
  },
  {
    name: "accepts another amount under a known id",
    caughtBy: "K4-07",
    groups: ["K4"],
    make: ({ bank }) => {
      const known = new Map<string, bigint>();
      return {
        async reserve(payments) {
          for (const one of payments) {
            const first = known.get(one.paymentId);
            known.set(one.paymentId, first ?? one.amount.amountMinor);
            const isOther = first !== undefined && first !== one.amount.amountMinor;
            if (isOther) await bank.reserve([copyOf(one)]);
          }
          return bank.reserve(payments);
        },
      };
    },
  },
  {
    name: "says settled before the payment is made",
    caughtBy: "K4-12",
    also: ["K4-13", "K4-14", "K4-16", "K4-17", "K4-20", "K4-21", "K4-26"],
    groups: ["K4"],
    make: ({ bank }) => {
      const later = new Map<string, PaymentInstruction>();
      const catchUp = async (ids: string[]): Promise<void> => {
        const due = ids.flatMap((id) => later.get(id) ?? []);
        if (due.length > 0) await bank.execute(due);
      };
      return {
        async execute(payments) {
          const known = await bank.ask(payments.map(({ paymentId }) => paymentId));
          for (const one of payments) later.set(one.paymentId, one);
          return known.map((outcome) =>
            outcome.state === "reserved" ? { state: "settled", posted: true } : outcome,
          );
        },
        async reserve(payments) {
          await catchUp(payments.map(({ paymentId }) => paymentId));
          return bank.reserve(payments);
        },
        async release(ids) {
          await catchUp(ids);
          return bank.release(ids);
        },
        async ask(ids) {
          await catchUp(ids);
          return bank.ask(ids);
        },
      };
    },
  },
  {
    name: "does not release what it has reserved",
    caughtBy: "K4-08",
    also: ["K4-09", "K4-10", "K4-19"],
    groups: ["K4"],
    make: () => ({ release: async () => undefined }),
  },
  {
    name: "lists only the payments that it has not refused",
    caughtBy: "K4-31",
    groups: ["K4-27", "K4-31"],
    make: ({ bank }) => ({
      async listPayments(since, after) {
        const page = (await bank.listPayments?.(since, after)) ?? [];
        const states = await bank.ask(page.map(({ paymentId }) => paymentId));
        return page.filter((_, index) => states[index]?.state !== "refused");
      },
    }),
  },
  {
    name: "remembers a question about a payment as a payment",
    caughtBy: "K4-04",
    groups: ["K4"],
    make: ({ bank }) => {
      const asked = new Set<string>();
      return {
        async ask(ids) {
          const found = await bank.ask(ids);
          ids.forEach((id, index) => {
            if (found[index]?.state === "unknown") asked.add(id);
          });
          return found;
        },
        async reserve(payments) {
          const found = await bank.reserve(payments);
          const reason = { code: "MS03", text: "NotSpecifiedReason" };
          return found.map((outcome, index) =>
            asked.has(payments[index]?.paymentId ?? "") ? { state: "refused", reason } : outcome,
          );
        },
      };
    },
  },
  {
    name: "refuses a whole batch for one unknown account",
    caughtBy: "K4-25",
    groups: ["K4"],
    make: ({ bank }) => ({
      async reserve(payments) {
        const isBad = payments.some((one) => one.debtorAccountId === "no-such-account");
        if (isBad && payments.length > 1) throw new BankError("refused", "an account is unknown");
        return bank.reserve(payments);
      },
    }),
  },
  {
    name: "closes the connection without an answer when a batch is large",
    caughtBy: "K4-23",
    groups: ["K4"],
    make: () => (app) => {
      app.addHook("preHandler", async ({ body, raw }) => {
        const { payments = [] } = (body ?? {}) as { payments?: unknown[] };
        if (payments.length > 32) raw.socket.destroy();
      });
    },
  },
  {
    name: "answers 500 when a payment is not covered",
    caughtBy: "K10-01",
    also: ["K10-02", "K10-03", "K10-06", "K10-09"],
    groups: ["K10"],
    make: ({ bank }) => ({
      async reserve(payments) {
        const found = await bank.reserve(payments);
        const isShort = found.some((one) => one.state === "refused" && one.reason.code === "AM04");
        if (isShort) throw new Error("the balance does not suffice");
        return found;
      },
    }),
  },
  {
    name: "works on after the deadline, under an id of its own",
    caughtBy: "K6-04",
    groups: ["K6-04", "K6-05", "K6-06", "K6-07"],
    make:
      ({ bank }) =>
      (app) => {
        app.addHook("preHandler", async (request, reply) => {
          const isShort = Number(request.headers["aldgate-deadline-ms"]) < 50;
          if (!isShort || request.url !== "/payments/reserve") return undefined;
          await bank.reserve([copyOf(anyPayment)]);
          return reply.code(503).send({ title: "too late" });
        });
      },
  },
  {
    name: "loses its reservations at a restart",
    caughtBy: "K9-01",
    groups: ["K9"],
    make: ({ bank }) => {
      const known = new Set<string>();
      return {
        async reserve(payments) {
          for (const { paymentId } of payments) known.add(paymentId);
          return bank.reserve(payments);
        },
        async ask(ids) {
          const found = await bank.ask(ids);
          return found.map((outcome, index) =>
            outcome.state === "reserved" && !known.has(ids[index] ?? "")
              ? { state: "unknown" }
              : outcome,
          );
        },
      };
    },
  },
];
