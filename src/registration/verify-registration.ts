import type { KeyObject } from "node:crypto";
import { type Algorithm, importKey } from "#src/clients/client-keys.ts";
import { type ProfileId, securityProfileNamed } from "#src/clients/security-profile.ts";
import { otherPaddingOfJwt } from "#src/http/signature/other-padding.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import {
  identityIn,
  nextIdentity,
  type PresentedSubject,
  type RequestContext,
} from "./certificate-subject.ts";
import { type CompactJws, faultsOf, isSignedBy, readJws } from "./claims.ts";
import {
  DirectoryUnreachable,
  fault,
  type RegistrationError,
  type RegistrationFault,
  shown,
} from "./fault.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import { decideScope, envelopeRows, metadataRows, scopesOfRoles } from "./request-rules.ts";
import { type SoftwareStatement, statementOf, statementRoles, statementRows } from "./statement.ts";
import {
  type DirectoryKeys,
  keyPlace,
  readSoftwareKeys,
  type SoftwareJwk,
  type SoftwareKeys,
  type StatementIssuer,
} from "./statement-issuer.ts";

/** The dependencies of the checks of registration requests. */
export type VerificationDeps = {
  issuers: readonly StatementIssuer[];
  directoryKeys: DirectoryKeys;
  settings: RegistrationSettings;
  /** The machine's clock. */
  machineClock: Clock;
};

/** A request to check. */
export type RegistrationRequest = {
  /** The request JWS as it was received. */
  text: string;
  /** The subject of the client certificate; null to leave out the checks that need it. */
  subject: PresentedSubject | null;
  /** The client that the request changes; null for a new one. */
  clientId: string | null;
  /** Takes the times at which the steps were passed. */
  passed?: { push(time: number): unknown };
};

/** A request that breaks no rule. */
export type VerifiedRegistration = {
  statement: SoftwareStatement;
  claims: CompactJws["claims"];
  keys: SoftwareKeys;
  scope: string;
  /** The attributes that the client's certificates must have. */
  identity: string;
};

/** The faults of a request, at least one. */
type FoundFaults = readonly [RegistrationFault, ...RegistrationFault[]];

/** The outcome of all checks: what can be registered, or the faults. */
export type Verdict = {
  /** The software that the request names, verified or not. */
  softwareId: string | null;
  /** The steps that were run, in their order, with the faults that each has found. */
  steps: readonly { name: string; faults: readonly RegistrationFault[] }[];
} & (
  | { faults: readonly []; verified: VerifiedRegistration }
  | { faults: FoundFaults; verified: null }
);

/** A request before its checks. */
type Start = VerificationDeps &
  RegistrationRequest & {
    now: number;
    /** The claims that an operator chooses in place of a signed request; null if it is signed. */
    chosen: CompactJws["claims"] | null;
  };

type Read = { request: CompactJws; statementJws: CompactJws };
type Trusted = Start & RequestContext & { request: CompactJws };

/** Whether a request is signed, or an operator registers the client. */
type Way = { isSigned: boolean };

/** Faults that a step has found, and what it gives to the later steps nonetheless. */
class Faulty extends Error {
  readonly faults: readonly RegistrationFault[];
  readonly given: Partial<Read> | null;
  constructor(faults: readonly RegistrationFault[], given: Partial<Read> | null = null) {
    super(faults.map(({ rule }) => rule).join(", "));
    this.faults = faults;
    this.given = given;
  }
}

function refuse(faults: readonly RegistrationFault[], given?: Partial<Read>): void {
  if (faults.length > 0) throw new Faulty(faults, given);
}

/** The steps after which the claims of a request can be read. Source: decision 0031. */
const trustSteps = stepsFrom<Start, Way>()
  .add({ name: "request", check: readRequest })
  .add({ name: "statement", check: readStatement })
  .add({ name: "statement-signature", check: verifyStatement })
  .add({
    name: "statement-claims",
    check({ statement: { claims, issuer }, settings, now }) {
      refuse(faultsOf(statementRows, { claims, issuer, settings, now }));
    },
  });

/** The steps about the claims. None of them needs another. */
const claimSteps = stepsFrom<Trusted, Way>()
  .add({ name: "request-signature", check: verifyRequest })
  .add({
    name: "envelope",
    applies: ({ isSigned }) => isSigned,
    check: (context) => refuse(faultsOf(envelopeRows, context)),
  })
  .add({ name: "certificate-match", check: checkCertificate })
  .add({ name: "metadata", check: (context) => refuse(faultsOf(metadataRows, context)) })
  .add({
    name: "scope",
    check(context) {
      const { scope, fault: found } = decideScope(context);
      if (found) throw new Faulty([found]);
      return { scope };
    },
  });

/** The names of the steps of a registration, in their order. */
export const registrationStepNames: readonly string[] = [trustSteps, claimSteps].flatMap(
  (steps) => steps.of({ isSigned: true }).names,
);

/**
 * Checks a registration that an operator makes from a statement, with the usual claims. Source:
 *
 */
export function verifyManually(
  deps: VerificationDeps,
  given: {
    statement: string;
    method: string;
    profile?: ProfileId | undefined;
    /** Null to leave out the checks that need it. */
    subject: PresentedSubject | null;
    scope?: string | undefined;
  },
): Promise<Verdict> {
  const { subject, method } = given;
  const text = given.statement.trim();
  const read = readJws(text, "software statement");
  const roles = typeof read === "string" ? [] : statementRoles(read.claims);
  const chosen = {
    software_statement: text,
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: "PS256",
    tls_client_auth_subject_dn: subject?.text,
    grant_types: ["authorization_code", "client_credentials"],
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    scope: given.scope ?? ["openid", ...scopesOfRoles(roles)].join(" "),
    ...securityProfileNamed(given.profile ?? "fapi1").registered,
  };
  return judge(deps, { text, subject, clientId: null }, { chosen, everything: true });
}

/**
 * Checks a registration request. With `everything`, the checks continue after a fault as far as
 * possible. Otherwise it throws DirectoryUnreachable if keys cannot be read.
 */
export const verifyRegistration = (
  deps: VerificationDeps,
  given: RegistrationRequest,
  { everything = false } = {},
): Promise<Verdict> => judge(deps, given, { chosen: null, everything });

async function judge(
  deps: VerificationDeps,
  given: RegistrationRequest,
  { chosen, everything }: Pick<Start, "chosen"> & { everything: boolean },
): Promise<Verdict> {
  const now = Math.floor(deps.machineClock.now().epochMilliseconds / 1000);
  const start: Start & Partial<Read> = { ...deps, ...given, now, chosen };
  const way = { isSigned: chosen === null };
  const found = new Map<string, readonly RegistrationFault[]>();
  const note = (error: unknown, name: string): Partial<Read> | null => {
    const faulty = everything ? faultyOf(error) : error;
    if (!(faulty instanceof Faulty)) throw error;
    found.set(name, faulty.faults);
    Object.assign(start, faulty.given);
    return everything ? faulty.given : null;
  };
  const first = trustSteps.of(way);
  const then = claimSteps.of(way);
  const trusted = await first.runOn(start, note, given.passed);
  const context = trusted && { ...trusted, claims: trusted.request.claims };
  const verified =
    context &&
    (await then.runOn(
      context,
      (error, name) => {
        note(error, name);
        return everything ? {} : null;
      },
      given.passed,
    ));
  const last = [...found.keys()].at(-1) ?? "";
  const names = [...first.names, ...then.names];
  const run = verified ? names : names.slice(0, names.indexOf(last) + 1);
  const steps = run.map((name) => ({ name, faults: found.get(name) ?? [] }));
  const faults = [...found.values()].flat();
  const named = start.statementJws?.claims.software_id ?? start.request?.claims.iss;
  const softwareId = typeof named === "string" ? named.slice(0, 64) : null;
  const [one, ...others] = faults;
  if (one) return { softwareId, steps, faults: [one, ...others], verified: null };
  return { softwareId, steps, faults: [], verified: present(verified, "a request without faults") };
}

/** A directory that cannot be read is a fault, for callers that want every fault. */
function faultyOf(error: unknown): unknown {
  if (!(error instanceof DirectoryUnreachable)) return error;
  return new Faulty([fault("R-141", "invalid_software_statement", error.message)]);
}

const invalid = (rule: string, description: string, given?: Partial<Read>): Faulty =>
  new Faulty([fault(rule, "invalid_client_metadata", description)], given);

function readRequest({ chosen, text, settings }: Start): { request: CompactJws } {
  if (chosen) return { request: { text: "", header: {}, claims: chosen } };
  const request = readJws(text.trim(), "registration request");
  if (typeof request === "string") throw invalid("R-069", `${request} ${howToSign(settings)}`);
  const error = "invalid_client_metadata";
  refuse(algorithmFault(request, settings.algorithms, "R-040", error), { request });
  return { request };
}

/** What a registration request must be, for a TPP that has sent something else. */
const howToSign = ({ algorithms, audiences }: Start["settings"]): string =>
  `Sign it with ${algorithms.join(" or ")} and a key of the software, which kid names. Payload: ` +
  `iss, the software_id; aud, ${audiences[0] ?? "the bank"}; iat and exp in seconds; jti, a UUID; ` +
  "software_statement, from the directory; token_endpoint_auth_method; " +
  "token_endpoint_auth_signing_alg, unless it is tls_client_auth; grant_types; application_type; " +
  "id_token_signed_response_alg; request_object_signing_alg.";

function algorithmFault(
  { header }: CompactJws,
  algorithms: readonly Algorithm[],
  rule: string,
  error: RegistrationError,
): RegistrationFault[] {
  const what = rule === "R-040" ? "registration request" : "software statement";
  if (!algorithms.some((one) => one === header.alg)) {
    const must = `it must be ${algorithms.join(" or ")}`;
    return [fault(rule, error, `alg of the ${what} is ${shown(header.alg)}; ${must}.`)];
  }
  if (header.crit !== undefined || header.b64 !== undefined) {
    return [fault(rule, error, `The header of the ${what} must not contain crit or b64.`)];
  }
  return [];
}

const statementAlgorithms: readonly Algorithm[] = ["PS256", "ES256"];

function readStatement({ request, issuers }: Start & Pick<Read, "request">): {
  statementJws: CompactJws;
} {
  const text = request.claims.software_statement;
  const error = "invalid_software_statement";
  if (typeof text !== "string" || text === "") {
    const names = issuers.map((one) => one.iss).join(" or ");
    const must = `it must be the software statement that a directory has issued. The bank trusts ${names}`;
    const description = `software_statement is ${shown(text)}; ${must}.`;
    throw new Faulty([fault("R-060", error, description)]);
  }
  const statementJws = readJws(text, "software statement");
  if (typeof statementJws === "string") {
    const description = `${statementJws} Send it as the directory has issued it.`;
    throw new Faulty([fault("R-101", error, description)]);
  }
  refuse(algorithmFault(statementJws, statementAlgorithms, "R-101", error), { statementJws });
  return { statementJws };
}

async function verifyStatement({
  statementJws: jws,
  issuers,
  directoryKeys,
}: Start & Read): Promise<{ statement: SoftwareStatement }> {
  const { iss } = jws.claims;
  const issuer = issuers.find((one) => one.iss === iss);
  if (!issuer) {
    const names = issuers.map((one) => one.iss).join(", ");
    const description = `iss of the software statement is ${shown(iss)}; the bank trusts ${names}.`;
    throw new Faulty([fault("R-101", "unapproved_software_statement", description)]);
  }
  const { keys } = await directoryKeys.ofIssuer(issuer, jws.header.kid);
  if (isSignedByOne(jws, keys)) return { statement: statementOf(jws.text, jws.claims, issuer) };
  const padding = paddingOf(jws, keys);
  const description = padding
    ? `The software statement is not signed as PS256. ${padding}`
    : `The signature of the software statement does not verify with the keys of ${issuer.iss} ` +
      `(kid ${shown(jws.header.kid)}). Send the statement exactly as the directory issued it.`;
  throw new Faulty([fault("R-101", "invalid_software_statement", description)]);
}

function isSignedByOne(jws: CompactJws, keys: readonly SoftwareJwk[]): boolean {
  const algorithm = jws.header.alg === "ES256" ? "ES256" : "PS256"; // checked before
  return namedKeys(jws, keys, algorithm).some((key) => isSignedBy(jws, key, algorithm));
}

/** The signing keys that the header of a JWS names. */
function namedKeys(
  { header }: CompactJws,
  keys: readonly SoftwareJwk[],
  algorithm: Algorithm,
): KeyObject[] {
  return keys
    .filter(({ kid, use }) => kid === header.kid && use === "sig")
    .flatMap((jwk) => importKey(jwk, algorithm) ?? []);
}

/** How the signature of a JWS differs from PS256; null if the key that it names did not make it. */
function paddingOf(jws: CompactJws, keys: readonly SoftwareJwk[]): string | null {
  if (jws.header.alg !== "PS256") return null;
  const [key] = namedKeys(jws, keys, "PS256");
  return key ? otherPaddingOfJwt(jws.text, key) : null;
}

/** Reads the keys of the software, and verifies the request with them if it is signed. */
async function verifyRequest(state: Trusted): Promise<{ keys: SoftwareKeys }> {
  const { request, statement, directoryKeys, chosen } = state;
  const { kid } = request.header;
  const { issuer, keySource } = statement;
  const keys = await readSoftwareKeys(directoryKeys, issuer, keySource, kid);
  if (chosen) return { keys };
  if (typeof kid !== "string" || !keys.active.some((key) => key.kid === kid)) {
    const isRevoked = typeof kid === "string" && keys.revoked.includes(kid);
    const what = isRevoked ? "names a key that the directory has revoked" : "must name a key";
    const description =
      `kid of the registration request is ${shown(kid)}; it ${what}. Active keys are ` +
      `${keyPlace(keySource)}.`;
    throw invalid(isRevoked ? "R-122" : "R-041", description);
  }
  if (!isSignedByOne(request, keys.active)) {
    const padding = paddingOf(request, keys.active);
    const description = padding
      ? `The registration request is not signed as PS256. ${padding}`
      : "The signature of the registration request does not verify with the key " +
        `${shown(kid)}. Sign with the private half of a signing key (use sig) of at least 2048 ` +
        `bits that is ${keyPlace(keySource)}.`;
    throw invalid("R-042", description);
  }
  return { keys };
}

function checkCertificate({ statement, subject, clientId, settings, claims }: Trusted): {
  identity: string;
} {
  if (subject === null) return { identity: "" };
  const identity = identityIn(subject.name, statement);
  if (identity !== null) {
    const named = claims.tls_client_auth_subject_dn;
    return {
      identity: nextIdentity(named, { subject, statement, clientId, settings }) ?? identity,
    };
  }
  const { softwareId, organisationId, authority } = statement;
  const registered =
    authority.registrationId === null
      ? ""
      : `; an organizationIdentifier that ends with -${authority.registrationId}`;
  throw invalid(
    "R-087",
    `The client certificate is for ${subject.text}. It must belong to the organisation of the ` +
      `software statement. Allowed subjects: CN=${softwareId} with OU=${organisationId}; ` +
      `CN=${organisationId}${registered}.`,
  );
}
