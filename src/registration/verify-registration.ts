import { type Algorithm, importKey } from "#src/clients/import-key.ts";
import { type ProfileId, securityProfileNamed } from "#src/clients/security-profile.ts";
import type { Clock } from "#src/lib/clock.ts";
import { identityIn, nextIdentity } from "./certificate-match.ts";
import { faultsOf } from "./claim-row.ts";
import { type CompactJws, isSignedBy, type PublicJwk, readJws } from "./compact-jws.ts";
import type { DirectoryKeys } from "./directory-keys.ts";
import {
  DirectoryUnreachable,
  fault,
  type RegistrationError,
  type RegistrationFault,
  shown,
} from "./fault.ts";
import type { PresentedSubject } from "./presented-subject.ts";
import { decideScope, scopesOfRoles } from "./registered-scope.ts";
import type { RegistrationSettings } from "./registration-settings.ts";
import type { RequestContext } from "./request-context.ts";
import { envelopeRows, metadataRows } from "./request-rules.ts";
import { keyPlace, readSoftwareKeys, type SoftwareKeys } from "./software-keys.ts";
import { type Statement, statementOf, statementRoles } from "./statement.ts";
import type { StatementIssuer } from "./statement-issuer.ts";
import { statementRows } from "./statement-rules.ts";

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
};

/** A request that breaks no rule. */
export type VerifiedRegistration = {
  statement: Statement;
  claims: CompactJws["claims"];
  keys: SoftwareKeys;
  scope: string;
  /** The attributes that the client's certificates must have. */
  identity: string;
};

/** The outcome of all checks: what can be registered, or the faults. */
export type Verdict = {
  faults: readonly RegistrationFault[];
  /** Null if there are faults. */
  verified: VerifiedRegistration | null;
  /** The software that the request names, verified or not. */
  softwareId: string | null;
};

type State = VerificationDeps &
  RegistrationRequest & { now: number } & Partial<{
    request: CompactJws;
    statementJws: CompactJws;
    statement: Statement;
    keys: SoftwareKeys;
    identity: string;
    scope: string;
  }>;

/** A check: returns the faults, and stores what later checks need. */
type Check = (state: State) => Promise<RegistrationFault[]> | RegistrationFault[];

/** The checks in their order. The response states the first fault. Source: decision 0031. */
const checks: readonly Check[] = [
  readRequest,
  readStatement,
  verifyStatement,
  checkStatement,
  verifyRequest,
  (state) => onContext(state, (context) => faultsOf(envelopeRows, context)),
  checkCertificate,
  (state) => onContext(state, (context) => faultsOf(metadataRows, context)),
  checkScope,
];

/** The checks of a registration by an operator, who has no signed request. */
const manualChecks: readonly Check[] = [
  readStatement,
  verifyStatement,
  checkStatement,
  readKeys,
  checkCertificate,
  (state) => onContext(state, (context) => faultsOf(metadataRows, context)),
  checkScope,
];

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
    subject: PresentedSubject;
    scope?: string | undefined;
  },
): Promise<Verdict> {
  const { subject, method } = given;
  const text = given.statement.trim();
  const read = readJws(text, "software statement");
  const roles = typeof read === "string" ? [] : statementRoles(read.claims);
  const claims = {
    software_statement: text,
    token_endpoint_auth_method: method,
    token_endpoint_auth_signing_alg: "PS256",
    tls_client_auth_subject_dn: subject.text,
    grant_types: ["authorization_code", "client_credentials"],
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    scope: given.scope ?? ["openid", ...scopesOfRoles(roles)].join(" "),
    ...securityProfileNamed(given.profile ?? "fapi1").registered,
  };
  const request: CompactJws = { text: "", header: {}, claims };
  return runChecks(manualChecks, stateOf(deps, { text, subject, clientId: null }, request), true);
}

/**
 * Checks a registration request. With `everything`, the checks continue after a fault as far as
 * possible. Otherwise it throws DirectoryUnreachable if keys cannot be read.
 */
export async function verifyRegistration(
  deps: VerificationDeps,
  given: RegistrationRequest,
  { everything = false } = {},
): Promise<Verdict> {
  return runChecks(checks, stateOf(deps, given), everything);
}

function stateOf(deps: VerificationDeps, given: RegistrationRequest, request?: CompactJws): State {
  const now = Math.floor(deps.machineClock.now().epochMilliseconds / 1000);
  return { ...deps, ...given, now, ...(request ? { request } : {}) };
}

async function runChecks(
  all: readonly Check[],
  state: State,
  everything: boolean,
): Promise<Verdict> {
  const faults: RegistrationFault[] = [];
  for (const check of all) {
    faults.push(...(await (everything ? reachable(check, state) : check(state))));
    if (faults.length > 0 && !everything) break;
  }
  const { statement, request, keys, scope, identity = "" } = state;
  const isComplete = faults.length === 0 && statement && request && keys && scope !== undefined;
  const named = state.statementJws?.claims.software_id ?? request?.claims.iss;
  return {
    faults,
    softwareId: typeof named === "string" ? named.slice(0, 64) : null,
    verified: isComplete ? { statement, claims: request.claims, keys, scope, identity } : null,
  };
}

/** Runs a check. A directory that cannot be read is a fault, for callers that want every fault. */
async function reachable(check: Check, state: State): Promise<RegistrationFault[]> {
  try {
    return await check(state);
  } catch (error) {
    if (!(error instanceof DirectoryUnreachable)) throw error;
    return [fault("R-141", "invalid_software_statement", error.message)];
  }
}

const invalid = (rule: string, description: string): RegistrationFault[] => [
  fault(rule, "invalid_client_metadata", description),
];

function readRequest(state: State): RegistrationFault[] {
  const read = readJws(state.text.trim(), "registration request");
  if (typeof read === "string") return invalid("R-069", read);
  state.request = read;
  return algorithmFault(read, state.settings.algorithms, "R-040", "invalid_client_metadata");
}

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

function readStatement(state: State): RegistrationFault[] {
  const text = state.request?.claims.software_statement;
  if (state.request === undefined) return [];
  const error = "invalid_software_statement";
  if (typeof text !== "string" || text === "") {
    const must = "it must be the software statement that the directory has issued";
    return [fault("R-060", error, `software_statement is ${shown(text)}; ${must}.`)];
  }
  const read = readJws(text, "software statement");
  if (typeof read === "string") return [fault("R-101", error, read)];
  state.statementJws = read;
  return algorithmFault(read, statementAlgorithms, "R-101", error);
}

async function verifyStatement(state: State): Promise<RegistrationFault[]> {
  const { statementJws: jws, issuers } = state;
  if (!jws) return [];
  const { iss } = jws.claims;
  const issuer = issuers.find((one) => one.iss === iss);
  if (!issuer) {
    const names = issuers.map((one) => one.iss).join(", ");
    const description = `iss of the software statement is ${shown(iss)}; the bank trusts ${names}.`;
    return [fault("R-101", "unapproved_software_statement", description)];
  }
  const { keys } = await state.directoryKeys.ofIssuer(issuer, jws.header.kid);
  if (isSignedByOne(jws, keys)) {
    // the claims are checked next; they are trusted from here
    state.statement = statementOf(jws.text, jws.claims, issuer);
    return [];
  }
  const description =
    `The signature of the software statement does not verify with the keys of ${issuer.iss} ` +
    `(kid ${shown(jws.header.kid)}). Send the statement exactly as the directory issued it.`;
  return [fault("R-101", "invalid_software_statement", description)];
}

function isSignedByOne(jws: CompactJws, keys: readonly PublicJwk[]): boolean {
  const { alg, kid } = jws.header;
  const algorithm = alg === "ES256" ? "ES256" : "PS256"; // checked before
  return keys.some((jwk) => {
    if (jwk.kid !== kid || jwk.use !== "sig") return false;
    const key = importKey(jwk, algorithm);
    return key !== null && isSignedBy(jws, key, algorithm);
  });
}

function checkStatement(state: State): RegistrationFault[] {
  const { statement, settings, now } = state;
  if (!statement) return [];
  const { claims, issuer } = statement;
  const faults = faultsOf(statementRows, { claims, issuer, settings, now });
  if (faults.length > 0) delete state.statement;
  return faults;
}

async function readKeys(state: State): Promise<RegistrationFault[]> {
  const { statement } = state;
  if (!statement) return [];
  state.keys = await readSoftwareKeys(state.directoryKeys, statement.issuer, statement.keySource);
  return [];
}

async function verifyRequest(state: State): Promise<RegistrationFault[]> {
  const { request, statement } = state;
  if (!request || !statement) return [];
  const { kid } = request.header;
  const { issuer, keySource } = statement;
  const found = await readSoftwareKeys(state.directoryKeys, issuer, keySource, kid);
  state.keys = found;
  if (typeof kid !== "string" || !found.active.some((key) => key.kid === kid)) {
    const isRevoked = typeof kid === "string" && found.revoked.includes(kid);
    const what = isRevoked ? "names a key that the directory has revoked" : "must name a key";
    const description =
      `kid of the registration request is ${shown(kid)}; it ${what}. Active keys are ` +
      `${keyPlace(keySource)}.`;
    return invalid(isRevoked ? "R-122" : "R-041", description);
  }
  if (!isSignedByOne(request, found.active)) {
    const description =
      "The signature of the registration request does not verify with the key " +
      `${shown(kid)}. Sign with the private half of a signing key (use sig) of at least 2048 bits ` +
      `that is ${keyPlace(keySource)}.`;
    return invalid("R-042", description);
  }
  return [];
}

function onContext(
  state: State,
  work: (context: RequestContext) => RegistrationFault[],
): RegistrationFault[] {
  const { request, statement, settings, now, clientId } = state;
  if (!request || !statement) return [];
  const { subject } = state;
  const { claims } = request;
  return work({ claims, statement, settings, now, subject, clientId });
}

function checkCertificate(state: State): RegistrationFault[] {
  const { statement, subject, clientId, settings, request } = state;
  if (!statement || subject === null) return [];
  const identity = identityIn(subject.name, statement);
  if (identity !== null) {
    const named = request?.claims.tls_client_auth_subject_dn;
    state.identity = nextIdentity(named, { subject, statement, clientId, settings }) ?? identity;
    return [];
  }
  const { softwareId, organisationId, authority } = statement;
  const registered =
    authority.registrationId === null
      ? ""
      : `; an organizationIdentifier that ends with -${authority.registrationId}`;
  return invalid(
    "R-087",
    `The client certificate is for ${subject.text}. It must belong to the organisation of the ` +
      `software statement. Allowed subjects: CN=${softwareId} with OU=${organisationId}; ` +
      `CN=${organisationId}${registered}.`,
  );
}

function checkScope(state: State): RegistrationFault[] {
  return onContext(state, (context) => {
    const decision = decideScope(context);
    if (decision.scope === null) return [decision.fault];
    state.scope = decision.scope;
    return [];
  });
}
