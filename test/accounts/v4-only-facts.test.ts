// Facts that only v4.0 shows, or shows in other words than v3.1, as a bank feeds them. Each
// response is checked against the published schema of its version.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountFact } from "#src/account-store/facts.ts";
import type { AccountChanges } from "#src/account-store/feed.ts";
import type {
  StatementChannel,
  StatementDelivery,
  StatementFormat,
  StatementFrequency,
} from "#src/standard/shared/accounts/facts.ts";
import { accountFact, statementFact } from "./facts.ts";
import { AccountsBank } from "./fixture.ts";
import { type Item, readOnlyItem, readPersona, tokensFor } from "./read-items.ts";
import { openSeeded } from "./seeded-bank.ts";

const lei = "000000EXAMPLECOMPA43";
const accountId = "acc-company";

const account = accountFact({
  accountId,
  accountType: "Business",
  holderName: "Example Company Ltd",
  sortCodeAccountNumber: "20202010981789",
  companyId: "com-example",
  servicer: { bic: "ALDGGB2L", name: "Aldgate Bank" },
});

const company = {
  version: 1n,
  partyId: "com-example",
  name: "Example Company Ltd",
  legalStructure: "UK.OBIE.PrivateLimitedCompany",
  lei,
  contact: null,
};

const statement = statementFact({
  accountId,
  statementId: "stm-1",
  startsAt: Temporal.Instant.from("2026-10-01T00:00:00Z"),
  endsAt: Temporal.Instant.from("2026-11-01T00:00:00Z"),
  currency: "EUR",
  openingMinor: 100n,
  closingMinor: 150n,
  creditsMinor: 60n,
  debitsMinor: 10n,
  creditCount: 1,
  debitCount: 1,
});

let v3: AccountsBank;
let v4: AccountsBank;
let customerId: string;
let detail: string;
let basic: string;
let version = 1n;

const feed = (changes: AccountChanges) => createAccountFeed(v3.database).apply(changes);

const feedAccount = (given: Partial<AccountFact>) => {
  version += 1n;
  return feed({ accounts: [{ ...account, ...given, version }] });
};

before(async () => {
  v3 = await AccountsBank.open();
  v4 = v3.through("aisp-v4.0");
  customerId = await v3.addCustomer();
  await feed({
    parties: [company],
    accounts: [account],
    holders: [{ version: 1n, accountId, customerId, role: "signatory" }],
  });
  ({ detail, basic } = await tokensFor(v3, { accountId, customerId }));
});
after(() => v3.close());

const read = (bank: AccountsBank, path: string, name: string, token = detail) =>
  readOnlyItem(bank, { accountId, path, name }, token);

const readAccount = (bank: AccountsBank, token = detail) => read(bank, "", "Account", token);

describe("statements of an account", () => {
  const deliveriesOf = async (bank: AccountsBank, statementDeliveries: StatementDelivery[]) => {
    await feedAccount({ statementDeliveries });
    return (await readAccount(bank)).StatementFrequencyAndFormat;
  };

  const frequencies: [StatementFrequency, code: string][] = [
    ["Annual", "YEAR"],
    ["Daily", "DAIL"],
    ["HalfYearly", "MIAN"],
    ["IntraDay", "INDA"],
    ["Monthly", "MNTH"],
    ["Movement", "MOVE"],
    ["None", "NONE"],
    ["Quarterly", "QURT"],
    ["Selected", "SLCT"],
    ["TenDays", "TEND"],
    ["Weekly", "WEEK"],
  ];
  test("E-028: v4.0 shows how often the customer gets statements, in the codes of the standard", async () => {
    const fed = frequencies.map(([frequency]) => ({ frequency }));
    const shown = frequencies.map(([, Frequency]) => ({ Frequency }));
    assert.deepEqual(await deliveriesOf(v4, fed), shown);
  });

  const formats: [StatementFormat, code: string][] = [
    ["Csv", "DCSV"],
    ["Pdf", "DPDF"],
    ["Spreadsheet", "SDSH"],
    ["Word", "WORD"],
    ["Xml", "DXML"],
    ["Xslt", "XSLT"],
  ];
  test("E-029: v4.0 shows the formats of statements, in the codes of the standard", async () => {
    const fed = formats.map(([format]) => ({ format }));
    const shown = formats.map(([, Format]) => ({ Format }));
    assert.deepEqual(await deliveriesOf(v4, fed), shown);
  });

  const channels: [StatementChannel, code: string][] = [
    ["Email", "EMAL"],
    ["Fax", "FAXI"],
    ["File", "FILE"],
    ["Online", "ONLI"],
    ["Post", "POST"],
  ];
  test("E-030: v4.0 shows how statements reach the customer, in the codes of the standard", async () => {
    const fed = channels.map(([channel]) => ({ channel }));
    const shown = channels.map(([, CommunicationMethod]) => ({ CommunicationMethod }));
    assert.deepEqual(await deliveriesOf(v4, fed), shown);
  });

  test("E-028, E-029, E-030: a statement that is sent by post has its delivery address", async () => {
    const address = {
      kind: "Statement",
      buildingName: "Foundry House",
      townName: "Leeds",
    } as const;
    const fed = [{ frequency: "Monthly", channel: "Post", format: "Pdf", address } as const];
    assert.deepEqual(await deliveriesOf(v4, fed), [
      {
        Frequency: "MNTH",
        CommunicationMethod: "POST",
        DeliveryAddress: {
          AddressType: "STAT",
          BuildingName: "Foundry House",
          TownName: "Leeds",
        },
        Format: "DPDF",
      },
    ]);
  });

  test("E-028, E-029, E-030: v3.1 has no frequency, format or delivery of statements", async () => {
    assert.equal(await deliveriesOf(v3, [{ frequency: "Monthly" }]), undefined);
  });

  test("E-028: an account whose bank states nothing about statements has no such member", async () => {
    assert.equal(await deliveriesOf(v4, []), undefined);
  });
});

test("E-023: Detail shows the account's number, servicer and statements, and Basic hides them", async () => {
  await feedAccount({ statementDeliveries: [{ frequency: "Monthly" }] });
  const members = ["Account", "Servicer", "StatementFrequencyAndFormat"];
  const shown = async (bank: AccountsBank, token: string) => {
    const item = await readAccount(bank, token);
    return members.filter((member) => member in item);
  };
  assert.deepEqual(await shown(v4, detail), members);
  assert.deepEqual(await shown(v4, basic), []);
  assert.deepEqual(await shown(v3, detail), ["Account", "Servicer"]);
  assert.deepEqual(await shown(v3, basic), []);
});

test("E-023: v4.0 shows the BIC and the name of the account's bank, v3.1 its BIC", async () => {
  const bic = { SchemeName: "UK.OBIE.BICFI", Identification: "ALDGGB2L" };
  assert.deepEqual((await readAccount(v4)).Servicer, { ...bic, Name: "Aldgate Bank" });
  assert.deepEqual((await readAccount(v3)).Servicer, bic);
});

test("E-060: v4.0 shows the legal entity identifier of a company and on its accounts, v3.1 does not", async () => {
  const shownOn = async (bank: AccountsBank) => {
    const [identification] = (await readAccount(bank)).Account as Item[];
    const { body } = await bank.get(`/accounts/${accountId}/party`, detail);
    return [identification?.LEI, body.Data.Party.LEI];
  };
  assert.deepEqual(await shownOn(v4), [lei, lei]);
  assert.deepEqual(await shownOn(v3), [undefined, undefined]);
});

describe("kinds of currency", () => {
  type Amount = { Amount: { SubType?: string } };
  const subTypes = (amounts: readonly Amount[]) => [
    ...new Set(amounts.map(({ Amount }) => Amount.SubType)),
  ];
  const kinds: [kind: "Base" | "Local" | null, v31: string | undefined, v40: string | undefined][] =
    [
      ["Base", "BaseCurrency", "BCUR"],
      ["Local", "LocalCurrency", "LCUR"],
      [null, undefined, undefined],
    ];

  for (const [currencyKind, older, newer] of kinds) {
    test(`E-032: each balance has the kind of currency that the bank states, in the version's words (${currencyKind})`, async () => {
      version += 1n;
      const statedAt = Temporal.Instant.from("2026-11-21T08:00:00Z");
      const types = ["InterimBooked", "InterimAvailable", "ClosingBooked"] as const;
      const stated = types.map((type) => ({ type, amountMinor: 100n }));
      const fact = { version, accountId, currency: "EUR", currencyKind, statedAt };
      await feed({ balances: [{ ...fact, balances: stated }] });
      const shownOn = async (bank: AccountsBank) => {
        const { body } = await bank.get(`/accounts/${accountId}/balances`, detail);
        assert.equal(body.Data.Balance.length, 3);
        return subTypes(body.Data.Balance);
      };
      assert.deepEqual(await shownOn(v3), [older]);
      assert.deepEqual(await shownOn(v4), [newer]);
    });

    test(`E-062: each amount of a statement has the kind of currency that the bank states, in the version's words (${currencyKind})`, async () => {
      version += 1n;
      await feed({ statements: [{ ...statement, version, currencyKind }] });
      const shownOn = async (bank: AccountsBank) => {
        const item = await read(bank, "/statements", "Statement");
        return subTypes(item.StatementAmount as Amount[]);
      };
      assert.deepEqual(await shownOn(v3), [older]);
      assert.deepEqual(await shownOn(v4), [newer]);
    });
  }
});

describe("personas", () => {
  let seeded: AccountsBank;
  before(async () => {
    seeded = (await openSeeded()).through("aisp-v4.0");
  });
  after(() => seeded.close());

  test("E-028, E-029, E-030: the sandbox bank's customers get monthly statements online, and companies also by post", async () => {
    const [amara] = await readPersona(seeded, ["amara", "Everyday"], "", "Account");
    const online = { Frequency: "MNTH", CommunicationMethod: "ONLI" };
    const files = [
      { ...online, Format: "DPDF" },
      { ...online, Format: "DCSV" },
    ];
    assert.deepEqual(amara?.StatementFrequencyAndFormat, files);
    const [dev] = await readPersona(seeded, ["dev", "Site expenses"], "", "Account");
    const all = dev?.StatementFrequencyAndFormat as Item[];
    assert.deepEqual(all.slice(0, 2), files);
    const { DeliveryAddress, ...paper } = all[2] as { DeliveryAddress: Item };
    assert.deepEqual(paper, { Frequency: "MNTH", CommunicationMethod: "POST" });
    assert.deepEqual([DeliveryAddress.AddressType, DeliveryAddress.TownName], ["STAT", "Leeds"]);
  });

  test("E-032, E-062: amounts of an account in euros are in a local currency, and amounts in pounds say nothing", async () => {
    const subTypesOf = async (nickname: string) => {
      const balances = await readPersona(seeded, ["iris", nickname], "/balances", "Balance");
      const statements = await readPersona(seeded, ["iris", nickname], "/statements", "Statement");
      assert.ok(statements.length > 0);
      const amounts = statements.flatMap((one) => one.StatementAmount as Item[]);
      return [...balances, ...amounts].map(({ Amount }) => (Amount as Item).SubType);
    };
    assert.deepEqual([...new Set(await subTypesOf("Euros"))], ["LCUR"]);
    assert.deepEqual([...new Set(await subTypesOf("Pounds"))], [undefined]);
  });
});
