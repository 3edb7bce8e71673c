import { consent, notice, orderOf } from "./asked-consents.ts";
import { expectSame, expectThat, NotAsked } from "./expect.ts";
import type { Kit } from "./kit.ts";
import type { KitCase, KitGroup } from "./kit-case.ts";
import { otherCurrency, overSwift } from "./other-currency.ts";
import { promisedRateCases } from "./promised-rate-cases.ts";

const none = "An object that does not exist is null.";
const rates = "1 unit currency = rate × other currency.";
const payees = "saveBeneficiary adds a payee, unless its account is already on the list.";
const tells = "A notice can come again, and is then ignored.";

const row = (
  id: string,
  title: string,
  calls: KitCase["calls"],
  rule: string,
  run: KitCase["run"],
): KitCase => ({ id, title, calls, rule, run });

async function newPayee(kit: Kit) {
  const { customerId } = await kit.customer(0);
  const { creditor } = await kit.payment();
  return {
    customerId,
    creditor,
    payee: { creditor: { ...creditor, name: "Kit" }, creditorBic: null, reference: "Kit" },
  };
}

/** The payees whose account is the kit's. */
async function kitPayees(kit: Kit) {
  const { customerId, creditor } = await newPayee(kit);
  const listed = await kit.call("listBeneficiaries", customerId);
  return listed.filter((one) => one.creditor.identification === creditor.identification);
}

async function removeAll(kit: Kit): Promise<void> {
  const { customerId } = await kit.customer(0);
  for (const { beneficiaryId } of await kitPayees(kit)) {
    await kit.call("removeBeneficiary", customerId, beneficiaryId);
  }
}

const payeeCases: readonly KitCase[] = [
  row(
    "K11-01",
    "a saved payee is on the list, once",
    ["listBeneficiaries", "saveBeneficiary", "removeBeneficiary"],
    payees,
    async (kit) => {
      await removeAll(kit);
      const { customerId, payee } = await newPayee(kit);
      expectSame(await kit.call("saveBeneficiary", customerId, payee), true, "it was saved");
      const again = await kit.call("saveBeneficiary", customerId, payee);
      const { length } = await kitPayees(kit);
      await removeAll(kit);
      expectSame(again, false, "it was saved again");
      expectSame(length, 1, "how often it is on the list");
    },
  ),
  row(
    "K11-02",
    "a removed payee is on the list no more",
    ["listBeneficiaries", "saveBeneficiary", "removeBeneficiary"],
    payees,
    async (kit) => {
      const { customerId, payee } = await newPayee(kit);
      await kit.call("saveBeneficiary", customerId, payee);
      await removeAll(kit);
      expectSame((await kitPayees(kit)).length, 0, "how often it is on the list");
    },
  ),
  row(
    "K11-03",
    "a payee can be trusted",
    ["listBeneficiaries", "saveBeneficiary", "trustBeneficiary", "removeBeneficiary"],
    payees,
    async (kit) => {
      const { customerId, payee } = await newPayee(kit);
      await kit.call("saveBeneficiary", customerId, payee);
      const [saved] = await kitPayees(kit);
      const id = saved?.beneficiaryId ?? "";
      await kit.call("trustBeneficiary", customerId, id, true);
      const [trusted] = await kitPayees(kit);
      await removeAll(kit);
      expectSame(saved?.isTrusted, false, "a new payee is trusted");
      expectSame(trusted?.isTrusted, true, "it is trusted then");
    },
  ),
  row(
    "K11-04",
    "there is no payee with an unknown id to remove",
    ["removeBeneficiary"],
    none,
    async (kit) => {
      const { customerId } = await kit.customer(0);
      const isDone = await kit.call("removeBeneficiary", customerId, "no-such-payee");
      expectSame(isDone, false, "it was removed");
    },
  ),
  row(
    "K11-05",
    "mandates are of the customer's accounts, active ones first",
    ["listDirectDebits", "listAccounts"],
    "listDirectDebits lists the mandates of a customer's accounts, active ones first.",
    async (kit) => {
      const { customerId } = await kit.customer(0);
      const accounts = await kit.call("listAccounts", customerId);
      const mandates = await kit.call("listDirectDebits", customerId);
      const ids = accounts.map(({ accountId }) => accountId);
      const foreign = mandates.filter(({ accountId }) => !ids.includes(accountId));
      expectSame(foreign.length, 0, "mandates of other accounts");
      const active = mandates.map(({ isActive }) => isActive);
      expectSame(
        active,
        active.toSorted((one, other) => Number(other) - Number(one)),
        "the order",
      );
    },
  ),
  row(
    "K11-06",
    "there is no mandate with an unknown id to cancel",
    ["cancelDirectDebit"],
    none,
    async (kit) => {
      const { customerId } = await kit.customer(0);
      const isDone = await kit.call("cancelDirectDebit", customerId, "no-such-mandate");
      expectSame(isDone, false, "it was cancelled");
    },
  ),
];

const rateCases: readonly KitCase[] = [
  row(
    "K11-07",
    "a quoted rate is of the currencies that were asked for",
    ["quoteRate"],
    rates,
    async (kit) => {
      const { own, other } = await otherCurrency(kit);
      const pair = { unitCurrency: own, otherCurrency: other };
      const quote = await kit.call("quoteRate", pair, "Indicative");
      expectThat(quote !== null, "a rate of currencies that /about has", quote);
      expectSame([quote.unitCurrency, quote.otherCurrency], [own, other], "the currencies");
      expectThat(Number(quote.rate) > 0, "a rate greater than 0", quote.rate);
    },
  ),
  row(
    "K11-08",
    "a guaranteed rate says until when",
    ["quoteRate"],
    "Actual: guaranteed until expiresAt.",
    async (kit) => {
      const { own, other } = await otherCurrency(kit);
      const pair = { unitCurrency: own, otherCurrency: other };
      const quote = await kit.call("quoteRate", pair, "Actual");
      if (quote === null) throw new NotAsked("the core gives no guaranteed rate now");
      const until = quote.expiresAt;
      const isLater = until !== null && Temporal.Instant.compare(until, Temporal.Now.instant()) > 0;
      expectThat(isLater, "a time in the future", until);
    },
  ),
  row("K11-09", "there is no rate of an unknown currency", ["quoteRate"], none, async (kit) => {
    const { currency } = await kit.account("own");
    const pair = { unitCurrency: currency, otherCurrency: "QZX" };
    expectSame(await kit.call("quoteRate", pair, "Indicative"), null, "the rate");
  }),
  row("K11-10", "there is no contract with an unknown id", ["loadContract"], none, async (kit) => {
    expectSame(await kit.call("loadContract", "no-such-contract"), null, "the contract");
  }),
  row(
    "K11-11",
    "an international payment is priced in the account's currency",
    ["price"],
    "The debit is in the account's currency, the credit in the transfer currency.",
    async (kit) => {
      const { own, other } = await otherCurrency(kit);
      const price = await kit.call("price", {
        debtorAccountId: kit.idOf("own"),
        amount: { amountMinor: 10_000n, currency: own },
        international: overSwift(other, null),
      });
      if (price === null) throw new NotAsked(`the core does not send ${other} in this way`);
      const currencies = [price.debit.currency, price.credit.currency];
      expectSame(currencies, [own, other], "the currencies of the debit and the credit");
    },
  ),
];

const adviceCases: readonly KitCase[] = [
  row(
    "K11-12",
    "the holder's name matches the account",
    ["confirmPayee"],
    "confirmPayee says whether an account belongs to a name.",
    async (kit) => {
      const { creditor } = await kit.payment();
      const { result } = await kit.call("confirmPayee", creditor);
      if (result === "unavailable") throw new NotAsked("the payee's bank does not answer");
      expectSame(result, "match", "the result");
    },
  ),
  row(
    "K11-13",
    "another name does not match the account",
    ["confirmPayee"],
    "confirmPayee says whether an account belongs to a name.",
    async (kit) => {
      const { creditor } = await kit.payment();
      const { result } = await kit.call("confirmPayee", { ...creditor, name: "Xq Wvutzky Jr" });
      const isMatch = result === "match" || result === "close match";
      expectThat(!isMatch, "no match", result);
    },
  ),
  row(
    "K11-14",
    "a consent is assessed, the same each time",
    ["assess"],
    "assess decides whether a customer may authorise a consent.",
    async (kit) => {
      const asked = await consent(kit);
      const [one, other] = [await kit.call("assess", asked), await kit.call("assess", asked)];
      expectSame(other.result, one.result, "the result");
    },
  ),
  row("K11-15", "notices are accepted, also when they come again", ["tell"], tells, async (kit) => {
    const told = [await notice(kit), await notice(kit)];
    await kit.call("tell", told);
    await kit.call("tell", told);
  }),
  row(
    "K11-16",
    "there is no document of an unknown statement",
    ["loadStatementDocument"],
    none,
    async (kit) => {
      const { customerId } = await kit.customer(0);
      const statement = { accountId: kit.idOf("own"), statementId: "no-such", customerId };
      expectSame(await kit.call("loadStatementDocument", statement), null, "the document");
    },
  ),
  row(
    "K11-17",
    "an order is assessed, the same each time",
    ["assessOrder"],
    "assessOrder decides whether an order is accepted, and from when it is paid.",
    async (kit) => {
      const asked = orderOf(kit, await consent(kit));
      const one = await kit.call("assessOrder", asked);
      expectSame((await kit.call("assessOrder", asked)).result, one.result, "the result");
    },
  ),
];

/** K11: payees, mandates, rates and advice. */
export const serviceCases: KitGroup = {
  id: "K11",
  name: "services",
  about: "Payees, mandates, rates and advice",
  cases: [...payeeCases, ...rateCases, ...adviceCases, ...promisedRateCases],
};
