// Every member of the published responses is either shown by the bank, or listed here with the
// reason. A bank feeds every fact that the feed accepts; each response is also checked against the
// published schema of its version.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import type { AccountApiId } from "#src/accounts/resource.ts";
import { present } from "#src/lib/assert.ts";
import { loadPublished, publishedFiles } from "#test/standard/published.ts";
import { listMembers, listReads, listShown, makeWhole } from "#test/standard/published-members.ts";
import { accountIds, everyFact, productId, statementId } from "./every-fact.ts";
import { AccountsBank, everything } from "./fixture.ts";

/** Members that no response has, by the end of a path and by the member in `Data`. */
type Unshown = {
  apis: readonly AccountApiId[];
  path: RegExp;
  member: RegExp;
  reason: string;
};

const both = ["aisp-v3.1", "aisp-v4.0"] as const;

const unshown: Unshown[] = [
  {
    apis: both,
    path: /balances$/,
    member: /^TotalValue/,
    reason: "It is a sum of several currencies, and no bank feeds their exchange rates.",
  },
  {
    apis: both,
    path: /^\/beneficiaries$/,
    member: /^Beneficiary\.AccountId$/,
    reason: "The list belongs to the customer, not to an account. D-09",
  },
  {
    apis: both,
    path: /^\/party$/,
    member: /^Party\.(AccountRole|BeneficialOwnership|PartyType|Relationships)/,
    reason: "These members describe an account, and the path does not name one.",
  },
  {
    apis: ["aisp-v4.0"],
    path: /\/standing-orders$/,
    member: /^StandingOrder\.MandateRelatedInformation\.Frequency\.CountPerPeriod$/,
    reason: "No schedule has several payments per period.",
  },
];

/** The resources with the two permissions, and the published schema of an item with Basic. */
const basics: [resource: string, name: string, schema: string][] = [
  ["accounts", "Account", "OBAccount6Basic"],
  ["beneficiaries", "Beneficiary", "OBBeneficiary5Basic"],
  ["scheduled-payments", "ScheduledPayment", "OBScheduledPayment3Basic"],
  ["standing-orders", "StandingOrder", "OBStandingOrder6Basic"],
  ["statements", "Statement", "OBStatement2Basic"],
  ["transactions", "Transaction", "OBTransaction6Basic"],
];

let bank: AccountsBank;
let customerId: string;
let version = 0n;
before(async () => {
  bank = await AccountsBank.open();
  customerId = await bank.addCustomer();
});
after(() => bank.close());

for (const id of both) {
  describe(id, () => {
    const document = loadPublished(publishedFiles[id][0]);
    const reads = listReads(document).filter(({ path }) => !path.includes("consents"));
    const unused = new Set(unshown.filter(({ apis }) => apis.includes(id)));
    let detail: string;
    let basic: string;
    let versioned: AccountsBank;

    before(async () => {
      versioned = bank.through(id);
      const products = present(
        reads.find(({ path }) => path === "/products"),
        "the products",
      );
      const { Product } = makeWhole(products.data, document) as { Product: object[] };
      const { AccountId: _, ...details } = present(Product[0], "a product") as Product;
      const feed = createAccountFeed(bank.database);
      const product = { productId, name: "Every", details, purchaseRate: null };
      version += 1n;
      await feed.apply({ products: [{ ...product, version }] });
      await feed.apply(everyFact(customerId));
      const consent = { customerId, accountIds: [...accountIds] };
      ({ token: detail } = await versioned.addConsent(consent));
      const permissions = everything.map((code) => code.replace(/Detail$/, "Basic"));
      ({ token: basic } = await versioned.addConsent({ ...consent, permissions }));
    });

    /** Lists the members that a path shows, of all accounts that it can name. */
    async function read(path: string, token: string): Promise<Set<string>> {
      const ids = path.includes("{StatementId}") ? accountIds.slice(0, 1) : accountIds;
      const shown: string[] = [];
      for (const accountId of path.includes("{AccountId}") ? ids : [""]) {
        const url = path.replace("{AccountId}", accountId).replace("{StatementId}", statementId);
        const { status, text, body } = await versioned.get(url, token);
        assert.equal(status, 200, text);
        shown.push(...listShown(body.Data, isFree));
      }
      return new Set(shown);
    }

    const withoutReason = (path: string, members: readonly string[]) =>
      members.filter((member) => {
        const reasons = unshown.filter((one) => one.path.test(path) && one.member.test(member));
        for (const reason of reasons) unused.delete(reason);
        return reasons.length === 0;
      });

    for (const { path, data } of reads) {
      test(`E-001: every published member of ${path} is shown or has a reason`, async () => {
        const shown = await read(path, detail);
        const published = listMembers(data, document);
        assert.deepEqual(
          withoutReason(
            path,
            published.filter((member) => !shown.has(member)),
          ),
          [],
        );
      });
    }

    for (const [resource, name, schema] of basics) {
      test(`A-140, A-162, A-163, A-170, A-212, A-213, E-023, E-054: with Basic, items have exactly the published members of Basic (${resource})`, async () => {
        const path = `/accounts/{AccountId}${resource === "accounts" ? "" : `/${resource}`}`;
        const shown = await read(path, basic);
        const members = listMembers({ $ref: `#/components/schemas/${schema}` }, document);
        const published = [name, ...members.map((member) => `${name}.${member}`)];
        assert.deepEqual(
          withoutReason(
            path,
            published.filter((member) => !shown.has(member)),
          ),
          [],
        );
        assert.deepEqual([...shown.difference(new Set(published))], []);
      });
    }

    test("every reason for a member that is not shown is needed", () => {
      assert.deepEqual([...unused], []);
    });
  });
}

type Product = { AccountId: string };

const isFree = (name: string): boolean => name === "SupplementaryData";
