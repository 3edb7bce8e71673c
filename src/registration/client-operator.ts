import {
  type ClientRecord,
  type ClientStatus,
  listClients,
  listKeys,
  loadClient,
  setClientStatus,
} from "#src/clients/client-record.ts";
import { type ProfileId, securityProfileOf } from "#src/clients/security-profile.ts";
import { byBank, listChanges } from "#src/history/change.ts";
import { isObject } from "#src/lib/assert.ts";
import type { Clock } from "#src/lib/clock.ts";
import { newUuid } from "#src/lib/ids.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Queryable } from "#src/storage/database.ts";
import { subjectOfPem } from "./certificate-subject.ts";
import { fault, type RegistrationFault } from "./fault.ts";
import type { StatusRefresh } from "./refresh-status.ts";
import {
  type Attempt,
  type CloseAccess,
  listAttempts,
  removeClient,
  type StoreDeps,
  storeRegistration,
} from "./store-registration.ts";
import { type VerificationDeps, verifyManually } from "./verify-registration.ts";

/** A client as the bank's operators see it in a list. */
export type ShownClient = {
  clientId: string;
  status: ClientStatus;
  suspendedBy: "bank" | "directory" | null;
  softwareName: string;
  onBehalfOf: string | null;
  organisationId: string;
  softwareId: string;
  roles: string[];
  method: string;
  /** The title of its security profile. */
  profile: string;
  createdAt: string;
};

/** A client with all that is registered, its keys and its newest attempts. */
export type ClientDetails = ShownClient & {
  organisationName: string;
  statementIssuer: string | null;
  jwksUri: string | null;
  /** Why the directory's status suspended it; null without such a reason. */
  suspendedBecause: string | null;
  /** The registered scopes that the directory no longer allows. */
  withheldScopes: string[];
  /** When the directory's status was last read; null for never. */
  statusReadAt: string | null;
  certificateSubject: string | null;
  redirectUris: string[];
  scope: string;
  keys: { kid: string; use: string; state: string; source: string }[];
  attempts: { at: string; method: string; status: number; rule: string | null }[];
  /** The changes of the client, the newest first: who made them, and the changed facts. */
  changes: { at: string; cause: string; changed: ChangedFacts }[];
};

/** A registration that an operator makes. */
export type ManualRegistration = {
  /** The software statement as the directory has issued it. */
  statement: string;
  method: "private_key_jwt" | "tls_client_auth";
  /** The security profile; the default is FAPI 1.0 Advanced. */
  profile?: ProfileId | undefined;
  /** The TPP's client certificate. */
  certificatePem: string;
  /** By default, all scopes that the roles allow. */
  scope?: string | undefined;
};

/** The new client, or the rules that the registration breaks. */
export type ManualOutcome =
  | { clientId: string; faults: null }
  | { clientId: null; faults: readonly RegistrationFault[] };

/**
 * The functions with which operators manage clients. Every process applies a change at its next
 * request.
 */
export type ClientOperator = {
  list(): Promise<ShownClient[]>;
  /** Returns null if there is no such client. */
  show(clientId: string): Promise<ClientDetails | null>;
  add(request: ManualRegistration): Promise<ManualOutcome>;
  /** Suspends, restores or removes a client. Returns false if its status does not allow that. */
  setStatus(clientId: string, status: ClientStatus): Promise<boolean>;
  /**
   * Reads the directory's status of the client's software now. Returns why that is impossible; null
   * if it was read.
   */
  check(clientId: string): Promise<string | null>;
};

type OperatorDeps = StoreDeps & {
  clock: Clock;
  closeAccess: CloseAccess;
  status: StatusRefresh;
  /** How statements are verified; null if the bank trusts no issuer. */
  verification: VerificationDeps | null;
};

const mostClients = 1000;
const shownAttempts = 20;
const shownChanges = 20;

/** Creates the operators' functions. Source: R-155, R-166. */
export function createClientOperator(deps: OperatorDeps): ClientOperator {
  const { database, clock } = deps;
  return {
    list: async () => (await listClients(database, mostClients)).map(shown),
    show: (clientId) => showClient(database, clientId),
    add: (request) => addClient(deps, request),
    setStatus(clientId, status) {
      const why = byBank(clock.now());
      if (status === "removed") return removeClient(deps, clientId, why);
      return setClientStatus(database, clientId, status, why);
    },
    check: (clientId) => deps.status.check(clientId),
  };
}

const shown = (client: ClientRecord): ShownClient => ({
  clientId: client.clientId,
  status: client.status,
  suspendedBy: client.suspendedBy,
  softwareName: client.softwareName,
  onBehalfOf: client.onBehalfOf,
  organisationId: client.organisationId,
  softwareId: client.softwareId,
  roles: client.roles,
  method: textOf(client.metadata.token_endpoint_auth_method ?? ""),
  profile: securityProfileOf(client.metadata).title,
  createdAt: client.createdAt.toString(),
});

async function showClient(on: Queryable, clientId: string): Promise<ClientDetails | null> {
  const client = await loadClient(on, clientId);
  if (!client) return null;
  const { metadata, softwareId } = client;
  const [keys, attempts, changes] = await Promise.all([
    listKeys(on, clientId),
    listAttempts(on, { clientId, softwareId }, shownAttempts),
    listChanges(on, clientId),
  ]);
  return {
    ...shown(client),
    organisationName: client.organisationName,
    statementIssuer: client.statementIssuer,
    jwksUri: client.jwksUri,
    suspendedBecause: client.suspendedBecause,
    withheldScopes: client.withheldScopes,
    statusReadAt: client.statusReadAt?.toString() ?? null,
    certificateSubject: client.certificateSubject,
    redirectUris: Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [],
    scope: textOf(metadata.scope ?? ""),
    keys: keys.map(({ kid, use, state, source }) => ({ kid, use, state, source })),
    attempts: attempts.map(({ at, method, status, rule }) => ({
      at: at.toString(),
      method,
      status,
      rule,
    })),
    changes: changes
      .slice(-shownChanges)
      .reverse()
      .map(({ occurredAt, cause, before, after }) => ({
        at: occurredAt.toString(),
        cause,
        changed: before === null ? {} : changedFacts(before, after),
      })),
  };
}

async function addClient(deps: OperatorDeps, given: ManualRegistration): Promise<ManualOutcome> {
  if (deps.verification === null) throw new Error("an issuer is configured");
  const subject = subjectOfPem(given.certificatePem);
  if (subject === null) {
    const description = "The client certificate cannot be read. Give one certificate as PEM text.";
    return { clientId: null, faults: [fault("R-094", "invalid_client_metadata", description)] };
  }
  const verdict = await verifyManually(deps.verification, { ...given, subject });
  const { verified } = verdict;
  if (!verified) return { clientId: null, faults: verdict.faults };
  const interactionId = newUuid();
  const attempt: Omit<Attempt, "clientId"> = {
    at: deps.machineClock.now(),
    interactionId,
    method: "manual",
    certificateSubject: subject.text,
    softwareId: verdict.softwareId,
    status: 201,
    rule: null,
    description: null,
  };
  const why = { ...byBank(deps.clock.now()), interactionId };
  const outcome = await storeRegistration(deps, { verified, clientId: null, why, attempt });
  return "fault" in outcome
    ? { clientId: null, faults: [outcome.fault] }
    : { clientId: outcome.clientId, faults: null };
}

/** Changed facts by their path, each with the value before and after. */
type ChangedFacts = Record<string, readonly [before: unknown, after: unknown]>;

/** Compares two objects, and the objects that both have in the same member. */
function changedFacts(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): ChangedFacts {
  const changes: ChangedFacts = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [one, other] = [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    if (!isObject(one) || !isObject(other)) {
      changes[name] = [one, other];
      continue;
    }
    for (const [member, values] of Object.entries(changedFacts(one, other))) {
      changes[`${name}.${member}`] = values;
    }
  }
  return changes;
}
