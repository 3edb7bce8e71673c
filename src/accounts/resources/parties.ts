import type { PartyFact } from "#src/account-store/facts.ts";
import type { AccountRow, ResourceSource } from "#src/accounts/resource.ts";
import type { PostalAddress } from "#src/standard/shared/accounts/facts.ts";
import { type Sql, sql } from "#src/storage/sql.ts";

/** A party as it is stored. */
export type PartyFacts = PartyFact & {
  /** The account of the party; null for the customer's own party. */
  accountId: string | null;
  /** Whether the holder owns the account in the end; null if the bank does not say. */
  isBeneficialOwner: boolean | null;
  /** Null for a company that owns the account, and without an account. */
  role: "owner" | "joint" | "signatory" | null;
  /** Whether a company owns the account, for which persons only act. */
  isForCompany: boolean;
  /** Whether this holder is the account's first holder; a joint account always has one. */
  isFirst: boolean;
};

const row = { tag: "Parties", arrayName: "Party" };
const source = {
  cluster: "account",
  permissions: [["ReadParty"]],
  detailPermission: null,
  paged: false,
} satisfies Partial<ResourceSource>;

// Of a holder (`h`, a party `c`) of account `a`.
const person: Sql = sql`json_build_object('partyId', c.party_id, 'name', c.name,
  'legalStructure', c.legal_structure, 'lei', c.lei, 'contact', c.contact,
  'accountId', a.account_id, 'isBeneficialOwner', h.is_beneficial_owner,
  'role', h.role, 'isForCompany', a.company_id is not null,
  'isFirst', h.customer_id = (select min(f.customer_id) from account_holder f
    where f.account_id = a.account_id))::text`;

// Of a company (`o`) that owns account `a`.
const company: Sql = sql`json_build_object('partyId', o.party_id, 'name', o.name,
  'legalStructure', o.legal_structure, 'lei', o.lei, 'contact', o.contact,
  'accountId', a.account_id, 'isBeneficialOwner', null, 'role', null, 'isForCompany', true,
  'isFirst', true)::text`;

/** The customer who authorised the consent, whatever the accounts. Source: A-210. */
export const customerParty: AccountRow<PartyFacts> = {
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
    facts: sql`json_build_object('partyId', c.party_id, 'name', c.name,
      'legalStructure', c.legal_structure, 'lei', c.lei, 'contact', c.contact, 'accountId', null,
      'isBeneficialOwner', null, 'role', null, 'isForCompany', false, 'isFirst', true)::text`,
  },
};

/** The owner of an account: its company, or otherwise the holder who authorised. Source: A-210. */
export const party: AccountRow<PartyFacts> = {
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
};

/** Everyone who owns an account or acts for its owner. Source: A-211. */
export const parties: AccountRow<PartyFacts> = {
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
};

/** The address of a party, as a version renders it. */
export const partyAddressOf = <Address>(
  { contact }: PartyFacts,
  render: (address: PostalAddress) => Address,
) => (contact?.address ? { Address: [render(contact.address)] } : {});

/** Renders what every version shows of a party. */
export function renderParty(facts: PartyFacts, baseUrl: string) {
  const { partyId, name, accountId, legalStructure } = facts;
  const { partyNumber, fullLegalName, email, phone, mobile } = facts.contact ?? {};
  return {
    PartyId: partyId,
    ...(partyNumber ? { PartyNumber: partyNumber } : {}),
    ...(accountId === null ? {} : relationOf(facts)),
    Name: name,
    ...(fullLegalName ? { FullLegalName: fullLegalName } : {}),
    ...(legalStructure ? { LegalStructure: legalStructure } : {}),
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

/** The words of every version. Source: OBParty2. */
type Relation = {
  PartyType: "Delegate" | "Joint" | "Sole";
  AccountRole: string;
  BeneficialOwnership?: boolean;
};

/** The relationship of a party to the account. */
function relationOf({ role, isForCompany, isFirst, isBeneficialOwner }: PartyFacts): Relation {
  if (role === null) return { PartyType: "Sole", AccountRole: "UK.OBIE.Principal" };
  const owns = isBeneficialOwner === null ? {} : { BeneficialOwnership: isBeneficialOwner };
  if (isForCompany || role === "signatory") {
    return { PartyType: "Delegate", AccountRole: "UK.OBIE.Administrator", ...owns };
  }
  return {
    PartyType: role === "joint" ? "Joint" : "Sole",
    AccountRole: isFirst ? "UK.OBIE.Principal" : "UK.OBIE.SecondaryOwner",
    ...owns,
  };
}
