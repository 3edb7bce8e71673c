import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { accountEndpoints, supportedPermissions } from "#src/accounts/account-resources.ts";
import { type AccountEndpoint, isOfOneAccount } from "#src/accounts/resource.ts";
import type { AccountsBank } from "./fixture.ts";
import { openSeeded, type Persona, personaOf } from "./seeded-bank.ts";
import { versions } from "./versions.ts";

// Every set of the permissions that concern an endpoint, alone and together with all others: who
// gets a response, and which fields it has. The expected results are the standard's own table.

type Codes = readonly string[];
const basicOr = (name: string): Codes => [`Read${name}Basic`, `Read${name}Detail`];
const directions = ["ReadTransactionsCredits", "ReadTransactionsDebits"];
const creditor = ["CreditorAgent", "CreditorAccount"];
const ofTransactions = {
  needs: [basicOr("Transactions"), directions],
  hides: [
    "TransactionInformation",
    "Balance",
    "MerchantDetails",
    ...creditor,
    "DebtorAgent",
    "DebtorAccount",
  ],
  hidesInV4: ["UltimateCreditor", "UltimateDebtor"],
};

type Rule = {
  /** The permissions that give access to the resource. */
  needs: readonly Codes[];
  /** The members that Basic hides. */
  hides?: readonly string[];
  /** The members that only v4.0 has, and that Basic hides. Source: E-023, E-076. */
  hidesInV4?: readonly string[];
};

const table: Record<string, Rule> = {
  accounts: {
    needs: [basicOr("Accounts")],
    hides: ["Account", "Servicer"],
    hidesInV4: ["StatementFrequencyAndFormat"],
  },
  balances: { needs: [["ReadBalances"]] },
  transactions: ofTransactions,
  beneficiaries: { needs: [basicOr("Beneficiaries")], hides: creditor },
  "direct-debits": { needs: [["ReadDirectDebits"]] },
  "standing-orders": { needs: [basicOr("StandingOrders")], hides: creditor },
  "scheduled-payments": { needs: [basicOr("ScheduledPayments")], hides: creditor },
  product: { needs: [["ReadProducts"]] },
  products: { needs: [["ReadProducts"]] },
  offers: { needs: [["ReadOffers"]] },
  parties: { needs: [["ReadParty"]] },
  "account party": { needs: [["ReadParty"]] },
  party: { needs: [["ReadPartyPSU"]] },
  statements: { needs: [basicOr("Statements")], hides: ["StatementAmount"] },
  file: { needs: [["ReadStatementsDetail"]] },
};

function ruleOf({ path, version }: AccountEndpoint) {
  const last = path.split("/").findLast((part) => !part.startsWith(":")) ?? "";
  const name = last === "party" && path !== "/party" ? "account party" : last;
  const rule = table[name];
  assert.ok(rule, `add the permissions of ${path} to the table of this file`);
  const { needs, hides = [], hidesInV4 = [] } = rule;
  return { needs, hides: version === "aisp-v4.0" ? [...hides, ...hidesInV4] : hides };
}

/** Returns all subsets, including the empty one. */
const subsets = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: 2 ** items.length }, (_, bits) =>
    items.filter((_, index) => (bits >> index) % 2 === 1),
  );

type Item = Record<string, unknown> & { CreditDebitIndicator?: string };
/** `lacking` lists the permissions that a 403 names, sorted. */
type Seen = { status: number; items: Item[] | null; lacking: string[] };

let bank: AccountsBank;
before(async () => {
  bank = await openSeeded();
});
after(() => bank.close());

async function read(row: AccountEndpoint, persona: Persona, permissions: Codes): Promise<Seen> {
  const served = bank.through(row.version);
  const { token } = await served.addConsent({ ...persona, permissions: [...permissions] });
  const path = row.path
    .replace(":AccountId", persona.accountIds[0] ?? "")
    .replace(":StatementId", persona.statementId);
  if (row.file) {
    const headers = { authorization: `Bearer ${token}` };
    const url = served.version.basePath + path;
    const answer = await served.app.inject({ url, headers });
    const refused = answer.statusCode === 403 ? answer.json() : null;
    return { status: answer.statusCode, items: null, lacking: namedIn(refused) };
  }
  const { status, body } = await served.get(path, token);
  const data = body?.Data?.[row.arrayName];
  const items = status === 200 ? [data ?? []].flat() : null;
  return { status, items, lacking: namedIn(status === 403 ? body : null) };
}

const namedIn = (refused: { Errors: { Message: string }[] } | null): string[] =>
  (refused?.Errors ?? []).flatMap(({ Message }) => Message.match(/\bRead[A-Z]\w+/g) ?? []).sort();

const without = (items: readonly Item[], names: readonly string[]): Item[] =>
  items.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))),
  );

/** Returns what a set of permissions must show, given what all of them together show. */
function expected(row: AccountEndpoint, whole: readonly Item[], codes: Codes): Item[] {
  const { needs, hides } = ruleOf(row);
  const inDirection = (item: Item) =>
    !needs.includes(directions) || codes.includes(`ReadTransactions${item.CreditDebitIndicator}s`);
  const basicCode = needs[0]?.find((code) => code.endsWith("Basic"));
  const isDetail = basicCode === undefined || codes.includes(basicCode.replace("Basic", "Detail"));
  return without(whole.filter(inDirection), isDetail ? [] : hides);
}

// A personal customer, a business, and the customer whose large account has no statement yet.
// Permissions work the same in each version, so one persona is enough for the newer version.
const personas = { "aisp-v3.1": ["amara", "dev", "harriet"], "aisp-v4.0": ["amara"] };
const shownTo = versions.flatMap(({ id }) => personas[id].map((login) => ({ id, login })));
for (const { id, login } of shownTo) {
  describe(`${id}: what each set of permissions shows of ${login}'s accounts`, () => {
    let persona: Persona;
    before(async () => {
      persona = await personaOf(bank, login);
    });

    const served = accountEndpoints(id).filter(
      ({ path }) => login !== "harriet" || !path.includes(":StatementId"),
    );
    for (const row of served) {
      test(`A-120, A-130: each endpoint needs its own permissions, and Basic hides its Detail fields (${row.path})`, async () => {
        const { needs, hides } = ruleOf(row);
        const relevant = [...new Set([...needs.flat(), "ReadPAN"])];
        const others = [...supportedPermissions()].filter((code) => !relevant.includes(code));
        const whole = (await read(row, persona, [...supportedPermissions()])).items ?? [];
        for (const set of subsets(relevant)) {
          for (const background of [[], others]) {
            const codes = [...set, ...background];
            const isOpen = needs.every((anyOf) => anyOf.some((code) => codes.includes(code)));
            const { status, items, lacking } = await read(row, persona, codes);
            assert.equal(status, isOpen ? 200 : 403, codes.join(" "));
            const unmet = needs.filter((anyOf) => !anyOf.some((code) => codes.includes(code)));
            assert.deepEqual(lacking, unmet.flat().sort(), codes.join(" "));
            if (items === null) continue;
            const wanted = expected(row, whole, codes);
            // if a direction hides items, the page is filled with older ones
            const shown = needs.includes(directions) ? items.slice(0, wanted.length) : items;
            assert.deepEqual(shown, wanted, codes.join(" "));
            const hidden = codes.some(
              (code) => needs[0]?.includes(code) && code.endsWith("Detail"),
            );
            if (hidden || hides.length === 0) continue;
            for (const item of items) {
              assert.deepEqual(
                hides.filter((name) => name in item),
                [],
                codes.join(" "),
              );
            }
          }
        }
      });
    }
  });
}

for (const { id } of versions) {
  test(`${id}: each field that Basic hides is shown by Detail for some persona`, async () => {
    const endpoints = accountEndpoints(id).filter(isOfOneAccount);
    const shown = new Set<string>();
    for (const login of ["amara", "dev"]) {
      const persona = await personaOf(bank, login);
      for (const row of endpoints) {
        const { items } = await read(row, persona, [...supportedPermissions()]);
        for (const item of items ?? []) {
          for (const name of Object.keys(item)) shown.add(`${row.arrayName} ${name}`);
        }
      }
    }
    // optional members that this bank never has
    const never = ["Account Servicer", "Transaction Balance", "Transaction DebtorAgent"];
    never.push("Transaction CreditorAgent", "Account StatementFrequencyAndFormat");
    never.push("Transaction UltimateCreditor", "Transaction UltimateDebtor");
    // members that no seeded persona has; test/journeys/payees-abroad.test.ts creates some
    for (const name of ["Beneficiary", "ScheduledPayment", "StandingOrder"]) {
      never.push(`${name} CreditorAgent`);
    }
    const missing = endpoints.filter(isOfOneAccount).flatMap((row) =>
      ruleOf(row)
        .hides.map((name) => `${row.arrayName} ${name}`)
        .filter((field) => !never.includes(field) && !shown.has(field)),
    );
    assert.deepEqual(missing, []);
  });
}

describe("card numbers", () => {
  // a card number in any grouping, in which more than the permitted digits are visible
  const whole = /(?<!\d)(?:\d[ -]?){15}\d(?!\d)/;
  const isMasked = (text: string) => /^\d{0,6}\*+\d{4}$/.test(text.replaceAll(" ", ""));

  function* textsOf(value: unknown, path = ""): Generator<[string, string]> {
    if (typeof value === "string") yield [path, value];
    if (typeof value !== "object" || value === null) return;
    for (const [name, part] of Object.entries(value)) yield* textsOf(part, `${path}.${name}`);
  }

  for (const { id } of versions) {
    test(`A-144, A-188: responses to a consent without ReadPAN never show a whole card number (${id})`, async () => {
      const codes = [...supportedPermissions()].filter((code) => code !== "ReadPAN");
      let masked = 0;
      for (const login of ["amara", "chloe", "finn", "grace"]) {
        const persona = await personaOf(bank, login);
        for (const accountId of persona.accountIds.slice(0, 3)) {
          const one = { ...persona, accountIds: [accountId] };
          for (const row of accountEndpoints(id).filter(
            ({ path }) => !path.includes(":StatementId"),
          )) {
            const { items } = await read(row, one, codes);
            for (const [path, text] of textsOf(items)) {
              if (/Id$/.test(path)) continue; // a hash may have sixteen digits in a row
              assert.doesNotMatch(text, whole, `${row.path} ${path}`);
              if (!/CardInstrument\.Identification$/.test(path) && !text.includes("***")) continue;
              assert.ok(isMasked(text), `${row.path} ${path}: ${text}`);
              masked++;
            }
          }
        }
      }
      assert.ok(masked > 10, "the responses contain card numbers");
    });
  }

  test("the tests' pattern finds a card number inside a reference", () => {
    for (const text of [
      "4929123456781234",
      "CARD 4929 1234 5678 1234 LONDON",
      "4929-1234-5678-1234",
    ]) {
      assert.match(text, whole);
    }
    for (const text of ["**** **** **** 1234", "4929 12** **** 1234"]) assert.ok(isMasked(text));
    for (const text of ["4929 1234 **** 1234", "4929 12** ***8 1234"]) {
      assert.ok(!isMasked(text));
    }
  });
});
