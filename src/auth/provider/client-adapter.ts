import type { AdapterPayload } from "oidc-provider";
import type { RefreshKeys } from "#src/clients/client-keys.ts";
import {
  type ProviderClient,
  type ProviderClientRow,
  providerClient,
} from "#src/clients/provider-client.ts";
import { securityProfileOf } from "#src/clients/security-profile.ts";
import type { Clock } from "#src/lib/clock.ts";
import { keepRecent } from "#src/lib/recent.ts";
import { backchannelGrant } from "#src/registration/backchannel-rules.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { first, type Queryable } from "#src/storage/database.ts";
import { certificateSubjectKey } from "./judge-client.ts";
import { namedKey } from "./jwt-facts.ts";
import { Provider } from "./library.ts";
import {
  type AheadRow,
  aheadOfRequest,
  assertionOfRequest,
  type KnownToRequest,
  remember,
  withAhead,
  withAssertion,
} from "./read-ahead.ts";

/** The dependencies of the adapter. */
type FindDeps = {
  on: Queryable;
  /** The scopes of the APIs that the bank offers. */
  scopes: readonly Scope[];
  clock: Clock;
  machineClock: Clock;
  known: KnownToRequest;
  refreshKeys?: RefreshKeys | undefined;
  /** Null if the bank does not offer journeys without a browser. */
  backchannelJourneys: object | null;
};

/**
 * Finds a client, and reads the further data that its request will need. A suspended client is not
 * found. The client has none of the scopes and grants that the bank no longer offers, which the
 * library would refuse.
 */
export async function findClient(
  deps: FindDeps,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const client = withOffered(deps, await findStored(deps, clientId));
  const words = client?.scope?.split(" ") ?? [];
  const left = words.filter((word) => word === "openid" || deps.scopes.some((one) => one === word));
  return left.length === words.length ? client : { ...client, scope: left.join(" ") };
}

function withOffered(
  { backchannelJourneys }: Pick<FindDeps, "backchannelJourneys">,
  client: AdapterPayload | undefined,
): AdapterPayload | undefined {
  if (backchannelJourneys || !client?.grant_types?.includes(backchannelGrant)) return client;
  return {
    ...client,
    grant_types: client.grant_types.filter((grant) => grant !== backchannelGrant),
  };
}

async function findStored(deps: FindDeps, clientId: string): Promise<AdapterPayload | undefined> {
  const { on, clock, machineClock, known: knownTo } = deps;
  const known = knownTo();
  if (known?.client?.clientId === clientId) {
    return known.client.row && payloadOf(known.client.row.client);
  }
  const ahead = aheadOfRequest();
  const idHash = assertionOfRequest();
  const now = machineClock.now();
  const client = withAssertion(providerClient(clientId, now), idHash, now);
  const row = await first<ProviderClientRow & AheadRow>(on, withAhead(client, ahead, clock.now()));
  if (!row) return undefined;
  if (known && ahead) remember(known, ahead, row);
  if (known && idHash !== null) known.assertion = { idHash, isUsed: row.isUsed ?? false };
  return withCurrentKeys(deps, clientId, payloadOf(row.client));
}

/** Returns the client. If the request names an unknown key, the directory's keys are read first. */
async function withCurrentKeys(
  { on, machineClock, refreshKeys }: FindDeps,
  clientId: string,
  stored: ClientPayload,
): Promise<ClientPayload> {
  if (!refreshKeys) return stored;
  const { keys } = stored.jwks;
  const unknown = keysOfRequest().find((kid) => !keys.some((key) => key.kid === kid));
  if (unknown === undefined || !(await refreshKeys(clientId, unknown))) return stored;
  const renewed = providerClient(clientId, machineClock.now());
  const row = await first<ProviderClientRow>(on, renewed);
  return row ? payloadOf(row.client) : stored;
}

/** The ids of the keys that the JWTs of the current request name. */
function keysOfRequest({ oidc } = Provider.ctx ?? {}): string[] {
  const { client_assertion: assertion, request } = oidc?.params ?? {};
  return [assertion, request].flatMap((jwt) => {
    const kid = jwt === undefined ? null : namedKey(jwt);
    return typeof kid === "string" ? [kid] : [];
  });
}

type ClientPayload = AdapterPayload & { jwks: Pick<ProviderClient, "keys"> };

const keptClients = { values: 200, textLength: 20_000 };

/** Makes the library's form of a client. The library copies the value and never changes it. */
const payloadOf = keepRecent(keptClients, (text): ClientPayload => {
  const client = JSON.parse(text) as ProviderClient;
  return {
    ...providerMetadata(client.metadata),
    ...withSecureEndpoint(client.metadata),
    ...scopeLeft(client),
    client_id: client.clientId,
    client_name: client.softwareName,
    jwks: { keys: client.keys },
    tls_client_certificate_bound_access_tokens: client.bound,
    ...(client.certificateSubject ? { [certificateSubjectKey]: client.certificateSubject } : {}),
  } as ClientPayload; // the library checks client metadata itself
});

/** The registered scope without the scopes that the directory no longer allows. */
function scopeLeft({ metadata, withheldScopes }: ProviderClient): { scope?: string } {
  if (withheldScopes.length === 0) return {};
  const words = metadata.scope?.split(" ") ?? [];
  return { scope: words.filter((word) => !withheldScopes.includes(word)).join(" ") };
}

type Metadata = ProviderClient["metadata"];

const endpointKey = "backchannel_client_notification_endpoint";

/**
 * The notification endpoint as the library takes it, with https: a sandbox allows http on its own
 * machine. The library never calls it (auth/backchannel/pings.ts does).
 */
function withSecureEndpoint(metadata: Metadata & { [endpointKey]?: string }): object {
  const endpoint = metadata[endpointKey];
  return endpoint === undefined ? {} : { [endpointKey]: endpoint.replace(/^http:/, "https:") };
}

/**
 * The registered members as the library needs them, with those of the client's security profile.
 * The library has other names for the kinds of applications, and the bank issues refresh tokens
 * whether or not they are registered. Source.
 */
function providerMetadata({ application_type: _, ...registered }: Metadata): Metadata {
  const metadata = { ...registered, ...securityProfileOf(registered).enforced };
  const { grant_types: grants } = metadata;
  if (!grants?.includes("authorization_code")) return metadata;
  return { ...metadata, grant_types: [...new Set([...grants, "refresh_token"])] };
}
