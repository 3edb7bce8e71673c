import { present } from "#src/lib/assert.ts";
import { type Answer, TokenError } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { quickPayee } from "#test/journeys/payments.ts";
import type { Json } from "#test/payments/answer-check.ts";
import { limit, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import {
  type ConsentKind,
  isAccess,
  type Known,
  type KnownConsent,
  type SentOrder,
} from "./known.ts";
import type { Strike } from "./simulated-server.ts";
import type { NetworkTrouble } from "./simulated-tpp.ts";
import { idBegin, type Simulation } from "./simulation.ts";

// What the TPP and its customer do. A call that fails leaves nothing behind but its record.

const customer = "amara";

/** What becomes of the payments to each payee: the numbers of the sandbox's scenarios. */
const payees = {
  paid: "01",
  "paid later": "02",
  "held and paid": "05",
  refused: "12",
  returned: "21",
  "returned a day later": "22",
};
export type Outcome = keyof typeof payees;
export const outcomes = Object.keys(payees) as Outcome[];

const payments = "/v4.0/pisp";
type Paths = { consents: string; orders: string; scope: Scope };
const access: Paths = {
  consents: "/v3.1/aisp/account-access-consents",
  orders: "/v3.1/aisp/accounts",
  scope: "accounts",
};
const paths: Record<ConsentKind, Paths> = {
  once: {
    consents: `${payments}/domestic-payment-consents`,
    orders: `${payments}/domestic-payments`,
    scope: "payments",
  },
  limited: {
    consents: `${payments}/domestic-vrp-consents`,
    orders: `${payments}/domestic-vrps`,
    scope: "payments",
  },
  later: {
    consents: `${payments}/domestic-vrp-consents`,
    orders: `${payments}/domestic-vrps`,
    scope: "payments",
  },
  access,
  "access for days": access,
};

/** Does what the network, the database or a killed process may prevent. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}

/** To which process something is sent, and what goes wrong meanwhile. */
export type At = { at: number; trouble: NetworkTrouble | null; strike: Strike | null };

/** Sends to a living process through the network. */
export async function through(
  simulation: Simulation,
  given: Pick<At, "at"> & Partial<At>,
  work: () => Promise<unknown>,
): Promise<void> {
  await simulation.ensureAlive();
  const { lines } = simulation.choose(given.at);
  if (given.strike) lines?.line.plan(given.strike);
  simulation.tpp.trouble = given.trouble ?? null;
  await attempt(work);
  simulation.tpp.trouble = null;
}

/** Returns a token of the TPP itself. */
async function ownToken({ now, tpp }: Simulation, known: Known, scope: Scope): Promise<string> {
  const had = known.own.get(scope);
  if (had && had.ends > now.epochMilliseconds) return had.token;
  const { trouble } = tpp;
  tpp.trouble = null; // it is for the request that needs the token
  const got = await tpp.token({ grant_type: "client_credentials", scope });
  tpp.trouble = trouble;
  const ends = now.epochMilliseconds + got.expires_in * 1000;
  known.own.set(scope, { token: got.access_token, ends });
  return got.access_token;
}

/** What a consent asks for, besides its kind. */
export type Asked = { kind: ConsentKind; outcome: Outcome; pence: number; days: number };

const pounds = (pence: number): string => (pence / 100).toFixed(2);

function bodyOf({ now }: Simulation, { kind, outcome, pence, days }: Asked, number: number): Json {
  const payee = { ...quickPayee, Identification: `009900000000${payees[outcome]}` };
  const text = (time: Temporal.Instant): string => time.toString({ smallestUnit: "second" });
  if (isAccess(kind)) {
    const ends =
      kind === "access" ? {} : { ExpirationDateTime: text(now.add({ hours: 24 * days })) };
    return { Data: { Permissions: ["ReadAccountsDetail", "ReadBalances"], ...ends }, Risk: {} };
  }
  if (kind === "once") {
    const Initiation = {
      InstructionIdentification: "simulated",
      EndToEndIdentification: `${idBegin}${number}`,
      InstructedAmount: { Amount: pounds(pence), Currency: "GBP" },
      CreditorAccount: payee,
    };
    const Risk = { PaymentContextCode: "TransferToThirdParty" };
    return { Data: { ReadRefundAccount: "No", Initiation }, Risk };
  }
  return vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = [
      limit("Month", "Consent", "24.00"),
      limit("Week", "Calendar", "15.00"),
    ];
    if (kind === "later") {
      Data.ControlParameters.ValidFromDateTime = text(now.add({ hours: 24 * days }));
      Data.ControlParameters.ValidToDateTime = text(now.add({ hours: 24 * 4 * days }));
    }
    Data.Initiation.CreditorAccount = payee;
  });
}

/** Lodges a consent. Returns it if there was an answer. */
export async function lodge(
  simulation: Simulation,
  known: Known,
  asked: Asked,
): Promise<KnownConsent | null> {
  const { consents: path, scope } = paths[asked.kind];
  known.keys += 1;
  const body = bodyOf(simulation, asked, known.keys);
  const token = await ownToken(simulation, known, scope);
  const answer = await simulation.tpp.call<Json>({ path, token, body });
  if (answer.status !== 201) return null;
  const consent: KnownConsent = {
    consentId: answer.body.Data.ConsentId,
    kind: asked.kind,
    body,
    isDecided: false,
    isDeclined: false,
    token: null,
    refreshToken: null,
    tokenEnds: 0,
    isRevoked: false,
    redirectUrl: null,
    orders: [],
  };
  known.consents.push(consent);
  return consent;
}

/** Lets the customer decide, and exchanges the code. */
export async function decide(
  simulation: Simulation,
  consent: KnownConsent,
  approves: boolean,
): Promise<void> {
  const { tpp } = simulation;
  const { consentId, kind } = consent;
  const decision = {
    authorizationUrl: await tpp.authorizationUrl({ scope: paths[kind].scope, consentId }),
    customer,
    decision: approves ? "approve" : "deny",
    ...(approves ? { accounts: [simulation.account] } : {}),
  };
  const { trouble } = tpp;
  tpp.trouble = null; // it is for the exchange of the code
  const { redirectUrl } = await tpp.decide(consentId, approves, async () => {
    const answer = await simulation.control<{ redirectUrl: string }>("/authorisations", decision);
    // with any other error, nobody has decided
    const expected = approves ? undefined : "access_denied";
    const sentBack = new URL(answer.redirectUrl).hash.slice(1);
    const error = new URLSearchParams(sentBack).get("error") ?? undefined;
    if (error !== expected) throw new Error(answer.redirectUrl);
    return answer;
  });
  consent.isDecided = true;
  consent.isDeclined = !approves;
  if (!approves) return;
  tpp.trouble = trouble;
  consent.redirectUrl = redirectUrl;
  keepTokens(simulation, consent, await tpp.exchangeCode(redirectUrl));
}

/** Exchanges the code of an approval once more. */
export const exchangeAgain = ({ tpp }: Simulation, { redirectUrl }: KnownConsent) =>
  tpp.exchangeCode(present(redirectUrl, "an approval"));

type Tokens = Awaited<ReturnType<Simulation["tpp"]["token"]>>;

function keepTokens({ now }: Simulation, consent: KnownConsent, tokens: Tokens): void {
  consent.token = tokens.access_token;
  consent.tokenEnds = now.epochMilliseconds + tokens.expires_in * 1000;
  consent.refreshToken = tokens.refresh_token ?? consent.refreshToken;
}

/** Gets a new token for a consent, if its token has ended. Gives the consent up if it gets none. */
async function refresh(simulation: Simulation, consent: KnownConsent): Promise<void> {
  const { refreshToken, tokenEnds } = consent;
  if (tokenEnds > simulation.now.epochMilliseconds) return;
  try {
    if (refreshToken === null) throw new Error("its TPP has no more than the token");
    keepTokens(simulation, consent, await simulation.tpp.refresh(refreshToken));
  } catch (error) {
    const isLost = error instanceof TokenError && error.answer.status === 400;
    if (refreshToken === null || isLost) consent.token = null;
    throw error;
  }
}

/** Asks for a new token, though the bank may have ended what it is for. */
export async function renew(simulation: Simulation, consent: KnownConsent): Promise<void> {
  const { refreshToken } = consent;
  if (refreshToken !== null) {
    keepTokens(simulation, consent, await simulation.tpp.refresh(refreshToken));
  }
}

/** Gets a new token if it is needed and can be had. Returns whether there is a token. */
export async function isReady(simulation: Simulation, consent: KnownConsent): Promise<boolean> {
  await attempt(() => refresh(simulation, consent));
  return consent.token !== null;
}

/** Notes that the bank did not accept a token. */
function learn(consent: KnownConsent, { status }: Answer<unknown>): void {
  if (status === 401) consent.tokenEnds = 0;
}

/** Makes the next order of a consent, with a key of its own. */
export function nextOrder(
  { now }: Simulation,
  known: Known,
  consent: KnownConsent,
  pence: number,
): SentOrder {
  known.keys += 1;
  const { consentId, kind, body } = consent;
  const { Initiation } = body.Data;
  const order: Json =
    kind === "once"
      ? { Data: { ConsentId: consentId, Initiation }, Risk: body.Risk }
      : vrpOrder(consentId, body, pounds(pence));
  if (kind !== "once") {
    order.Data.Instruction.EndToEndIdentification = `${idBegin}${known.keys}`;
  }
  const sent = { key: `key-${known.keys}`, body: order, orderId: null, at: now };
  consent.orders.push(sent);
  return sent;
}

/** Sends an order, for the first time or again, to the process that is chosen or to another. */
export async function send(
  { tpp }: Simulation,
  consent: KnownConsent,
  order: SentOrder,
  publicUrl = "",
): Promise<void> {
  const { kind, token } = consent;
  const path = publicUrl && `${publicUrl}/api/open-banking`;
  const { key: idempotencyKey, body } = order;
  const given = { path: `${path}${paths[kind].orders}`, token, body, idempotencyKey };
  const answer = await tpp.call<Json>(given);
  learn(consent, answer);
  if (answer.status !== 201) return;
  const { DomesticPaymentId, DomesticVRPId } = answer.body.Data;
  order.orderId = DomesticPaymentId ?? DomesticVRPId;
}

/** Sends an order to pay once whose amount its customer has not approved. */
export async function sendOther(
  simulation: Simulation,
  known: Known,
  consent: KnownConsent,
  pence: number,
): Promise<void> {
  if (consent.kind !== "once") return;
  const order = nextOrder(simulation, known, consent, pence);
  const { Initiation } = order.body.Data;
  const InstructedAmount = { ...Initiation.InstructedAmount, Amount: pounds(pence) };
  const Data = { ...order.body.Data, Initiation: { ...Initiation, InstructedAmount } };
  order.body = { ...order.body, Data };
  await send(simulation, consent, order);
}

/** Reads the accounts that a consent opens. */
export async function readAccounts({ tpp }: Simulation, consent: KnownConsent): Promise<void> {
  learn(consent, await tpp.call({ path: access.orders, token: consent.token }));
}

/** Uses what a consent opens. */
export const use = (
  simulation: Simulation,
  known: Known,
  consent: KnownConsent,
): Promise<unknown> =>
  isAccess(consent.kind)
    ? readAccounts(simulation, consent)
    : send(simulation, consent, nextOrder(simulation, known, consent, 300));

/** Uses it at each process: a TPP does not know what has ended it. */
export async function useEverywhere(
  simulation: Simulation,
  known: Known,
  consent: KnownConsent,
): Promise<void> {
  for (let at = 0; consent.token !== null && at < simulation.alive.length; at += 1) {
    await through(simulation, { at }, () => use(simulation, known, consent));
  }
}

/** Reads a consent. */
export async function readConsent(
  simulation: Simulation,
  known: Known,
  { kind, consentId }: KnownConsent,
): Promise<void> {
  const { consents, scope } = paths[kind];
  const token = await ownToken(simulation, known, scope);
  await simulation.tpp.call({ path: `${consents}/${consentId}`, token });
}

/** Reads an order. */
export async function readOrder(
  simulation: Simulation,
  known: Known,
  { kind }: KnownConsent,
  { orderId }: SentOrder,
): Promise<void> {
  const token = await ownToken(simulation, known, "payments");
  const path = `${paths[kind].orders}/${present(orderId, "an order with an answer")}`;
  await simulation.tpp.call({ path, token });
}

/** Ends a consent: its TPP does, or its customer. */
export async function revoke(
  simulation: Simulation,
  known: Known,
  consent: KnownConsent,
  byCustomer: boolean,
): Promise<void> {
  const { consentId, kind } = consent;
  consent.isRevoked = true;
  if (byCustomer) {
    simulation.tpp.trouble = null;
    await simulation.tpp.revoke(consentId, () =>
      simulation.control(`/consents/${consentId}/revoke`, {}),
    );
    return;
  }
  const { consents, scope } = paths[kind];
  const token = await ownToken(simulation, known, scope);
  await simulation.tpp.call({ path: `${consents}/${consentId}`, method: "DELETE", token });
}

/** Polls for events, and acknowledges those that arrived with the polls before. */
export async function poll(
  simulation: Simulation,
  known: Known,
  acknowledged: number,
): Promise<void> {
  const token = await ownToken(simulation, known, "payments");
  const body = {
    returnImmediately: true,
    maxEvents: 3,
    ack: known.received.slice(0, acknowledged),
  };
  const answer = await simulation.tpp.call<Json>({ path: "/v4.0/events", token, body });
  if (answer.status === 200) known.received = Object.keys(answer.body.sets ?? {});
}
