// Cores that are each broken in one way: the sandbox's bank, with a call or an answer replaced.
import type { Bank } from "#src/bank/port.ts";
import { attaching } from "./attaching-core.ts";
import type { BrokenCore } from "./broken-core.ts";
import { identityCores } from "./broken-identity.ts";
import { moneyCores } from "./broken-money.ts";
import { rateCores } from "./broken-rates.ts";
import { bankFile } from "./served-core.ts";

const none = (): Partial<Bank> => ({});
type Page = Record<string, unknown> & { position: { cursor: string } };

/** The page without its last transaction if it has this many. */
function withoutLastOf(page: Page | null, full: number): Page | null {
  const { transactions = [], ...rest } = (page ?? {}) as { transactions?: unknown[] };
  const isFull = transactions.length === full;
  return page && isFull ? { ...(rest as Page), transactions: transactions.slice(0, -1) } : page;
}

/** The page with a time up to which the core calls everything delivered. */
const deliveredUpTo = (page: Page | null, at: Temporal.Instant): Page | null =>
  page && { ...page, position: { ...page.position, deliveredUpTo: at.toString() } as never };
const { other } = bankFile.accounts;

/** Changes the bytes of each answer. */
const answering =
  (change: (text: string) => string | Buffer): BrokenCore["make"] =>
  () =>
  (app) => {
    app.addHook("onSend", async (_request, _reply, payload) => change(String(payload)));
  };

const accountCores: readonly BrokenCore[] = [
  {
    name: "writes a customer's name in Latin-1",
    caughtBy: "K2-01",
    groups: ["K2-01"],
    make: answering((text) =>
      Buffer.from(text.replace('"name":"', '"name":"\u00c9milie '), "latin1"),
    ),
  },
  {
    name: "lists another customer's account",
    caughtBy: "K3-04",
    groups: ["K3"],
    make: ({ bank }) => ({
      async listAccounts(customerId, wanted) {
        const found = await bank.listAccounts(customerId, wanted);
        const leaked = await bank.loadAccount(other);
        const isThere = found.some(({ accountId }) => accountId === other);
        return leaked && !isThere && found.length > 0 ? [...found, leaked] : found;
      },
    }),
  },
  {
    name: "answers 200 with a body that does not fit the contract",
    caughtBy: "K3-20",
    also: ["K3-21", "K3-22", "K3-25"],
    groups: ["K3"],
    make: ({ bank }) => ({
      async confirmFunds(accountId, amount) {
        const isCovered: unknown = (await bank.confirmFunds(accountId, amount)) ? "yes" : "no";
        return isCovered as boolean; // it is wrong on purpose
      },
    }),
  },
  {
    name: "covers a payment from a blocked account",
    caughtBy: "K3-25",
    groups: ["K3-20", "K3-21", "K3-22", "K3-25"],
    make: ({ bank }) => ({
      async confirmFunds(accountId, { amountMinor }) {
        const funds = (await bank.loadFunds([accountId])).get(accountId);
        return funds !== undefined && funds.availableMinor >= amountMinor;
      },
    }),
  },
  {
    name: "says both that an amount is covered and that it is not",
    caughtBy: "K3-20",
    also: ["K3-21", "K3-22"],
    groups: ["K3-20", "K3-21", "K3-22"],
    make: answering((text) => text.replace('"isCovered":', '"isCovered":false,"isCovered":')),
  },
  {
    name: "lists accounts in another order each time",
    caughtBy: "K3-02",
    groups: ["K3"],
    make: ({ bank }) => {
      let count = 0;
      return {
        async listAccounts(customerId, wanted) {
          count += 1;
          const found = await bank.listAccounts(customerId, wanted);
          return count % 2 === 0 ? found.toReversed() : found;
        },
      };
    },
  },
  {
    name: "repeats in an error what it was sent",
    caughtBy: "K8-01",
    groups: ["K8-01", "K8-02", "K8-03", "K8-04"],
    make: () => (app) => {
      app.addHook("preHandler", async (request, reply) => {
        const { password } = (request.body ?? {}) as { password?: unknown };
        if (typeof password !== "number") return undefined;
        const title = `wrong: ${JSON.stringify(request.body)}`;
        return reply.code(400).type("application/problem+json").send({ title });
      });
    },
  },
];

const factCores: readonly BrokenCore[] = [
  {
    name: "uses the version of a fact again",
    caughtBy: "K7-12",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) => {
      const page = (await read(after, limit)) as Page | null;
      const balances = page?.balances as { version: unknown }[] | undefined;
      return balances
        ? { ...page, balances: balances.map((one) => ({ ...one, version: 1 })) }
        : page;
    },
  },
  {
    name: "forgets transactions after a cursor",
    caughtBy: "K7-10",
    also: ["K7-15", "K7-18", "K7-19"],
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) => {
      const page = (await read(after, limit)) as Page | null;
      if (after === null || !page) return page;
      const { transactions: _, ...rest } = page;
      return rest;
    },
  },
  {
    name: "repeats an account after the last cursor",
    caughtBy: "K7-06",
    groups: ["K7-02", "K7-03", "K7-06", "K7-07", "K7-08", "K7-09", "K7-13"],
    make: none,
    feed: (read) => {
      let first: unknown[] = [];
      return async (after, limit) => {
        const page = (await read(after, limit)) as Page | null;
        const found = page?.holders as unknown[] | undefined;
        if (found) first = found.slice(0, 1);
        const isEnd = page?.position.cursor === after;
        return isEnd && page ? { ...page, holders: first } : page;
      };
    },
  },
  {
    name: "does not say that a payee was removed",
    caughtBy: "K7-14",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) => {
      const page = (await read(after, limit)) as Page | null;
      if (!page) return page;
      const { removed: _, ...rest } = page;
      return rest;
    },
  },
  {
    name: "takes a cursor that it does not know for the beginning",
    caughtBy: "K7-05",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) => (await read(after, limit)) ?? read(null, limit),
  },
  {
    name: "has pages of 20 changes, and skips the last transaction of each",
    caughtBy: "K7-15",
    // without K7-13, because the second reader of this core may have other pages
    groups: ["K7-10", "K7-11", "K7-12", "K7-14", "K7-15", "K7-16", "K7-17"],
    make: none,
    feed: (read) => async (after) => withoutLastOf((await read(after, 20)) as Page | null, 20),
  },
  {
    name: "skips the last transaction if there are as many as Aldgate would like",
    caughtBy: "K7-16",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) =>
      withoutLastOf((await read(after, limit)) as Page | null, limit),
  },
  {
    name: "does not send a payment whose reservation it has sent",
    caughtBy: "K7-18",
    groups: ["K7-18"],
    make: none,
    feed: (read) => {
      let reserved: string | null = null;
      return async (after, limit) => {
        const page = (await read(after, limit)) as Page | null;
        const { transactions: sent, ...others } = (page ?? {}) as Partial<Page>;
        if (sent) return after !== null && after === reserved ? others : page;
        if (page?.balances) reserved = page.position?.cursor ?? null;
        return page;
      };
    },
  },
  {
    name: "sends a debit without its charge",
    caughtBy: "K7-19",
    groups: ["K7-10", "K7-18", "K7-19"],
    make: none,
    feed: (read) => async (after, limit) => {
      const page = (await read(after, limit)) as Page | null;
      const { transactions } = (page ?? {}) as { transactions?: { information: unknown }[] };
      const rest = transactions?.filter(({ information }) => information !== "Payment fee");
      return page && rest ? { ...page, transactions: rest } : page;
    },
  },
  {
    name: "says that the changes of the next ten years have been delivered",
    caughtBy: "K7-17",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) =>
      deliveredUpTo(
        (await read(after, limit)) as Page | null,
        Temporal.Now.instant().add({ hours: 10 * 365 * 24 }),
      ),
  },
  {
    name: "says on each page that everything until now has been delivered",
    caughtBy: "K7-17",
    groups: ["K7"],
    make: none,
    feed: (read) => async (after, limit) =>
      deliveredUpTo((await read(after, limit)) as Page | null, Temporal.Now.instant()),
  },
];

const attachingCores: readonly BrokenCore[] = [
  {
    name: "attaches data to consents without saying so",
    caughtBy: "K12-01",
    groups: ["K12"],
    make: ({ bank }) => ({ ...attaching(bank), attachesData: false }),
  },
  {
    name: "refuses to renew a consent to which it has attached data",
    caughtBy: "K12-02",
    groups: ["K12"],
    make({ bank }) {
      const calls = attaching(bank);
      return {
        ...calls,
        async assess(consent) {
          if (consent.attachedData === undefined) return calls.assess(consent);
          const reason = { code: "AM14", text: "It has been assessed." };
          return { result: "refuse", customerText: "You have asked before.", reason };
        },
      };
    },
  },
  {
    name: "attaches more data than Aldgate keeps",
    caughtBy: "K12-01",
    also: ["K11-14", "K12-02", "K12-03", "K12-04"],
    groups: ["K11-14", "K12"],
    make: ({ bank }) => ({
      ...attaching(bank),
      assess: async () => ({ result: "allow", attachedData: "a".repeat(4097) }),
    }),
  },
  {
    name: "does not take a notice with the data that it has attached",
    caughtBy: "K12-04",
    groups: ["K12"],
    make: ({ bank }) => ({
      ...attaching(bank),
      async tell(notices) {
        if (notices.some((one) => one.attachedData)) throw new Error("an unknown member");
      },
    }),
  },
];

/** Every broken core. */
export const brokenCores: readonly BrokenCore[] = [
  ...moneyCores,
  ...identityCores,
  ...accountCores,
  ...factCores,
  ...attachingCores,
  ...rateCores,
];
