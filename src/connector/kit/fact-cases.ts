import { countOf, textOf } from "#src/lib/plain-text.ts";
import { expectSame, expectThat } from "./expect.ts";
import { feedCases } from "./feed-cases.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import {
  type FactWalk,
  readAll,
  readOn,
  readPage,
  type SentFact,
  sendChanges,
  sharedWalk,
  untilSo,
  walkFrom,
} from "./read-facts.ts";

const continues = "readChanges returns what has changed after a cursor.";
const versions = "Only a newer version of a fact is stored, so a change has a higher version.";
const order = "An account comes before its other facts.";
const soon = "A change is among the facts soon after it was made.";

const smallPage = 5;
const endTries = 3;

const row = (
  id: string,
  title: string,
  rule: string,
  run: KitCase["run"],
  more: { calls?: KitCase["calls"]; asks?: KitCase["asks"] } = {},
): KitCase => ({
  id,
  title,
  calls: ["readChanges", ...(more.calls ?? [])],
  ...(more.asks ? { asks: more.asks } : {}),
  rule,
  run,
});

const pays = {
  calls: ["reserve", "execute", "loadFunds"],
  asks: ["mayBeSpent"],
} as const;

const isOwnBalance = (kit: Kit, sent: SentFact): boolean =>
  sent.kind === "balances" && sent.fact.accountId === kit.idOf("own");

/** Makes a payment, once, and returns a walk that goes on from before it. */
async function walkBeforePayment(kit: Kit): Promise<FactWalk> {
  const walk = await kit.shared("payment among the facts", async () => {
    const shared = await sharedWalk(kit);
    await readOn(kit, shared);
    const before = walkFrom(shared);
    await kit.pay(await kit.payment({ minor: 7n }));
    return before;
  });
  return walkFrom(walk);
}

/** Whether a fact is the debit of the own account with this amount. */
const isDebitOf =
  (kit: Kit, minor: bigint) =>
  ({ kind, fact }: SentFact): boolean => {
    const { amountMinor } = (fact.amount ?? {}) as { amountMinor?: unknown };
    const isOwn = kind === "transactions" && fact.accountId === kit.idOf("own");
    return isOwn && textOf(amountMinor) === String(minor) && fact.indicator === "Debit";
  };

/** The charge that a transaction says in its particulars, in minor units. */
function chargeIn(sent: SentFact | undefined): string {
  const { charge } = (sent?.fact.particulars ?? {}) as { charge?: { amountMinor?: unknown } };
  return textOf(charge?.amountMinor);
}

type OwnBalances = { type: string; amountMinor: string | number }[];

/** K7: account data. */
export const factCases: KitGroup = {
  id: "K7",
  name: "facts",
  about: "Account data, its cursor and its versions",
  cases: [
    row("K7-01", "the first page has a cursor, and fits the contract", continues, async (kit) => {
      const { cursor } = await readPage(kit, null);
      expectThat(cursor !== null, "a cursor", cursor);
    }),
    row("K7-02", "every page fits the contract, and the pages end", continues, async (kit) => {
      const { pages, model } = await sharedWalk(kit);
      kit.notes.push(`${countOf(pages, "page", "pages")}, ${countOf(model.size, "fact", "facts")}`);
      expectThat(model.size > 0, "facts", "there is none");
    }),
    row("K7-03", "the same cursor gives the same facts again", continues, async (kit) => {
      const first = await readPage(kit, null, smallPage);
      const [one, other] = [
        await readPage(kit, first.cursor, smallPage),
        await readPage(kit, first.cursor, smallPage),
      ];
      const names = ({ facts }: typeof one) => facts.map(({ kind, key }) => `${kind} ${key}`);
      expectSame(names(other), names(one), "the same facts");
    }),
    row("K7-04", "after a small page, the cursor moves on", continues, async (kit) => {
      const first = await readPage(kit, null, smallPage);
      const second = await readPage(kit, first.cursor, smallPage);
      const isMoving = first.cursor !== second.cursor || second.facts.length === 0;
      expectThat(isMoving, "a cursor that moves", second.cursor);
    }),
    row("K7-05", "a cursor that the core has not given is rejected", continues, async (kit) => {
      const { status } = await sendChanges(kit, "no such cursor \u{1f600}");
      const isRejected = status !== null && status >= 400;
      expectThat(isRejected, "an answer of status 400 or higher", status);
    }),
    row("K7-06", "at the end, nothing comes again", continues, async (kit) => {
      const walk = await sharedWalk(kit);
      const ids: unknown[] = Object.values(kit.file.accounts);
      let again: SentFact[] = [];
      // something may really have changed meanwhile, but not each time
      for (let count = 0; count < endTries; count += 1) {
        await readOn(kit, walk);
        const { facts } = await readPage(kit, walk.cursor);
        again = facts.filter(({ fact }) => ids.includes(fact.accountId));
        if (again.length === 0) return;
      }
      const names = again.map(({ kind, key }) => `${kind} ${key}`);
      expectSame(names, [], "the facts of these accounts after the last cursor");
    }),
    row("K7-07", "accounts come before their other facts", order, async (kit) => {
      const { faults } = await sharedWalk(kit);
      const early = faults.filter((fault) => fault.endsWith("came before its account"));
      expectSame(early.slice(0, 3), [], "the facts that came too early");
    }),
    row("K7-08", "the accounts of both customers are among the facts", continues, async (kit) => {
      const { model } = await sharedWalk(kit);
      const ids = Object.values(kit.file.accounts);
      const missing = ids.filter((id) => !model.has(`accounts ${id}`));
      expectSame(missing, [], "the accounts of bank.json that are missing");
    }),
    row("K7-09", "the holders of an account are among the facts", continues, async (kit) => {
      const { model } = await sharedWalk(kit);
      const { customerId } = await kit.customer(0);
      const key = `holders ${kit.idOf("own")} ${customerId}`;
      expectThat(model.has(key), key, "it is missing");
    }),
    row(
      "K7-10",
      "a payment is among the facts as a transaction",
      soon,
      async (kit) => {
        const walk = await walkBeforePayment(kit);
        const found = await untilSo(kit, walk, (sent) => sent.find(isDebitOf(kit, 7n)));
        expectThat(found !== undefined, "a debit of 7 minor units", "it did not come");
      },
      pays,
    ),
    row(
      "K7-11",
      "after a payment, the balances among the facts are those that loadFunds returns",
      soon,
      async (kit) => {
        const walk = await walkBeforePayment(kit);
        const now = (await kit.funds(kit.idOf("own"))).bookedMinor;
        const isNow = (sent: SentFact): boolean =>
          isOwnBalance(kit, sent) &&
          (sent.fact.balances as OwnBalances).some(
            ({ type, amountMinor }) => type === "InterimBooked" && BigInt(amountMinor) === now,
          );
        const found = await untilSo(kit, walk, (sent) => sent.find(isNow));
        expectThat(found !== undefined, `InterimBooked of ${now} minor units`, "it did not come");
      },
      pays,
    ),
    row(
      "K7-12",
      "what has changed has a higher version",
      versions,
      async (kit) => {
        const walk = await walkBeforePayment(kit);
        await untilSo(kit, walk, (sent) => sent.find((one) => isOwnBalance(kit, one)));
        const { faults } = await sharedWalk(kit);
        const reused = [...faults, ...walk.faults].filter((one) => one.includes("still has"));
        expectSame([...new Set(reused)].slice(0, 3), [], "the versions that were used twice");
      },
      pays,
    ),
    row("K7-13", "a second reader has the same facts as the first", versions, async (kit) => {
      const walk = await sharedWalk(kit);
      await readOn(kit, walk);
      const again = await readAll(kit);
      const differing = [...walk.model].flatMap(([name, { version, hash }]) => {
        const other = again.model.get(name);
        if (!other) return [`${name} is missing`];
        return other.version === version && other.hash !== hash ? [`${name} differs`] : [];
      });
      const more = [...again.model.keys()].filter((name) => !walk.model.has(name));
      expectSame(differing.slice(0, 3), [], "the facts that differ");
      expectSame(more.slice(0, 3), [], "the facts that only the second reader has");
    }),
    row(
      "K7-14",
      "a payee that is saved and removed is among the facts, then no more",
      soon,
      async (kit) => {
        const walk = await sharedWalk(kit);
        await readOn(kit, walk);
        const { customerId } = await kit.customer(0);
        const { creditor } = await kit.payment();
        const payee = {
          creditor: { ...creditor, name: "Kit" },
          creditorBic: null,
          reference: null,
        };
        await kit.call("saveBeneficiary", customerId, payee);
        const saved = await untilSo(kit, walk, (sent) =>
          sent.find(
            ({ kind, fact }) =>
              kind === "beneficiaries" && fact.identification === creditor.identification,
          ),
        );
        expectThat(saved !== undefined, "the payee among the facts", "it did not come");
        await kit.call("removeBeneficiary", customerId, saved.key);
        const isGone = await untilSo(kit, walk, () =>
          walk.model.has(`beneficiaries ${saved.key}`) ? undefined : true,
        );
        expectThat(isGone === true, "the removal of the payee", "it did not come");
      },
      { calls: ["saveBeneficiary", "removeBeneficiary"], asks: [] },
    ),
    ...feedCases,
    row(
      "K7-18",
      "a payment whose reservation has been read is a transaction after that cursor",
      continues,
      async (kit) => {
        const walk = walkFrom(await sharedWalk(kit));
        const payment = await kit.payment({ minor: 8n });
        await kit.reserve(payment);
        await readOn(kit, walk);
        await kit.call("execute", [payment]);
        const found = await untilSo(kit, walk, (sent) => sent.find(isDebitOf(kit, 8n)));
        expectThat(found !== undefined, "a debit of 8 minor units", "it did not come");
      },
      pays,
    ),
    row(
      "K7-19",
      "the charge of a payment is among the facts",
      "A debit has its charge in its amount or in particulars, or the charge is a debit of its own.",
      async (kit) => {
        const walk = walkFrom(await sharedWalk(kit));
        await readOn(kit, walk);
        const { currency } = await kit.account("own");
        await kit.pay(await kit.payment({ minor: 9n, charge: { amountMinor: 5n, currency } }));
        const found = await untilSo(kit, walk, (sent) => {
          const debit = (minor: bigint) => sent.find(isDebitOf(kit, minor));
          return debit(14n) ?? (chargeIn(debit(9n)) === "5" ? debit(9n) : debit(9n) && debit(5n));
        });
        const expected = "a debit of 9 minor units with its charge of 5";
        expectThat(found !== undefined, expected, "it did not come");
      },
      pays,
    ),
  ],
};
