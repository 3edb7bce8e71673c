import type { PartyContact } from "#src/account-store/facts.ts";
import {
  defineAccountResource,
  type ResourceSource,
  type ResourceView,
} from "#src/accounts/resource.ts";
import { renderAddressV3, renderAddressV4 } from "#src/accounts/views/postal-address.ts";
import { type Party, readParties, readParty } from "#src/standard/aisp-v3.1/read-party.ts";
import {
  readParties as readPartiesV4,
  readParty as readPartyV4,
} from "#src/standard/aisp-v4.0/read-party.ts";
import type { PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

type PartyFacts = {
  partyId: string;
  name: string;
  /** Null for a person. */
  legalStructure: string | null;
  lei: string | null;
  /** Null for a customer of whom the bank knows only the name. */
  contact: PartyContact | null;
  /** The account of the party; null for the customer's own party. */
  accountId: string | null;
  /** Null for a company that owns the account, and without an account. */
  role: "owner" | "joint" | "signatory" | null;
  /** Whether a company owns the account, for which persons only act. */
  isForCompany: boolean;
  /** Whether this holder is the account's first holder; a joint account always has one. */
  isFirst: boolean;
};

const row = { tag: "Parties", arrayName: "Party" };
const source = {
  permissions: [["ReadParty"]],
  detailPermission: null,
  paged: false,
} satisfies Partial<ResourceSource>;

const viewV3 = {
  render: (facts, { baseUrl }) => [
    {
      ...renderParty(facts, baseUrl),
      ...addressOf(facts, (address) => renderAddressV3(address, mostAddressLines)),
    },
  ],
} satisfies Partial<ResourceView<PartyFacts>>;

const viewV4 = {
  render: (facts, { baseUrl }) => [
    {
      ...renderParty(facts, baseUrl),
      ...(facts.lei === null ? {} : { LEI: facts.lei }),
      ...addressOf(facts, renderAddressV4),
    },
  ],
} satisfies Partial<ResourceView<PartyFacts>>;

// Source: E-059
const mostAddressLines = 5;

// Of a holder (`h`, a party `c`) of account `a`.
const person: Sql = sql`json_build_object('partyId', c.party_id, 'name', c.name,
  'legalStructure', null, 'lei', c.lei, 'contact', c.contact, 'accountId', a.account_id,
  'role', h.role, 'isForCompany', a.company_id is not null,
  'isFirst', h.customer_id = (select min(f.customer_id) from account_holder f
    where f.account_id = a.account_id))::text`;

// Of a company (`o`) that owns account `a`.
const company: Sql = sql`json_build_object('partyId', o.party_id, 'name', o.name,
  'legalStructure', o.legal_structure, 'lei', o.lei, 'contact', o.contact,
  'accountId', a.account_id, 'role', null, 'isForCompany', true, 'isFirst', true)::text`;

/** The customer who authorised the consent, whatever the accounts. Source: A-210. */
export const customerParty = defineAccountResource<PartyFacts>({
  ...row,
  path: "/party",
  operationId: "GetParty",
  summary: "Get the customer who authorised the consent",
  isSingle: true,
  source: {
    ...source,
    permissions: [["ReadPartyPSU"]],
    perCustomer: true,
    from: sql`party c`,
    where: sql`c.party_id = r.customer_id`,
    key: { columns: [{ column: sql`c.party_id`, type: "text" }], descending: false },
    facts: sql`json_build_object('partyId', c.party_id, 'name', c.name, 'legalStructure', null,
      'lei', c.lei, 'contact', c.contact, 'accountId', null, 'role', null, 'isForCompany', false,
      'isFirst', true)::text`,
  },
  views: {
    "aisp-v3.1": { ...viewV3, schema: readParty },
    "aisp-v4.0": { ...viewV4, schema: readPartyV4 },
  },
});

/** The owner of an account: its company, or otherwise the holder who authorised. Source: A-210. */
export const party = defineAccountResource<PartyFacts>({
  ...row,
  path: "/accounts/:AccountId/party",
  operationId: "GetAccountsAccountIdParty",
  summary: "Get the party of an account",
  isSingle: true,
  source: {
    ...source,
    from: sql`account a
      join account_holder h on h.account_id = a.account_id and h.customer_id = r.customer_id
      join party c on c.party_id = h.customer_id
      left join party o on o.party_id = a.company_id`,
    where: sql`a.account_id = r.account_id`,
    key: { columns: [{ column: sql`a.account_id`, type: "text" }], descending: false },
    facts: sql`case when o.party_id is not null then ${company} else ${person} end`,
  },
  views: {
    "aisp-v3.1": { ...viewV3, schema: readParty },
    "aisp-v4.0": { ...viewV4, schema: readPartyV4 },
  },
});

/** Everyone who owns an account or acts for its owner. Source: A-211. */
export const parties = defineAccountResource<PartyFacts>({
  ...row,
  path: "/accounts/:AccountId/parties",
  operationId: "GetAccountsAccountIdParties",
  summary: "Get the parties of an account",
  source: {
    ...source,
    from: sql`(
      select a.account_id, o.party_id, ${company} as json
      from account a join party o on o.party_id = a.company_id
      union all
      select a.account_id, c.party_id, ${person}
      from account a join account_holder h on h.account_id = a.account_id
      join party c on c.party_id = h.customer_id) p`,
    where: sql`p.account_id = r.account_id`,
    key: { columns: [{ column: sql`p.party_id`, type: "text" }], descending: false },
    facts: sql`p.json`,
  },
  views: {
    "aisp-v3.1": { ...viewV3, schema: readParties },
    "aisp-v4.0": { ...viewV4, schema: readPartiesV4 },
  },
});

const addressOf = <Address>(
  { contact }: PartyFacts,
  render: (address: PostalAddress) => Address,
) => (contact?.address ? { Address: [render(contact.address)] } : {});

function renderParty(facts: PartyFacts, baseUrl: string) {
  const { partyId, name, accountId, legalStructure } = facts;
  const { partyNumber, fullLegalName, email, phone, mobile } = facts.contact ?? {};
  return {
    PartyId: partyId,
    ...(partyNumber ? { PartyNumber: partyNumber } : {}),
    ...(accountId === null ? {} : relationOf(facts)),
    Name: name,
    FullLegalName: fullLegalName ?? name,
    LegalStructure: legalStructure ?? "UK.OBIE.Individual",
    ...(email ? { EmailAddress: email } : {}),
    ...(phone ? { Phone: phone } : {}),
    ...(mobile ? { Mobile: mobile } : {}),
    ...(accountId === null
      ? {}
      : {
          Relationships: {
            Account: { Related: `${baseUrl}/accounts/${accountId}`, Id: accountId },
          },
        }),
  };
}

type Relation = Pick<Party, "PartyType" | "AccountRole" | "BeneficialOwnership">;

/** The relationship of a party to the account. */
function relationOf({ role, isForCompany, isFirst, legalStructure }: PartyFacts): Relation {
  if (legalStructure !== null) return { PartyType: "Sole", AccountRole: "UK.OBIE.Principal" };
  if (isForCompany || role === "signatory") {
    return { PartyType: "Delegate", AccountRole: "UK.OBIE.Administrator" };
  }
  return {
    PartyType: role === "joint" ? "Joint" : "Sole",
    AccountRole: isFirst ? "UK.OBIE.Principal" : "UK.OBIE.SecondaryOwner",
    BeneficialOwnership: true,
  };
}
