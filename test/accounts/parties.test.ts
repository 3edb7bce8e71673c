import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { companies, contacts } from "#src/sandbox/personas/contacts.ts";
import { households } from "#src/sandbox/personas/households.ts";
import { type AccountsBank, basePath, publicUrl } from "./fixture.ts";
import { accountOf, openSeeded, tokenFor } from "./seeded-bank.ts";

let bank: AccountsBank;

before(async () => {
  bank = await openSeeded();
});
after(() => bank.close());

type Party = { Name: string; PartyType?: string; AccountRole?: string };
const summary = ({ Name, PartyType, AccountRole }: Party) => [Name, PartyType, AccountRole];

async function read(login: string, nickname: string) {
  const account = await accountOf(bank, login, nickname);
  const token = await tokenFor(bank, account, ["ReadParty", "ReadPartyPSU"]);
  const path = `/accounts/${account.accountId}`;
  const [own, party, parties] = await Promise.all(
    ["/party", `${path}/party`, `${path}/parties`].map((url) => bank.get(url, token)),
  );
  return {
    accountId: account.accountId,
    own: own?.body.Data.Party,
    party: party?.body.Data.Party,
    parties: parties?.body.Data.Party,
  };
}

test("A-210: ReadParty gives access to an account's party, ReadPartyPSU to the customer's own", async () => {
  const account = await accountOf(bank, "amara", "Everyday");
  const table = [
    ["ReadParty", 403, 200],
    ["ReadPartyPSU", 200, 403],
  ] as const;
  for (const [permission, ownStatus, accountStatus] of table) {
    const token = await tokenFor(bank, account, [permission]);
    const path = `/accounts/${account.accountId}`;
    assert.equal((await bank.get("/party", token)).status, ownStatus);
    assert.equal((await bank.get(`${path}/party`, token)).status, accountStatus);
    assert.equal((await bank.get(`${path}/parties`, token)).status, accountStatus);
  }
  assert.equal(
    (await bank.get("/parties", await tokenFor(bank, account, ["ReadParty"]))).status,
    404,
  );
});

test("A-210: a party has name, address, telephone numbers and email address", async () => {
  const { accountId, party, own } = await read("amara", "Everyday");
  const {
    PartyId,
    PartyNumber,
    Relationships,
    PartyType,
    AccountRole,
    BeneficialOwnership,
    ...rest
  } = party;
  assert.ok(PartyId.length <= 40 && PartyNumber.length <= 35);
  assert.deepEqual(
    [PartyType, AccountRole, BeneficialOwnership],
    ["Sole", "UK.OBIE.Principal", true],
  );
  assert.deepEqual(Relationships, {
    Account: { Related: `${publicUrl}${basePath}/accounts/${accountId}`, Id: accountId },
  });
  assert.deepEqual(rest, {
    Name: "Amara Okafor",
    FullLegalName: "Miss Amara Chidinma Okafor",
    LegalStructure: "UK.OBIE.Individual",
    EmailAddress: "amara.okafor@mail.example",
    Phone: "+44-2079460112",
    Mobile: "+44-7700900118",
    Address: [
      {
        AddressType: "Residential",
        BuildingNumber: "Flat 4, 16",
        StreetName: "Harbour Street",
        TownName: "London",
        CountrySubDivision: "Greater London",
        PostCode: "E0 8PL",
        Country: "GB",
      },
    ],
  });
  assert.deepEqual(own, { PartyId, PartyNumber, ...rest });
});

test("A-210, A-211: the party of a joint account is the holder who authorised, and its parties are all holders", async () => {
  const [ben, chloe] = [await read("ben", "Our bills"), await read("chloe", "Our bills")];
  assert.equal(ben.party.Name, "Ben Whitfield");
  assert.equal(chloe.party.Name, "Chloe Whitfield");
  assert.ok(Array.isArray(ben.parties));
  assert.deepEqual(ben.parties, chloe.parties);
  assert.deepEqual(ben.parties.map(({ Name }: Party) => Name).sort(), [
    "Ben Whitfield",
    "Chloe Whitfield",
  ]);
  const roles = ben.parties.map(
    ({ PartyType, AccountRole }: Party) => `${PartyType} ${AccountRole}`,
  );
  assert.deepEqual(roles.sort(), ["Joint UK.OBIE.Principal", "Joint UK.OBIE.SecondaryOwner"]);
});

test("A-210, A-211: the party of a company's account is the company, and its signatories are delegates", async () => {
  for (const [login, nickname, firm, delegates] of [
    ["dev", "Main account (two sign)", "Patel Nystrom Joinery Ltd", ["Dev Patel", "Elin Nystrom"]],
    ["harriet", "Shop", "Hale and Crumb Coffee Ltd", ["Harriet Hale"]],
  ] as const) {
    const { own, party, parties } = await read(login, nickname);
    assert.equal(own.LegalStructure, "UK.OBIE.Individual");
    assert.deepEqual(summary(party), [firm, "Sole", "UK.OBIE.Principal"]);
    assert.equal(party.LegalStructure, "UK.OBIE.PrivateLimitedCompany");
    assert.deepEqual(
      parties.map(summary).sort(),
      [
        ...delegates.map((name) => [name, "Delegate", "UK.OBIE.Administrator"]),
        [firm, "Sole", "UK.OBIE.Principal"],
      ].sort(),
    );
  }
});

test("A-210: the bank says who owns an account in the end and what a party is in law, or nothing is shown", async () => {
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  const token = await tokenFor(bank, { accountId, customerId }, ["ReadParty", "ReadPartyPSU"]);
  const inLaw = async () => {
    const { body } = await bank.get(`/accounts/${accountId}/party`, token);
    const { FullLegalName, LegalStructure, BeneficialOwnership } = body.Data.Party;
    return { FullLegalName, LegalStructure, BeneficialOwnership };
  };
  const nothing = {
    FullLegalName: undefined,
    LegalStructure: undefined,
    BeneficialOwnership: undefined,
  };
  assert.deepEqual(await inLaw(), nothing);
  for (const [version, isBeneficialOwner] of [
    [2n, false],
    [3n, true],
  ] as const) {
    await createAccountFeed(bank.database).apply({
      holders: [{ version, accountId, customerId, role: "owner", isBeneficialOwner }],
      parties: [
        {
          version,
          partyId: customerId,
          name: "Ann Example",
          legalStructure: "UK.OBIE.Sole",
          lei: null,
          contact: { fullLegalName: "Ann Mary Example" },
        },
      ],
    });
    assert.deepEqual(await inLaw(), {
      FullLegalName: "Ann Mary Example",
      LegalStructure: "UK.OBIE.Sole",
      BeneficialOwnership: isBeneficialOwner,
    });
  }
});

test("A-122, A-125: a customer who is no longer a holder cannot see the account", async () => {
  const customerId = await bank.addCustomer();
  const accountId = await bank.addAccount(customerId);
  const stranger = await bank.addCustomer();
  const token = await tokenFor(bank, { accountId, customerId: stranger }, ["ReadParty"]);
  assert.equal((await bank.get(`/accounts/${accountId}/party`, token)).status, 403);
  const own = await tokenFor(bank, { accountId, customerId }, ["ReadParty", "ReadPartyPSU"]);
  const { body } = await bank.get("/party", own);
  assert.deepEqual(body.Data.Party, {
    PartyId: customerId,
    Name: "Ann Example",
  });
  const unknown = await tokenFor(bank, { accountId, customerId: "nobody" }, ["ReadPartyPSU"]);
  assert.deepEqual((await bank.get("/party", unknown)).body.Data, {});
});

test("every persona has contact details, with reserved numbers and addresses", () => {
  const logins = households.flatMap(({ personas }) => personas.map(({ login }) => login));
  assert.deepEqual(Object.keys(contacts).sort(), logins.sort());
  // Source: Ofcom, numbers for use in TV and radio drama
  const drama = /^\+44-(7700900\d{3}|2079460\d{3}|113496\d{4}|117496\d{4}|1632960\d{3})$/;
  for (const { email, phone, mobile } of [
    ...Object.values(contacts),
    ...companies.map(({ contact }) => contact),
  ]) {
    assert.match(email, /\.example$/);
    for (const number of [phone, mobile]) if (number !== null) assert.match(number, drama);
  }
});
