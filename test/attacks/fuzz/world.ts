import { supportedPermissions } from "#src/accounts/account-resources.ts";
import { present } from "#src/lib/assert.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { SandboxCustomer } from "#src/sandbox/controls/controls.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import type { AuthorizationRequest } from "#src/sandbox/test-tpp/authorization-flow.ts";
import type { HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import { PushError, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BankAddress, TppCredentials } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import {
  type ReferenceSamples,
  referenceSamples,
  sampleNames,
} from "#src/server/examples/reference-samples.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import type { Scope } from "#src/standard/api-version.ts";

/** A consent that requests may use. The token belongs to its customer's grant. */
export type KnownConsent = {
  consentId: string;
  token: string | null;
  body: Body;
  /** The order of the sample, for a payment. */
  order?: Body;
  /** Whether its order has been created. */
  used?: boolean;
};
/** A body of payment initiation. */
export type Body = { Data: Record<string, unknown>; Risk?: unknown };

/** The scope of consents that no order uses up. */
export type AccessScope = Exclude<Scope, "payments">;

/** Consents of one scope that no order uses up. */
export type Accesses = {
  consents: KnownConsent[];
  /** The ids of consents that may be deleted. The others are needed for reading. */
  spare: string[];
};

/** A TPP with consents in every state, and the ids that its requests may contain. */
export type Actor = {
  client: TppClient;
  /** The consents by kind of payment and version. */
  consents: Map<string, KnownConsent[]>;
  orders: Map<string, string[]>;
  accesses: Record<AccessScope, Accesses>;
  /** The ids of registrations for events, by the member that names them. */
  registrations: Map<string, string[]>;
  accountIds: string[];
  statementIds: string[];
  /** Returns a valid token of the client credentials grant. */
  clientToken(scope: Scope): Promise<string>;
};

/** The bank under attack, and what the attacker has there. */
export type World = {
  address: BankAddress;
  actors: Actor[];
  customers: SandboxCustomer[];
  /** The customers who may be locked out: all except the one who approves consents. */
  strangers: SandboxCustomer[];
  /** The id of a TPP that may be removed. The actors are needed for the other requests. */
  spareTpp: string;
  /** The reference's samples for the bank's current day, by version. */
  samples: ReferenceSamples;
  /** Authorises another consent of the kind, unless enough have been. */
  refill(actor: Actor, kind: ServedKind): Promise<void>;
  close(): void;
};

type Resource = { Data: Record<string, string> };
type Registration = Required<
  Pick<TppCredentials, "profile" | "tokenEndpointAuthMethod" | "certificateBound">
>;

/** The registrations of the TPPs. The first TPP has consents in every state. */
const registrations: readonly [Registration, ...Registration[]] = [
  { profile: "fapi1", tokenEndpointAuthMethod: "private_key_jwt", certificateBound: false },
  { profile: "fapi1", tokenEndpointAuthMethod: "tls_client_auth", certificateBound: true },
  { profile: "fapi2", tokenEndpointAuthMethod: "private_key_jwt", certificateBound: true },
  {
    profile: "fapi2-message-signing",
    tokenEndpointAuthMethod: "tls_client_auth",
    certificateBound: true,
  },
];

const customer = "amara";
const refillsAtMost = 300;

/** Every kind of payment in every version that serves it. */
export const kinds = paymentKinds.flatMap(servedKinds);

/** The key of a kind in a version, under which its consents and orders are remembered. */
export const keyOf = ({ id, format }: ServedKind): string => `${format.version.id} ${id}`;

/** Registers the TPPs, and creates, authorises, rejects and uses their consents. */
export async function createSurroundings(address: BankAddress): Promise<World> {
  const control = <T>(method: string, path: string, body?: object): Promise<T> =>
    callControl(address, method, path, body);
  const { customers } = await control<{ customers: SandboxCustomer[] }>("GET", "/customers");
  const { now } = await control<{ now: string }>("GET", "/clock");
  const today = Temporal.Instant.from(now).toZonedDateTimeISO("UTC").toPlainDate();
  const samples = referenceSamples(paymentKinds, today);
  const actors: Actor[] = [];
  for (const registration of registrations) actors.push(await createActor(address, registration));
  const spare = await registerTpp(address, registrations[0]);
  spare.close();
  let refills = 0;
  const world: World = {
    address,
    actors,
    spareTpp: spare.tpp.clientId,
    customers,
    strangers: customers.filter(({ login }) => login !== customer),
    samples,
    async refill(actor, kind) {
      if (refills++ < refillsAtMost) await addPayment(world, actor, kind, "authorised");
    },
    close() {
      for (const { client } of actors) client.close();
    },
  };
  for (const [index, actor] of actors.entries()) {
    for (const kind of kinds) {
      await addPayment(world, actor, kind, "lodged");
      if (index > 0) continue;
      await addPayment(world, actor, kind, "used");
      await addPayment(world, actor, kind, "authorised");
    }
    for (const base of accountApis) await addAccess(world, actor, base, supportedPermissions());
    for (const base of fundsApis) await addFunds(world, actor, base);
  }
  const [first] = actors;
  if (first) {
    await addPayment(world, first, present(kinds[0], "a kind"), "denied");
    await addAccess(world, first, "/v3.1/aisp", ["ReadAccountsBasic"]);
    for (const base of accountApis) await deleteAccess(world, first, base);
  }
  return world;
}

/** Calls the sandbox's own interface. Rejects if the call fails. */
export async function callControl<T>(
  { publicUrl }: BankAddress,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${publicUrl}/sandbox/v1${path}`, {
    method,
    ...(body
      ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Registers a TPP through the sandbox's interface. Its redirect URIs name its profile. */
export async function registerTpp(
  address: BankAddress,
  registration: Registration,
): Promise<TppClient> {
  const path = `/${registration.profile}/callback`;
  const registered = {
    ...registration,
    redirectUris: [`http://localhost:7878${path}`, `https://tpp.example${path}`],
  };
  const request = { name: "Hostile TPP", roles: [...tppRoles], ...registered };
  const keys = await callControl<object>(address, "POST", "/tpps", request);
  // the response contains the other members
  const bank = { ...address, operations: listOperations(paymentKinds) };
  return new TppClient(bank, { ...keys, ...registered } as unknown as TppClient["tpp"]);
}

async function createActor(address: BankAddress, registration: Registration): Promise<Actor> {
  const client = await registerTpp(address, registration);
  const tokens = new Map<Scope, { value: Promise<string>; until: number }>();
  return {
    client,
    consents: new Map(),
    orders: new Map(),
    accesses: {
      accounts: { consents: [], spare: [] },
      fundsconfirmations: { consents: [], spare: [] },
    },
    registrations: new Map(),
    accountIds: [],
    statementIds: [],
    clientToken(scope) {
      const known = tokens.get(scope);
      if (known && known.until > performance.now()) return known.value;
      const value = client.clientToken(scope);
      // less than the bank's tokens last
      tokens.set(scope, { value, until: performance.now() + 120_000 });
      return value;
    },
  };
}

async function approve(
  world: World,
  { client }: Actor,
  scope: Scope,
  consentId: string,
): Promise<string> {
  const authorizationUrl = await client.authorizationUrl({ scope, consentId });
  const accounts = accountsToPayFrom(world).slice(0, scope === "payments" ? 1 : 5);
  const request: HeadlessRequest = { authorizationUrl, customer, decision: "approve", accounts };
  const answer = await callControl<Redirect>(world.address, "POST", "/authorisations", request);
  return (await client.exchangeCode(answer.redirectUrl)).access_token;
}
type Redirect = { redirectUrl: string };

const accountsToPayFrom = ({ customers }: World): string[] =>
  (customers.find(({ login }) => login === customer)?.accounts ?? [])
    .filter((one) => one.accountSubType === "CurrentAccount" && one.signatoriesRequired === 1)
    .map(({ accountId }) => accountId);

/** Creates a payment consent and moves it to the given state. */
async function addPayment(
  world: World,
  actor: Actor,
  kind: ServedKind,
  state: "lodged" | "denied" | "authorised" | "used",
): Promise<void> {
  const { client } = actor;
  const { basePath, id: version } = kind.format.version;
  const path = `${basePath.replace("/api/open-banking", "")}/${kind.id}`;
  const names = sampleNames(kind);
  const samples = present(world.samples[version], "the samples of the version");
  const body = structuredClone(samples[names.consent]) as Body;
  const order = samples[names.order] as Body;
  const token = await actor.clientToken("payments");
  const lodged = await client.call<Resource>({ path: `${path}-consents`, token, body });
  if (lodged.status !== 201) throw new Error(`${kind.id}: ${lodged.raw}`);
  const consentId = String(lodged.body.Data.ConsentId);
  const consent: KnownConsent = { consentId, token: null, body, order };
  const file = samples[names.file];
  if (file && state !== "lodged") {
    await client.call({ path: `${path}-consents/${consentId}/file`, token, body: file });
  }
  if (state === "denied") {
    const authorizationUrl = await client.authorizationUrl({ scope: "payments", consentId });
    const request: HeadlessRequest = { authorizationUrl, customer, decision: "deny" };
    await callControl(world.address, "POST", "/authorisations", request);
  }
  if (state === "authorised" || state === "used") {
    consent.token = await approve(world, actor, "payments", consentId);
  }
  if (state === "used") {
    const made = await client.call<Resource>({
      path: `${path}s`,
      token: consent.token,
      body: orderOf(consent),
    });
    if (made.status !== 201) throw new Error(`${kind.id}: ${made.raw}`);
    remember(actor.orders, keyOf(kind), String(made.body.Data[kind.orderIdField]));
    consent.used = true;
  }
  remember(actor.consents, keyOf(kind), consent);
}

/** The order that a consent allows. */
export function orderOf({ consentId, body, order = body }: KnownConsent): Body {
  const { Initiation } = body.Data;
  return structuredClone({ ...order, Data: { ...order.Data, ConsentId: consentId, Initiation } });
}

const knownAtMost = 40;

/** Adds a thing to those of its kind, of which only the newest are kept. */
export function remember<T>(known: Map<string, T[]>, kind: string, thing: T): void {
  const things = known.get(kind) ?? [];
  things.push(thing);
  if (things.length > knownAtMost) things.splice(knownAtMost / 2, 1);
  known.set(kind, things);
}

const accountApis = ["/v3.1/aisp", "/v4.0/aisp"] as const;
type AccountApi = (typeof accountApis)[number];

async function addAccess(
  world: World,
  actor: Actor,
  base: AccountApi,
  permissions: Iterable<string>,
): Promise<void> {
  const { client } = actor;
  const body: Body = { Data: { Permissions: [...permissions] }, Risk: {} };
  const asked = await client.call<Resource>({
    path: `${base}/account-access-consents`,
    token: await actor.clientToken("accounts"),
    body,
  });
  if (asked.status !== 201) throw new Error(`access: ${asked.raw}`);
  const consentId = String(asked.body.Data.ConsentId);
  const token = await approve(world, actor, "accounts", consentId);
  actor.accesses.accounts.consents.push({ consentId, token, body });
  type Lists = { Data: Record<string, Record<string, string>[]> };
  const accounts = await client.call<Lists>({ path: `${base}/accounts`, token });
  const ids = accounts.body.Data.Account?.map(({ AccountId }) => String(AccountId)) ?? [];
  actor.accountIds.push(...ids);
  const statements = await client.call<Lists>({
    path: `${base}/accounts/${ids[0]}/statements`,
    token,
  });
  if (statements.status !== 200) return;
  const found = statements.body.Data.Statement?.map(({ StatementId }) => String(StatementId));
  actor.statementIds.push(...(found ?? []).slice(0, 5));
}

/** Adds an access that its TPP has deleted. Its token gives access to nothing. */
async function deleteAccess(world: World, actor: Actor, base: AccountApi): Promise<void> {
  await addAccess(world, actor, base, ["ReadAccountsDetail", "ReadBalances"]);
  const { consentId } = present(actor.accesses.accounts.consents.at(-1), "the access");
  const path = `${base}/account-access-consents/${consentId}`;
  await actor.client.call({ method: "DELETE", path, token: await actor.clientToken("accounts") });
}

/** The URL of a journey. If the bank refuses to have the request pushed, the URL has none. */
export const journeyUrl = ({ client }: Actor, request: AuthorizationRequest): Promise<string> =>
  client.authorizationUrl(request).catch((error) => {
    if (!(error instanceof PushError)) throw error;
    return `${client.bank.publicUrl}/auth?client_id=${client.tpp.clientId}`;
  });

/** The consents that a token of this scope is for. */
export const consentsOf = ({ consents, accesses }: Actor, scope: Scope): KnownConsent[] =>
  scope === "payments" ? [...consents.values()].flat() : accesses[scope].consents;

const fundsApis = ["/v3.1/cbpii", "/v4.0/cbpii"] as const;

/** A consent to confirmations of funds that the customer has approved. */
async function addFunds(
  world: World,
  actor: Actor,
  base: (typeof fundsApis)[number],
): Promise<void> {
  const scope = "fundsconfirmations";
  const samples = present(world.samples["cbpii-v4.0"], "the samples of the version");
  const body = structuredClone(samples.CreateFundsConfirmationConsents) as Body;
  const lodged = await actor.client.call<Resource>({
    path: `${base}/funds-confirmation-consents`,
    token: await actor.clientToken(scope),
    body,
  });
  if (lodged.status !== 201) throw new Error(`funds: ${lodged.raw}`);
  const consentId = String(lodged.body.Data.ConsentId);
  const token = await approve(world, actor, scope, consentId);
  actor.accesses[scope].consents.push({ consentId, token, body });
}
