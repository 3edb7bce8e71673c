import { randomUUID, X509Certificate } from "node:crypto";
import { present } from "#src/lib/assert.ts";
import { sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Directory } from "#src/sandbox/directory/directory.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import type { Database } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";

/** An order that is ready to be signed and submitted. */
export type ReadyOrder = { consentId: string; token: string; body: object };

/** A TPP with orders under authorised consents, all for one path. */
export type PreparedOrders = { tpp: IssuedTpp; path: string; orders: ReadyOrder[] };

/** Domestic payments with one consent each, or VRP payments under that number of consents. */
export type WantedOrders = {
  orders: number;
  bound: boolean;
  vrpConsents?: number;
  /** How many accounts pay domestic payments; all of them by default. */
  debtors?: number;
};

type Grant = {
  consentId: string;
  token: string;
  kind: "domestic-payment" | "domestic-vrp";
  debtor: string;
  body: { Data: object; Risk: object };
};

const accounts = 200;
const elsewhere = "20001512345678";
const scheme = "UK.OBIE.SortCodeAccountNumber";
const some = 1000;

// a range that the personas do not use
const numberOf = (n: number): string => `404799${String(n).padStart(8, "0")}`;

/**
 * Stores what orders need, in the rows that creating and authorising consents and exchanging codes
 * would have left: a new TPP, the consents and one token per consent. Half of the orders stay in
 * the bank, half go to another bank. If `bound` is set, tokens are bound to the TPP's certificate.
 */
export async function prepareOrders(
  database: Database,
  directory: Pick<Directory, "createTpp">,
  { orders, bound, vrpConsents, debtors }: WantedOrders,
): Promise<PreparedOrders> {
  await insertAccounts(database);
  const tpp = await directory.createTpp({
    name: "Benchmark",
    roles: ["PISP"],
    redirectUris: ["http://localhost:7878/callback"],
    certificateBound: bound,
  });
  const thumbprint = bound ? sha256(new X509Certificate(tpp.transport.certificatePem).raw) : null;
  const grants = Array.from({ length: vrpConsents ?? orders }, (_, n) =>
    vrpConsents === undefined ? domesticGrant(n, debtors) : vrpGrant(n),
  );
  for (let first = 0; first < grants.length; first += some) {
    await insertConsents(database, tpp, grants.slice(first, first + some), thumbprint);
  }
  await database.execute("analyze");
  const orderOf = vrpConsents === undefined ? domesticOrder : vrpOrder;
  return {
    tpp,
    path: vrpConsents === undefined ? "/domestic-payments" : "/domestic-vrps",
    orders: Array.from({ length: orders }, (_, n) => {
      const grant = present(grants[n % grants.length], "a consent");
      const { consentId, token } = grant;
      return { consentId, token, body: orderOf(grant, n) };
    }),
  };
}

function creditorOf(n: number): object {
  const payee = n % 2 ? elsewhere : numberOf((n * 7 + 1) % accounts);
  return {
    SchemeName: scheme,
    Identification: payee === numberOf(n % accounts) ? elsewhere : payee,
    Name: "The Corner Shop Limited",
  };
}

const instructionOf = (n: number, CreditorAccount: object) => ({
  InstructionIdentification: `instruction-${n}`,
  EndToEndIdentification: `end-to-end-${n}`,
  LocalInstrument: "UK.OBIE.FPS",
  InstructedAmount: { Amount: "1.23", Currency: "GBP" },
  CreditorAccount,
  RemittanceInformation: { Unstructured: [`Invoice ${n}`] },
});

const riskOf = (n: number) => ({
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
});

const domesticGrant = (n: number, debtors = accounts): Grant => ({
  consentId: newId("dpc"),
  token: randomUUID() + randomUUID(),
  kind: "domestic-payment",
  debtor: `bench-${n % debtors}`,
  body: { Data: { Initiation: instructionOf(n, creditorOf(n)) }, Risk: riskOf(n) },
});

const domesticOrder = ({ consentId, body: { Data, Risk } }: Grant): object => ({
  Data: { ConsentId: consentId, ...Data },
  Risk,
});

const [vrpType, authentication] = ["UK.OBIE.VRPType.Sweeping", "UK.OBIE.SCANotRequired"];
const unreached = { Amount: "1000000.00", Currency: "GBP" };

/** A consent with limits of a week and of a year, which no benchmark reaches. */
const vrpGrant = (n: number): Grant => ({
  consentId: newId("vrpc"),
  token: randomUUID() + randomUUID(),
  kind: "domestic-vrp",
  debtor: `bench-${n % accounts}`,
  body: {
    Data: {
      ControlParameters: {
        VRPType: [vrpType],
        PSUAuthenticationMethods: [authentication],
        MaximumIndividualAmount: { Amount: "5.00", Currency: "GBP" },
        PeriodicLimits: [
          { PeriodType: "Week", PeriodAlignment: "Consent", ...unreached },
          { PeriodType: "Year", PeriodAlignment: "Calendar", ...unreached },
        ],
      },
      Initiation: { CreditorAccount: creditorOf(n) },
    },
    Risk: riskOf(n),
  },
});

function vrpOrder({ consentId, body: { Data, Risk } }: Grant, n: number): object {
  const { Initiation } = Data as { Initiation: { CreditorAccount: object } }; // as vrpGrant has it
  return {
    Data: {
      ConsentId: consentId,
      PSUAuthenticationMethod: authentication,
      VRPType: vrpType,
      Initiation,
      Instruction: instructionOf(n, Initiation.CreditorAccount),
    },
    Risk,
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
  batch: readonly Grant[],
  thumbprint: string | null,
): Promise<void> {
  const payload = {
    kind: "AccessToken",
    clientId,
    scope: "openid payments",
    ...(thumbprint === null ? {} : { "x5t#S256": thumbprint }),
  };
  const rows = batch.map(({ consentId, token, kind, debtor, body }) => ({
    consent_id: consentId,
    token_hash: sha256(token),
    kind,
    debtor,
    grant_id: newId("grant"),
    body,
  }));
  await database.query(sql`
    with given as (
      select g.consent_id, g.token_hash, g.kind, g.debtor, g.grant_id, g.body
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as g(consent_id text, token_hash text, kind text, debtor text, grant_id text, body json)
    ), consents as (
      insert into consent (api_version,
        consent_id, kind, client_id, status, created_at, status_updated_at, body,
        customer_id, debtor, grant_id, authorised_at, authenticated_at)
      select 'pisp-v4.0',
        g.consent_id, g.kind, ${clientId}, 'AUTH', now(), now(), g.body, g.debtor,
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
      insert into consent_authorisation (grant_id, consent_id, customer_id, authorised_at, acr, amr)
      select grant_id, consent_id, customer_id, authorised_at, 'urn:openbanking:psd2:sca', '{}'
      from consents
    )
    insert into access_token (token_hash, kind, client_id, scope, grant_id, certificate_thumbprint,
      expires_at, payload)
    select token_hash, 'authorization_code', ${clientId}, 'openid payments', grant_id,
      ${thumbprint}, now() + interval '1 hour', ${JSON.stringify(payload)}::json
    from given`);
}
