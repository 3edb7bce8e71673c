import type { KeyObject } from "node:crypto";
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { type ChallengeSubject, subjectHash } from "#src/bank/challenge.ts";
import { hmacSha256, isSameText, sha256 } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { Unavailable, unavailableOf } from "#src/lib/unavailable.ts";
import { type Authentication, clockTolerance, strongAuthentication } from "./authentication.ts";
import { confirmingRows } from "./confirming.ts";

/** The type of the authorization details with which the bank's provider is asked to confirm. */
export const approvalDetails = "aldgate_approval";

/** How this bank reaches its own OpenID provider. */
type BankLoginOptions = {
  issuer: string;
  clientId: string;
  /** Signs requests: an RSA key, or one on P-256. */
  key: KeyObject;
  /** The `acr` that the provider must give. */
  acr: string;
  confirms: BankLogin["confirms"];
  /** Where the provider sends customers back. */
  redirectUri: string;
  /** From which states, nonces and code verifiers are made, so that nothing is stored. */
  secret: string;
  /** The machine's time, with which other machines compare the times of requests. */
  now(): Temporal.Instant;
};

/** One hand-over of a journey to the bank's provider. */
type HandOver = {
  uid: string;
  /** The TPP as the customer knows it. */
  clientName: string;
  subject: ChallengeSubject;
  /** The time since the journey began: no login of before confirms it. */
  age: Temporal.Duration;
};

/**
 * The answer of the bank's provider.
 * - `cancelled`: the customer has declined there.
 * - `altered`: what was confirmed is not what was asked.
 * - `unavailable`: the provider says that it is out of service, so the customer is not to blame.
 * - `failed`: anything else, which may succeed at another try.
 */
type HandOverResult =
  | { state: "approved"; customerId: string; authentication: Authentication }
  | { state: "cancelled" }
  | { state: "altered" }
  | { state: "unavailable" | "failed"; reason: string };

/** The bank's own OpenID provider. */
export type BankLogin = {
  /**
   * What customers confirm there: the whole approval in one go, or only their login, after which
   * the core asks for the second factor.
   */
  confirms: "approval" | "login";
  /** The URL at which the customer confirms. Throws Unavailable. */
  urlFor(handOver: HandOver): Promise<string>;
  /** Judges the query with which the customer has come back. Throws Unavailable. */
  judge(handOver: HandOver, answer: Readonly<Record<string, string>>): Promise<HandOverResult>;
};

type Metadata = {
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
  /** Whether every answer names its issuer. Source: RFC 9207 section 3. */
  authorization_response_iss_parameter_supported?: unknown;
  /** Whether it takes request objects. Source: OpenID Connect Core section 6.1. */
  request_parameter_supported?: unknown;
  request_object_signing_alg_values_supported?: unknown;
  claims_parameter_supported?: unknown;
};
type Found = Metadata & { keys: ReturnType<typeof createRemoteJWKSet> };

const answerMs = 10_000;
const keptMs = 600_000;
const requestSeconds = 300;
const mostBytes = 64 * 1024;
const algorithms = ["PS256", "ES256"];
// some providers that cannot be extended sign with nothing else
const loginAlgorithms = [...algorithms, "RS256"];
// Source: RFC 6749 section 4.1.2.1
const outages = ["server_error", "temporarily_unavailable"];

/**
 * Makes the relying party of the bank's own provider: authorization code, PKCE, a signed request
 * object and `private_key_jwt`. It is a page of code on `jose`, which the authorization server
 * needs anyway. The nonce contains the hash of the subject, so the provider's signature binds the
 * answer to it. Source: RFC 9101 section 5.1, RFC 9396
 * section 2, OpenID Connect Core section 3.1.3.7.
 */
export function createBankLogin(options: BankLoginOptions): BankLogin {
  const { issuer, confirms } = options;
  const party: Party = { ...options, ...linkingOf(options.secret), find: createFinder(issuer) };
  return {
    confirms,

    async urlFor(handOver) {
      const found = await party.find();
      const plain = { client_id: party.clientId, response_type: "code", scope: "openid" };
      const asked = { ...plain, ...requestOf(party, found, handOver) };
      const sent: Asked = isSigned(party, found)
        ? { ...plain, request: await sign(party, asked) }
        : asked;
      const url = new URL(found.authorization_endpoint);
      for (const [name, value] of Object.entries(sent)) url.searchParams.set(name, textual(value));
      return url.href;
    },

    async judge(handOver, { state = "", iss, code, error }) {
      if (!isSameText(state, party.stateOf(handOver.uid))) return failed("the state is another");
      const { authorization_response_iss_parameter_supported: hasIssuer } = await party.find();
      if (iss ? iss !== issuer : hasIssuer === true) {
        return failed(iss ? `the answer comes from ${iss}` : "the answer does not name its issuer");
      }
      if (error === "access_denied") return { state: "cancelled" };
      if (error)
        return { state: outages.includes(error) ? "unavailable" : "failed", reason: error };
      return code ? redeem(party, handOver, code) : failed("the answer has no code");
    },
  };
}

type Linking = {
  stateOf(uid: string): string;
  verifierOf(uid: string): string;
  nonceOf(handOver: HandOver): string;
};
type Party = BankLoginOptions & Linking & { find(): Promise<Found> };

/** What links an answer to its hand-over. All of it is derived, so nothing is stored. */
function linkingOf(secret: string): Linking {
  const mac = hmacSha256(secret);
  return {
    stateOf: (uid) => `${uid}.${mac(`state ${uid}`)}`,
    verifierOf: (uid) => mac(`verifier ${uid}`),
    nonceOf: ({ uid, subject }) => `${mac(`nonce ${uid}`)}.${subjectHash(subject)}`,
  };
}

type Asked = Record<string, string | number | object>;

const textual = (value: Asked[string]): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** What the provider is asked, besides the parameters that a signed request repeats outside. */
function requestOf(
  { acr, redirectUri, confirms, verifierOf, stateOf, nonceOf }: Party,
  { claims_parameter_supported: takesClaims }: Metadata,
  handOver: HandOver,
): Asked {
  const essential = true;
  const facts = { auth_time: { essential }, amr: { essential } };
  const idToken = { acr: { essential, values: [acr] }, ...facts };
  return {
    redirect_uri: redirectUri,
    state: stateOf(handOver.uid),
    nonce: nonceOf(handOver),
    code_challenge: sha256(verifierOf(handOver.uid)),
    code_challenge_method: "S256",
    // a session at the provider does not confirm this subject
    prompt: "login",
    // every provider knows these; `max_age` makes it return `auth_time`
    ...(confirms === "login" ? { acr_values: acr, max_age: requestSeconds } : {}),
    ...(confirms === "approval" || takesClaims === true ? { claims: { id_token: idToken } } : {}),
    ...(confirmsDetails(handOver) ? { authorization_details: detailsOf(handOver) } : {}),
  };
}

const algorithmOf = ({ key }: Pick<Party, "key">): string =>
  key.asymmetricKeyType === "ec" ? "ES256" : "PS256";

/**
 * Whether a request is signed. A login need not be, because all that counts of it is in the
 * `id_token` or bound to this party's secret; so it is signed if the provider takes that.
 */
function isSigned(party: Party, found: Metadata): boolean {
  if (party.confirms === "approval") return true;
  const taken = found.request_object_signing_alg_values_supported;
  const takesOurs = !Array.isArray(taken) || taken.includes(algorithmOf(party));
  return found.request_parameter_supported === true && takesOurs;
}

function sign(party: Party, claims: JWTPayload): Promise<string> {
  const { key, clientId, issuer, now } = party;
  const iat = Math.floor(now().epochMilliseconds / 1000);
  const times = { iat, nbf: iat, exp: iat + requestSeconds, jti: newId("jti") };
  return new SignJWT({ ...claims, ...times, iss: clientId, aud: issuer })
    .setProtectedHeader({ alg: algorithmOf(party) })
    .sign(key);
}

/**
 * Whether the provider is asked to confirm details. A login confirms none: a provider that has not
 * been told of our details could then refuse it.
 */
const confirmsDetails = ({ subject }: HandOver): boolean => subject.act !== "login";

const detailsOf = ({ subject, clientName }: HandOver) => [
  {
    type: approvalDetails,
    subject_hash: subjectHash(subject),
    client_name: clientName,
    shown: confirmingRows(subject).map(({ label, value }) => ({ label, value })),
  },
];

async function redeem(party: Party, handOver: HandOver, code: string): Promise<HandOverResult> {
  const { clientId, redirectUri: redirect_uri, issuer, acr, now } = party;
  const { token_endpoint: endpoint, keys } = await party.find();
  // before the code is used up: an outage of the keys then costs the customer nothing
  if (!keys.fresh) await keys.reload().catch(withoutKeys);
  const answer = await askJson(endpoint, {
    method: "POST",
    body: new URLSearchParams({
      ...{ grant_type: "authorization_code", code, redirect_uri, client_id: clientId },
      code_verifier: party.verifierOf(handOver.uid),
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await sign(party, { sub: clientId }),
    }),
  });
  const { id_token: idToken, authorization_details: details, error } = answer.body;
  if (!answer.isOk) {
    const reason = `the token endpoint answered ${textOf(error)}`;
    return { state: outages.includes(textOf(error)) ? "unavailable" : "failed", reason };
  }
  const verified = await jwtVerify(textOf(idToken), keys, {
    ...{ issuer, audience: clientId },
    algorithms: party.confirms === "login" ? loginAlgorithms : algorithms,
    requiredClaims: ["sub", "nonce", "acr", "auth_time", "exp", "iat"],
    currentDate: new Date(now().epochMilliseconds),
    clockTolerance: clockTolerance.seconds,
  }).catch((reason: Error) => reason);
  if (unavailableOf(verified)) throw verified;
  if (verified instanceof Error) return failed(`the id_token: ${verified.message}`);
  const { payload } = verified;
  const { aud, azp } = payload;
  // nobody else is trusted to pass on what was issued to Aldgate
  if (aud !== clientId && !(Array.isArray(aud) && aud.length === 1)) {
    return failed(`the id_token has further audiences: ${textOf(aud)}`);
  }
  if (azp !== undefined && azp !== clientId) return failed(`the azp is ${textOf(azp)}`);
  if (payload.acr !== acr) return failed(`the acr is ${textOf(payload.acr)}, not ${acr}`);
  const isBound =
    isSameText(textOf(payload.nonce), party.nonceOf(handOver)) &&
    (!confirmsDetails(handOver) || confirms(details, subjectHash(handOver.subject)));
  if (!isBound) return { state: "altered" };
  const { auth_time: authTime } = payload;
  const at = authenticatedAt(authTime, now(), handOver);
  if (!at) return failed(`the auth_time ${textOf(authTime)} is not within the journey`);
  const customerId = textOf(payload.sub);
  return { state: "approved", customerId, authentication: authenticationOf(payload, at) };
}

const failed = (reason: string): HandOverResult => ({ state: "failed", reason });

/** The id of the journey to which an answer belongs, by its state; null if it names none. */
export const journeyOfState = (state: unknown): string | null =>
  typeof state === "string" ? (/^([\w-]{1,64})\.[\w-]{43}$/.exec(state)?.[1] ?? null) : null;

/** Whether the provider confirms these details: it returns what the customer has approved. */
function confirms(details: unknown, hash: string): boolean {
  if (!Array.isArray(details) || details.length !== 1) return false;
  const [detail] = details as [Record<string, unknown> | null];
  return detail?.type === approvalDetails && detail.subject_hash === hash;
}

/** When the customer has logged in; null unless that was within the journey. */
function authenticatedAt(
  seconds: unknown,
  now: Temporal.Instant,
  { age }: HandOver,
): Temporal.Instant | null {
  const latest = now.add(clockTolerance).epochMilliseconds / 1000;
  const earliest = now.subtract(age).subtract(clockTolerance).epochMilliseconds / 1000;
  if (typeof seconds !== "number" || !Number.isInteger(seconds)) return null;
  if (seconds < earliest || seconds > latest) return null;
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
}

/** The methods are the provider's own; a provider that names none gets no credit for any. */
function authenticationOf({ amr }: JWTPayload, at: Temporal.Instant): Authentication {
  const methods = Array.isArray(amr) ? amr.filter((one) => typeof one === "string") : [];
  return {
    method: "redirect",
    acr: strongAuthentication,
    amr: methods.slice(0, 10),
    at: at.toString(),
  };
}

/** Finds the provider's endpoints and keys, and keeps them for ten minutes. */
function createFinder(issuer: string): () => Promise<Found> {
  let kept: { found: Promise<Found>; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (kept && now < kept.until) return kept.found;
    const found = discover(issuer);
    kept = { found, until: now + keptMs };
    found.catch(() => {
      kept = undefined;
    });
    return found;
  };
}

async function discover(issuer: string): Promise<Found> {
  const { body } = await askJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (body.issuer !== issuer) {
    throw new Unavailable("core", `the bank's login says that it is ${textOf(body.issuer)}`, {});
  }
  const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const;
  const missing = endpoints.find((name) => !URL.canParse(textOf(body[name])));
  if (missing) throw new Unavailable("core", `the bank's login has no ${missing}`, {});
  const metadata = body as Metadata; // checked above
  const isPlain = (name: (typeof endpoints)[number]) => !metadata[name].startsWith("https:");
  const plain = issuer.startsWith("https:") && endpoints.find(isPlain);
  if (plain) throw new Unavailable("core", `the ${plain} of the bank's login is not https`, {});
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    [customFetch]: fetchKeys,
    // only the provider's own tokens are verified, and their key may be new: Keycloak makes it last
    cooldownDuration: 0,
  });
  return { ...metadata, keys };
}

/** Fetches a response whole. Rejects if it is larger than any that the provider needs. */
async function fetchCapped(url: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(url, request);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error("the response is larger than 64 kB");
    chunks.push(chunk);
  }
  const { status, headers } = answer;
  return new Response(Buffer.concat(chunks), { status, headers });
}

const withoutKeys = (cause: unknown): never => {
  throw new Unavailable("core", "the bank's login does not show its keys", { cause });
};

/** Fetches the provider's keys. Throws Unavailable, because the customer's answer may be right. */
async function fetchKeys(url: string, request: RequestInit): Promise<Response> {
  const answer = await fetchCapped(url, request).catch(withoutKeys);
  return answer.status === 200 ? answer : withoutKeys(new Error(`status ${answer.status}`));
}

type Answer = { isOk: boolean; body: Record<string, unknown> };

/** Returns the JSON that the provider answers. Throws Unavailable. */
async function askJson(url: string, request: RequestInit = {}): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(answerMs);
    const answer = await fetchCapped(url, { ...request, redirect: "error", signal });
    if (answer.status >= 500 || answer.status === 429) throw new Error(`status ${answer.status}`);
    const body: unknown = await answer.json();
    if (typeof body !== "object" || body === null) throw new Error("the answer is no object");
    return { isOk: answer.ok, body: body as Record<string, unknown> };
  } catch (error) {
    throw new Unavailable("core", `the bank's login did not answer at ${new URL(url).pathname}`, {
      cause: error,
    });
  }
}
