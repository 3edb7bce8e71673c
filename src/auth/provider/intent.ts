import { decodeJwt } from "jose";
import { strongAuthentication } from "#src/auth/login/authentication.ts";
import type { ConsentStanding } from "#src/consents/consent-standing.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { nextConsentStatus } from "#src/consents/states.ts";
import { reasonName } from "#src/consents/status-reasons.ts";
import type { FailureFacts, RefusalReason } from "#src/http/refusal/refusals.ts";
import type { Clock } from "#src/lib/clock.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { type MovedClock, movedText, moveThatEnded } from "./clock-note.ts";
import { errors, type OIDCProviderError } from "./library.ts";
import { because } from "./refused.ts";

/** The claim that names the consent in requests and in id_tokens. */
export const intentClaim = "openbanking_intent_id";
/** The member of a signed request without a browser that names the consent. */
export const consentMember = "openbanking-intent-id";
/** The end of a refresh token, in the id_token of the token endpoint. */
export const refreshEndClaim = "http://openbanking.org.uk/refresh_token_expires_at";
/** The claims that the bank knows; every grant allows all of them. */
export const supportedClaims: readonly string[] = [
  "sub",
  "acr",
  "amr",
  "auth_time",
  intentClaim,
  refreshEndClaim,
];
/** What the check of a consent needs. */
export type IntentRules = {
  /** The standing of a living consent; undefined if there is none. */
  standing(of: { consentId: string }): Promise<ConsentStanding | undefined>;
  clock: Clock;
  /** Absent in production. */
  sandboxHints?: NonNullable<MovedClock["sandboxHints"]>;
  consentKinds: readonly ConsentKind[];
  /** A status of a consent as its TPP reads it. */
  statusWord(consent: Pick<ConsentStanding, "apiVersion">, status: string): string;
  consentLifetimeSeconds: number;
};

/** The parts of an authorization request that concern its consent. */
type IntentRequest = { clientId: string; scope: string; claims: unknown };

/** The consent that a request names, the client that named it, and the requested scope. */
type NamedConsent = Pick<IntentRequest, "clientId" | "scope"> & { consentId: string };

type ClaimRequest = { value?: unknown; values?: unknown; essential?: unknown } | null;
type ClaimsParameter = Partial<Record<"id_token" | "userinfo", Record<string, ClaimRequest>>>;

/**
 * The consent that a `claims` parameter names; null if it names none or two. Source: OpenID Connect
 * Core section 5.5.
 */
export function namedIntent(claims: unknown): string | null {
  const { id_token: idToken, userinfo } = (claims ?? {}) as ClaimsParameter; // members are judged
  const named = [idToken, userinfo]
    .map((member) => member?.[intentClaim]?.value)
    .filter((value) => value !== undefined);
  const [value] = named;
  return typeof value === "string" && named.every((other) => other === value) ? value : null;
}

/**
 * The customers whom the TPP requires, by the requested `sub` and by the id_token hint, which was
 * verified when the request arrived. If the two differ, no customer can meet both. Source: OpenID
 * Connect Core sections 3.1.2.1 and 5.5.1.
 */
export function insistedSubjects(claims: unknown, idTokenHint: unknown): string[] {
  const value = ((claims ?? {}) as ClaimsParameter).id_token?.sub?.value;
  const hinted = typeof idTokenHint === "string" ? decodeJwt(idTokenHint).sub : undefined;
  return [value, hinted].filter((subject) => typeof subject === "string");
}

/**
 * Checks an authorization request against its consent, before any customer sees a page. Throws the
 * error for the redirect to the TPP. Source: P-106, P-107, A-103, A-110; OpenID Connect Core
 * section 5.5.
 */
export async function judgeIntent(rules: IntentRules, request: IntentRequest): Promise<void> {
  const consentId = namedIntent(request.claims);
  if (consentId === null) throw refused("consentUnnamed");
  await judgeConsent(rules, { ...request, consentId });
  judgeAuthentication(request.claims);
}

/** Checks that a customer could authorise a consent for this client. Throws. */
export async function judgeConsent(rules: IntentRules, request: NamedConsent): Promise<void> {
  const { consentId } = request;
  const consent = await rules.standing({ consentId });
  if (consent?.clientId !== request.clientId) {
    throw refused("consentUnknown", { found: consentId, paths: pathsFor(rules, request) });
  }
  const kind = kindNamed(consent.kind, rules.consentKinds);
  const scopes = request.scope.split(" ").filter((scope) => scope !== "openid");
  if (scopes.length !== 1 || scopes[0] !== kind.scope) {
    const facts = { scope: request.scope, scopes: `openid ${kind.scope}` };
    throw refused("consentScope", facts);
  }
  judgeStatus(rules, consent, kind);
}

/** Where the consents for a scope are created: the path of one kind stands for those of others. */
function pathsFor({ consentKinds }: IntentRules, { scope }: Pick<IntentRequest, "scope">): string {
  const asked = scope.split(" ");
  const kinds = consentKinds.filter((kind) => asked.includes(kind.scope));
  const [first, ...others] = kinds.length > 0 ? kinds : consentKinds;
  return `/${first?.id}-consents${others.length > 0 ? " or the like" : ""}`;
}

/** A refusal in the redirect to the TPP. */
export const refused = (reason: RefusalReason, facts: FailureFacts = {}): OIDCProviderError =>
  new errors.InvalidRequest(reason, undefined, because(reason, facts));

/** The end of a consent, and the bank's time; in a sandbox, also that its clock has ended it. */
function timesOf(
  { clock, ...rules }: IntentRules,
  { createdAt }: ConsentStanding,
  end: Temporal.Instant,
): FailureFacts {
  const move = moveThatEnded(rules, createdAt, end);
  const why = move ? `, because the ${movedText(move)}` : "";
  return { exp: secondsOf(end), now: `${secondsOf(clock.now())}${why}` };
}

function judgeStatus(rules: IntentRules, consent: ConsentStanding, kind: ConsentKind): void {
  const { status, statusReason, expiresAt } = consent;
  const now = rules.clock.now();
  const hasCome = (end: Temporal.Instant): boolean => Temporal.Instant.compare(end, now) <= 0;
  if (expiresAt !== null && hasCome(expiresAt)) {
    throw refused("consentExpired", timesOf(rules, consent, expiresAt));
  }
  const [reason] = statusReason;
  const seconds = rules.consentLifetimeSeconds;
  const last = consent.createdAt.add({ seconds });
  // a sweep stores the reason some time after the end
  if (status === "AWAU" ? hasCome(last) : reasonName(reason) === "unanswered") {
    const times = timesOf(rules, consent, last);
    throw refused("consentUnanswered", { limit: durationText(seconds), ...times });
  }
  if (nextConsentStatus(kind.course, status, "authorise") === null) {
    const use = consent.grantId === null ? "Its grant has ended." : "It is in use.";
    const found = rules.statusWord(consent, status);
    throw refused("consentStatus", { found, detail: reason?.text ?? use });
  }
}

const secondsOf = (at: Temporal.Instant): string => at.toString({ smallestUnit: "second" });

function durationText(seconds: number): string {
  const units = [
    ["hour", 3600],
    ["minute", 60],
  ] as const;
  const [unit, size] = units.find(([, of]) => seconds % of === 0) ?? ["second", 1];
  return `${seconds / size} ${unit}${seconds === size ? "" : "s"}`;
}

/**
 * Throws if the claims ask for an essential acr that the bank does not offer. Source: OpenID
 * Connect Core section 5.5.1.1.
 */
export function judgeAuthentication(claims: unknown): void {
  const acr = ((claims ?? {}) as ClaimsParameter).id_token?.acr;
  if (!acr?.essential) return;
  const wanted = acr.value === undefined ? acr.values : [acr.value];
  if (wanted === undefined) return;
  if (!Array.isArray(wanted) || !wanted.includes(strongAuthentication)) {
    const facts = { found: textOf(wanted), supported: strongAuthentication };
    throw new errors.AccessDenied("acr", because("authenticationContext", facts));
  }
}
