import type { BankAccount } from "#src/bank/port.ts";
import { expectSame, expectThat, NotAsked } from "./expect.ts";
import type { AccountRole, Kit } from "./kit.ts";
import type { KitGroup } from "./kit-case.ts";

const lists =
  "listAccounts returns the accounts that a customer holds or may sign for, in any status and in " +
  "a stable order.";
const finds = "findAccount returns the account with a number, among those that are not closed.";
const funds = "loadFunds returns the balances of accounts now.";
const covers = "confirmFunds says whether a debit of this amount would be covered now.";
const none = "An object that does not exist is null.";

const roles: readonly AccountRole[] = ["own", "joint", "empty", "foreign", "blocked", "closed"];

async function idsOf(kit: Kit, index: 0 | 1): Promise<string[]> {
  const { customerId } = await kit.customer(index);
  return (await kit.call("listAccounts", customerId)).map(({ accountId }) => accountId);
}

/** The numbers of an account, by their schemes. */
const numbersOf = ({ sortCodeAccountNumber, iban }: BankAccount): [string, string][] => [
  ...(sortCodeAccountNumber === null
    ? []
    : [["UK.OBIE.SortCodeAccountNumber", sortCodeAccountNumber] as [string, string]]),
  ...(iban === null ? [] : [["UK.OBIE.IBAN", iban] as [string, string]]),
];

/** Finds an account by each of its numbers. */
async function findByAll(kit: Kit, account: BankAccount) {
  const numbers = numbersOf(account);
  if (numbers.length === 0) throw new NotAsked(`${account.accountId} has no number`);
  const second = account.secondaryIdentification ?? null;
  return Promise.all(
    numbers.map(([scheme, number]) => kit.call("findAccount", scheme, number, second)),
  );
}

/** K3: what the customer has. */
export const accountCases: KitGroup = {
  id: "K3",
  name: "accounts",
  about: "Accounts, their numbers and their balances",
  cases: [
    {
      id: "K3-01",
      title: "the accounts of bank.json are listed, whatever their status",
      calls: ["listAccounts"],
      rule: lists,
      async run(kit) {
        const listed = [...(await idsOf(kit, 0)), ...(await idsOf(kit, 1))];
        const named = [...roles, "other" as const].flatMap((role) => kit.file.accounts[role] ?? []);
        const missing = named.filter((id) => !listed.includes(id));
        expectSame(missing, [], "the accounts of bank.json that are not listed");
      },
    },
    {
      id: "K3-02",
      title: "the list has the same order each time",
      calls: ["listAccounts"],
      rule: lists,
      async run(kit) {
        const before = await idsOf(kit, 0);
        for (let count = 0; count < 3; count += 1) {
          expectSame(await idsOf(kit, 0), before, "the same order");
        }
      },
    },
    {
      id: "K3-03",
      title: "no account is listed twice",
      calls: ["listAccounts"],
      rule: lists,
      async run(kit) {
        const ids = await idsOf(kit, 0);
        expectSame(ids, [...new Set(ids)], "each account once");
      },
    },
    {
      id: "K3-04",
      title: "an account of another customer is not listed",
      calls: ["listAccounts"],
      rule: lists,
      async run(kit) {
        const [one, other] = [await idsOf(kit, 0), await idsOf(kit, 1)];
        expectThat(!one.includes(kit.idOf("other")), "no account of the second customer", one);
        expectThat(!other.includes(kit.idOf("own")), "no account of the first customer", other);
      },
    },
    {
      id: "K3-05",
      title: "a joint account is listed for both customers",
      calls: ["listAccounts"],
      asks: ["joint"],
      rule: lists,
      async run(kit) {
        const joint = kit.idOf("joint");
        const [one, other] = [await idsOf(kit, 0), await idsOf(kit, 1)];
        expectThat(one.includes(joint), `${joint} in the first list`, one);
        expectThat(other.includes(joint), `${joint} in the second list`, other);
      },
    },
    {
      id: "K3-06",
      title: "a customer who does not exist has no accounts",
      calls: ["listAccounts"],
      rule: lists,
      async run(kit) {
        expectSame(await kit.call("listAccounts", "no-such-customer"), [], "the accounts");
      },
    },
    {
      id: "K3-07",
      title: "a blocked account says so",
      calls: ["loadAccount"],
      asks: ["blocked"],
      rule: lists,
      async run(kit) {
        expectSame((await kit.account("blocked")).status, "Disabled", "the status");
      },
    },
    {
      id: "K3-08",
      title: "a closed account says so",
      calls: ["loadAccount"],
      asks: ["closed"],
      rule: lists,
      async run(kit) {
        expectSame((await kit.account("closed")).status, "Deleted", "the status");
      },
    },
    {
      id: "K3-09",
      title: "a listed account can be read with the same members",
      calls: ["listAccounts", "loadAccount"],
      rule: "listAccounts and loadAccount describe an account alike.",
      async run(kit) {
        const { customerId } = await kit.customer(0);
        for (const { funds: _, ...listed } of await kit.call("listAccounts", customerId)) {
          const read = (await kit.call("loadAccount", listed.accountId)) ?? {};
          expectSame(sorted(read), sorted(listed), "the listed account");
        }
      },
    },
    {
      id: "K3-10",
      title: "there is no account with an unknown id",
      calls: ["loadAccount"],
      rule: none,
      async run(kit) {
        expectSame(await kit.call("loadAccount", "no-such-account"), null, "the account");
      },
    },
    {
      id: "K3-11",
      title: "balances in the list are those of the accounts",
      calls: ["listAccounts", "loadFunds"],
      rule: funds,
      async run(kit) {
        const { customerId } = await kit.customer(0);
        const listed = await kit.call("listAccounts", customerId, { funds: true });
        const own = listed.find(({ accountId }) => accountId === kit.idOf("own"));
        if (!own?.funds) throw new NotAsked("the list has no balances");
        expectSame(sorted(own.funds), sorted(await kit.funds(own.accountId)), "the balances");
      },
    },
    {
      id: "K3-12",
      title: "the balances of two accounts come in one answer",
      calls: ["loadFunds"],
      rule: funds,
      async run(kit) {
        const ids = [kit.idOf("own"), kit.idOf("other")];
        const found = await kit.call("loadFunds", ids);
        expectSame([...found.keys()].sort(), ids.toSorted(), "the accounts with balances");
      },
    },
    {
      id: "K3-13",
      title: "an account that does not exist has no balances, and the others have theirs",
      calls: ["loadFunds"],
      rule: funds,
      async run(kit) {
        const found = await kit.call("loadFunds", ["no-such-account", kit.idOf("own")]);
        expectSame([...found.keys()], [kit.idOf("own")], "the accounts with balances");
      },
    },
    {
      id: "K3-14",
      title: "balances are in the currency of the account",
      calls: ["loadFunds", "loadAccount"],
      rule: funds,
      async run(kit) {
        const { currency } = await kit.funds(kit.idOf("own"));
        expectSame(currency, (await kit.account("own")).currency, "the currency");
      },
    },
    {
      id: "K3-15",
      title: "an account in another currency has balances in that currency",
      calls: ["loadFunds", "loadAccount"],
      asks: ["foreign"],
      rule: funds,
      async run(kit) {
        const [own, foreign] = [await kit.account("own"), await kit.account("foreign")];
        expectThat(foreign.currency !== own.currency, "another currency", foreign.currency);
        const { currency } = await kit.funds(foreign.accountId);
        expectSame(currency, foreign.currency, "the currency");
      },
    },
    {
      id: "K3-16",
      title: "an account is found by each of its numbers",
      calls: ["findAccount"],
      rule: finds,
      async run(kit) {
        const own = await kit.account("own");
        for (const found of await findByAll(kit, own)) {
          const id = found === null || found === "ambiguous" ? found : found.accountId;
          expectSame(id, own.accountId, "the account");
        }
      },
    },
    {
      id: "K3-17",
      title: "a number that no account has finds nothing",
      calls: ["findAccount"],
      rule: finds,
      async run(kit) {
        const scheme = "UK.OBIE.SortCodeAccountNumber";
        const found = await kit.call("findAccount", scheme, "99999999999999", null);
        expectSame(found, null, "the account");
      },
    },
    {
      id: "K3-18",
      title: "a scheme that the core does not know finds nothing",
      calls: ["findAccount"],
      rule: finds,
      async run(kit) {
        const [[, number] = ["", "1"]] = numbersOf(await kit.account("own"));
        const found = await kit.call("findAccount", "XX.OTHER.Scheme", number, null);
        expectSame(found, null, "the account");
      },
    },
    {
      id: "K3-19",
      title: "a closed account is not found by its number",
      calls: ["findAccount"],
      asks: ["closed"],
      rule: finds,
      async run(kit) {
        const closed = await kit.account("closed");
        for (const found of await findByAll(kit, closed)) {
          const id = found === null || found === "ambiguous" ? found : found.accountId;
          expectThat(id !== closed.accountId, "another account, or none", id);
        }
      },
    },
    {
      id: "K3-20",
      title: "the smallest amount is covered",
      calls: ["confirmFunds"],
      rule: covers,
      async run(kit) {
        const { currency } = await kit.account("own");
        const isCovered = await kit.call("confirmFunds", kit.idOf("own"), {
          amountMinor: 1n,
          currency,
        });
        expectSame(isCovered, true, "one minor unit is covered");
      },
    },
    {
      id: "K3-21",
      title: "the available balance is covered, and one minor unit more is not",
      calls: ["confirmFunds", "loadFunds"],
      rule: covers,
      async run(kit) {
        const { availableMinor, currency } = await kit.funds(kit.idOf("own"));
        const ask = (amountMinor: bigint) =>
          kit.call("confirmFunds", kit.idOf("own"), { amountMinor, currency });
        expectSame(await ask(availableMinor), true, "the available balance is covered");
        expectSame(await ask(availableMinor + 1n), false, "one minor unit more is covered");
      },
    },
    {
      id: "K3-22",
      title: "an empty account covers nothing",
      calls: ["confirmFunds", "loadAccount"],
      asks: ["empty"],
      rule: covers,
      async run(kit) {
        const { accountId, currency } = await kit.account("empty");
        const isCovered = await kit.call("confirmFunds", accountId, { amountMinor: 1n, currency });
        expectSame(isCovered, false, "one minor unit is covered");
      },
    },
    {
      id: "K3-23",
      title: "the signatories of a joint account are its customers",
      calls: ["listSignatories"],
      asks: ["joint"],
      rule: "listSignatories lists the customers who may sign for an account.",
      async run(kit) {
        const found = await kit.call("listSignatories", kit.idOf("joint"));
        const ids = found.map(({ customerId }) => customerId);
        for (const index of [0, 1] as const) {
          const { customerId } = await kit.customer(index);
          expectThat(ids.includes(customerId), `${customerId} among the signatories`, ids);
        }
      },
    },
    {
      id: "K3-24",
      title: "the only signatory of an own account is its customer",
      calls: ["listSignatories"],
      rule: "listSignatories lists the customers who may sign for an account.",
      async run(kit) {
        const found = await kit.call("listSignatories", kit.idOf("own"));
        const ids = found.map(({ customerId }) => customerId);
        expectSame(ids, [(await kit.customer(0)).customerId], "the signatories");
      },
    },
    {
      id: "K3-25",
      title: "a blocked account covers nothing",
      calls: ["confirmFunds", "loadAccount"],
      asks: ["blocked"],
      rule: `${covers} Nobody can debit an account that is not Enabled.`,
      async run(kit) {
        const { accountId, currency } = await kit.account("blocked");
        const isCovered = await kit.call("confirmFunds", accountId, { amountMinor: 1n, currency });
        expectSame(isCovered, false, "one minor unit is covered");
      },
    },
  ],
};

/** An object with its members in one order. Absent and null are the same. */
const sorted = (value: object): object =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
