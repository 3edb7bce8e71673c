import { randomUUID, X509Certificate } from "node:crypto";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Directory } from "#src/sandbox/directory/directory.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An authorised consent with its token, with which one order is submitted. */
export type GrantedConsent = {
  consentId: string;
  token: string;
  initiation: object;
  risk: object;
};

/** A TPP with consents that are ready for their orders. */
export type PreparedOrders = { tpp: IssuedTpp; consents: GrantedConsent[] };

const accounts = 200;
const elsewhere = "20001512345678";
const scheme = "UK.OBIE.SortCodeAccountNumber";
const some = 1000;

// a range that the personas do not use
const numberOf = (n: number): string => `404799${String(n).padStart(8, "0")}`;

/**
 * Stores what orders need, in the rows that creating and authorising consents and exchanging codes
 * would have left: a new TPP, and one consent and one token per order. Half of the orders stay in
 * the bank, half go to another bank. If `bound` is set, tokens are bound to the TPP's certificate.
 */
export async function prepareOrders(
  database: Database,
  directory: Pick<Directory, "createTpp">,
  { orders, bound }: { orders: number; bound: boolean },
): Promise<PreparedOrders> {
  await insertAccounts(database);
  const tpp = await directory.createTpp({
    name: "Benchmark",
    roles: ["PISP"],
    redirectUris: ["http://localhost:7878/callback"],
    certificateBound: bound,
  });
  const thumbprint = bound ? sha256(new X509Certificate(tpp.transport.certificatePem).raw) : null;
  const consents: GrantedConsent[] = [];
  for (let first = 0; first < orders; first += some) {
    const batch = Array.from({ length: Math.min(some, orders - first) }, (_, index) =>
      grantOf(first + index),
    );
    await insertConsents(database, tpp, batch, thumbprint);
    consents.push(...batch);
  }
  await database.execute("analyze");
  return { tpp, consents };
}

function grantOf(n: number): GrantedConsent & { debtor: string } {
  const payee = n % 2 ? elsewhere : numberOf((n * 7 + 1) % accounts);
  const debtor = n % accounts;
  return {
    consentId: newId("dpc"),
    token: randomUUID() + randomUUID(),
    debtor: `bench-${debtor}`,
    initiation: {
      InstructionIdentification: `instruction-${n}`,
      EndToEndIdentification: `end-to-end-${n}`,
      LocalInstrument: "UK.OBIE.FPS",
      InstructedAmount: { Amount: "1.23", Currency: "GBP" },
      CreditorAccount: {
        SchemeName: scheme,
        Identification: payee === numberOf(debtor) ? elsewhere : payee,
        Name: "The Corner Shop Limited",
      },
      RemittanceInformation: { Unstructured: [`Invoice ${n}`] },
    },
    risk: {
      PaymentContextCode: "EcommerceMerchantInitiatedPayment",
      ContractPresentIndicator: false,
      MerchantCategoryCode: "5411",
      MerchantCustomerIdentification: `customer-${n}`,
      DeliveryAddress: {
        StreetName: "Acacia Avenue",
        BuildingNumber: "27",
        PostCode: "GU31 2ZZ",
        TownName: "Sparsholt",
        Country: "UK",
      },
    },
  };
}

async function insertAccounts(database: Database): Promise<void> {
  await database.query(sql`
    with numbered as (
      select 'bench-' || n as id, '404799' || lpad(n::text, 8, '0') as number
      from generate_series(0, ${accounts - 1}::integer) n
    ), customers as (
      insert into customer (customer_id, login, name, kind, password_hash, totp_secret)
      select id, id, 'Bench Customer', 'personal', '', '' from numbered
      on conflict do nothing
    ), opened as (
      insert into account (account_id, account_type, account_sub_type, currency, holder_name,
        opened_on, status_updated_at, sort_code_account_number)
      select id, 'Personal', 'CurrentAccount', 'GBP', 'Bench Customer', '2024-01-01', now(), number
      from numbered on conflict do nothing
    )
    insert into ledger_account (account_id, kind, currency)
    select id, 'customer', 'GBP' from numbered on conflict do nothing`);
  await database.query(sql`
    insert into account_holder (account_id, customer_id, role)
    select account_id, account_id, 'owner' from account where account_id like 'bench-%'
    on conflict do nothing`);
  await database.query(sql`
    insert into posting (posting_id, debit_account_id, credit_account_id, amount_minor, currency,
      booked_at, purpose)
    select 'opening-' || a.account_id, 'internal-opening', a.account_id, 1000000000, 'GBP', now(),
      'opening'
    from account a where a.account_id like 'bench-%'
      and not exists (select from posting where posting_id = 'opening-' || a.account_id)`);
}

async function insertConsents(
  database: Database,
  { clientId }: IssuedTpp,
  batch: readonly (GrantedConsent & { debtor: string })[],
  thumbprint: string | null,
): Promise<void> {
  const payload = {
    kind: "AccessToken",
    clientId,
    scope: "openid payments",
    ...(thumbprint === null ? {} : { "x5t#S256": thumbprint }),
  };
  const rows = batch.map(({ consentId, token, debtor, initiation, risk }) => ({
    consent_id: consentId,
    token_hash: sha256(token),
    debtor,
    grant_id: newId("grant"),
    body: { Data: { Initiation: initiation }, Risk: risk },
  }));
  await database.query(sql`
    with given as (
      select g.consent_id, g.token_hash, g.debtor, g.grant_id, g.body
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as g(consent_id text, token_hash text, debtor text, grant_id text, body json)
    ), consents as (
      insert into consent (api_version,
        consent_id, kind, client_id, status, created_at, status_updated_at, body,
        customer_id, debtor, grant_id, authorised_at, authenticated_at)
      select 'pisp-v4.0',
        g.consent_id, 'domestic-payment', ${clientId}, 'AUTH', now(), now(), g.body, g.debtor,
        json_build_object('accountId', a.account_id, 'currency', a.currency,
          'holderName', a.holder_name, 'sortCodeAccountNumber', a.sort_code_account_number,
          'iban', a.iban, 'signatoriesRequired', a.signatories_required),
        g.grant_id, now(), now()
      from given g join account a on a.account_id = g.debtor
      returning consent_id, grant_id, customer_id, authorised_at
    ), covered as (
      insert into consent_account (consent_id, account_id, covered_from)
      select consent_id, debtor, now() from given
    ), authorised as (
      insert into consent_authorisation (grant_id, consent_id, customer_id, authorised_at, acr, amr,
        challenge_id, shown_hash)
      select grant_id, consent_id, customer_id, authorised_at, 'urn:openbanking:psd2:sca', '{}', '',
        ''
      from consents
    )
    insert into access_token (token_hash, kind, client_id, scope, grant_id, certificate_thumbprint,
      expires_at, payload)
    select token_hash, 'authorization_code', ${clientId}, 'openid payments', grant_id,
      ${thumbprint}, now() + interval '1 hour', ${JSON.stringify(payload)}::json
    from given`);
}
