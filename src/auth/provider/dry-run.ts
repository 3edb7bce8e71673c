import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { reasonsOf } from "#src/http/connection/observe.ts";
import type { Clock } from "#src/lib/clock.ts";
import { sha256 } from "#src/lib/hash.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { type DescriptionRules, describeFailure } from "./describe-failure.ts";
import { clientPaths } from "./endpoints.ts";
import { claimsOf } from "./jwt-facts.ts";
import {
  authenticateClient,
  authorizationSteps,
  errors,
  insideOf,
  type Middleware,
  type Provider,
} from "./library.ts";
import { profileOfClient } from "./profile-of-request.ts";
import { replay } from "./read-ahead.ts";

/** How a dry run ended: the checks in order, and the fault of the one that refused. */
export type DryRunResult = {
  checks: readonly { name: string; result: "passed" | "refused" | "not reached" }[];
  fault: { code: string; message: string } | null;
};

/** Runs the checks of the authorization server on a JWT that nobody has sent. Stores nothing. */
export type DryRun = {
  clientAssertion(text: string): Promise<DryRunResult>;
  requestObject(text: string): Promise<DryRunResult>;
  /** The request object of a request without a browser; null if the bank offers none. */
  backchannelRequest: ((text: string) => Promise<DryRunResult>) | null;
};

/** A check, with the reasons of its refusals, or the library's steps that make it. */
type CheckRow = { name: string; reasons: readonly string[]; steps?: readonly string[] };

const keyRows: readonly CheckRow[] = [
  { name: "key", reasons: ["jwtKey"] },
  { name: "signature", reasons: ["jwtSignature", "jwtPadding"] },
];
const assertionRows: readonly CheckRow[] = [
  { name: "form", reasons: ["jwtMalformed", "jwtSubject", "clientNotNamed"] },
  { name: "client", reasons: ["clientUnknown", "clientMethod"] },
  { name: "algorithm", reasons: ["jwtAlgorithm"] },
  { name: "claims", reasons: ["jwtIncomplete"] },
  { name: "issuer", reasons: ["jwtIssuer"] },
  { name: "audience", reasons: ["jwtAudience", "jwtAudienceOne"] },
  ...keyRows,
  {
    name: "times",
    reasons: ["jwtClaim", "jwtNotYet", "jwtExpired", "jwtTooLong", "jwtIssuedLater"],
  },
  { name: "one audience", reasons: ["jwtAudienceList"] },
  { name: "jti is new", reasons: ["jwtReplayed"] },
];
const objectRows: readonly CheckRow[] = [
  { name: "members", reasons: [], steps: ["assembleAuthorizationParams", "processRequestObject"] },
  { name: "algorithm", reasons: ["jwtAlgorithm"] },
  { name: "times", reasons: ["jwtClaim", "jwtNotYet", "jwtExpired", "jwtIssuedLater"] },
  { name: "audience", reasons: ["jwtAudience"] },
  { name: "issuer", reasons: ["jwtIssuer"] },
  { name: "lifetime", reasons: ["jwtIncomplete", "jwtSpan"] },
  ...keyRows,
];
const backchannelRows: readonly CheckRow[] = [
  { name: "form", reasons: ["jwtMalformed"] },
  {
    name: "client",
    reasons: ["clientUnknown", "jwtClient"],
    steps: ["checkClientGrantType"],
  },
  ...objectRows,
  {
    name: "scope",
    reasons: ["scopeNotAllowed", "scopeUnknown"],
    steps: ["cibaRequired", "checkScope", "checkOpenidScope"],
  },
  { name: "parameters", reasons: [], steps: ["checkRequestedExpiry", "checkCibaContext"] },
  { name: "consent", reasons: [], steps: ["checkClaims", "checkExtraParams"] },
  { name: "hint", reasons: ["hintNotOffered"], steps: ["cibaLoadAccount"] },
];
const requestRows: readonly CheckRow[] = [
  { name: "form", reasons: ["jwtMalformed"] },
  {
    name: "client",
    reasons: ["clientUnknown", "jwtClient", "jwtResponseType"],
    steps: ["checkClient"],
  },
  ...objectRows,
  {
    name: "response",
    reasons: ["responseNotAllowed"],
    steps: ["checkResponseMode", "oneRedirectUriClients", "oauthRequired", "checkResponseType"],
  },
  {
    name: "scope",
    reasons: ["scopeNotAllowed", "scopeUnknown"],
    steps: ["oidcRequired", "checkPrompt", "checkScope", "checkOpenidScope"],
  },
  { name: "redirect URI", reasons: ["redirectUnregistered"], steps: ["checkRedirectUri"] },
  { name: "PKCE", reasons: ["challengeMissing"], steps: ["checkPKCE"] },
  { name: "consent", reasons: [], steps: ["checkClaims", "checkExtraParams"] },
];

/** The steps between the parameters and the answer: they store nothing. */
const firstStep = "assembleAuthorizationParams";
const lastSteps: ReadonlySet<string> = new Set(["checkExtraParams", "cibaLoadAccount"]);

/** Thrown by a check that would store something next. */
class Passed extends Error {}

/** A request that no connection has brought. */
class DryRequest extends IncomingMessage {}

/** Ends the dry run of a client assertion, before its id is stored. No other request notices. */
export function endDryRun({ req }: KoaContextWithOIDC): void {
  if (req instanceof DryRequest) throw new Passed();
}

type DryRunRules = DescriptionRules & {
  database: Queryable;
  machineClock: Clock;
  backchannelJourneys: object | null;
};

/** Makes the dry runs of an authorization server. */
export const createDryRun = (provider: Provider, rules: DryRunRules): DryRun => ({
  async clientAssertion(text) {
    const ctx = contextFor(provider, "/token", "token");
    const form = {
      client_assertion: text,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    };
    Object.assign(ctx.oidc, { body: form, params: form });
    const refused = await failureOf(rules, ctx, async () => {
      await authenticateClient(ctx, async () => undefined);
    });
    if (refused) return resultOf(assertionRows, refused);
    if (!(await isUsed(rules, claimsOf(text)))) return resultOf(assertionRows, null);
    const again = await failureOf(rules, ctx, async () => {
      throw new errors.InvalidClientAuth("client assertion tokens must only be used once");
    });
    return resultOf(assertionRows, again);
  },
  async requestObject(text) {
    const { client_id: named, iss } = claimsOf(text);
    const clientId = textOf(named ?? iss);
    const client = await provider.Client.find(clientId);
    const { chosenBy } = profileOfClient(client);
    const isPushed = chosenBy.require_pushed_authorization_requests;
    const route = isPushed ? "pushed_authorization_request" : "authorization";
    return runSteps({ provider, rules }, { text, route, clientId, client, rows: requestRows });
  },
  backchannelRequest:
    rules.backchannelJourneys &&
    (async (text) => {
      const route = "backchannel_authentication";
      const clientId = textOf(claimsOf(text).iss);
      const client = await provider.Client.find(clientId);
      return runSteps(
        { provider, rules },
        { text, route, clientId, client, rows: backchannelRows },
      );
    }),
});

const paths = { ...clientPaths, authorization: "/auth" };

type SteppedRequest = {
  text: string;
  route: keyof typeof paths;
  clientId: string;
  client: Client | undefined;
  rows: readonly CheckRow[];
};

/** Runs the steps of an endpoint on a request object. */
async function runSteps(
  { provider, rules }: { provider: Provider; rules: DryRunRules },
  { text, route, clientId, client, rows }: SteppedRequest,
): Promise<DryRunResult> {
  const ctx = contextFor(provider, paths[route], route);
  Object.assign(ctx.oidc, { body: { request: text, client_id: clientId } });
  if (client) ctx.oidc.entity("Client", client);
  let at = "";
  const refused = await failureOf(rules, ctx, async () => {
    for (const step of between(authorizationSteps(route))) {
      at = step.name;
      // this endpoint has authenticated the client before
      if (at === "checkClientGrantType" && !client) {
        throw new errors.InvalidClient("client is invalid", "client not found");
      }
      await step(ctx, async () => undefined);
    }
  });
  return resultOf(rows, refused && { ...refused, step: at });
}

/** Whether an assertion was used: the library stores the hash of its issuer and its id. */
async function isUsed(
  { database, machineClock }: DryRunRules,
  { iss, jti }: Record<string, unknown>,
): Promise<boolean> {
  const id = sha256(sha256(`${textOf(iss)}${textOf(jti)}`));
  const now = machineClock.now();
  const found = await database.query(sql`
    select 1 from oidc_artifact
    where model = ${replay} and id_hash = ${id} and expires_at > ${now}`);
  return found.length > 0;
}

function between(steps: readonly Middleware[]): readonly Middleware[] {
  const names = steps.map(({ name }) => name);
  const last = names.findLastIndex((name) => lastSteps.has(name));
  return steps.slice(names.indexOf(firstStep), last + 1);
}

/** A request that has no connection. */
function contextFor(provider: Provider, path: string, route: string): KoaContextWithOIDC {
  const request = new DryRequest(new Socket());
  Object.assign(request, { method: "POST", url: path, headers: { host: "localhost" } });
  const { OIDCContext, createContext } = insideOf(provider);
  const ctx = createContext.call(provider, request, new ServerResponse(request));
  Object.assign(ctx, { _matchedRouteName: route });
  return Object.assign(ctx, { oidc: new OIDCContext(ctx) }) as KoaContextWithOIDC;
}

type Failure = { code: string; message: string; step?: string };

/** Runs some checks; returns why they refused, or null. */
async function failureOf(
  rules: DescriptionRules,
  ctx: KoaContextWithOIDC,
  run: () => Promise<void>,
): Promise<Failure | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof Passed) return null;
    if (!(error instanceof errors.OIDCProviderError)) throw error;
    const message = describeFailure(rules, ctx, error);
    return { code: reasonsOf(ctx.req).at(-1) ?? error.error, message };
  }
}

function resultOf(rows: readonly CheckRow[], failure: Failure | null): DryRunResult {
  const byReason = rows.findIndex(({ reasons }) => reasons.includes(failure?.code ?? ""));
  const byStep = rows.findIndex(({ steps }) => steps?.includes(failure?.step ?? ""));
  const at = failure === null ? rows.length : Math.max(0, byReason < 0 ? byStep : byReason);
  const checks = rows.map(({ name }, index) => ({
    name,
    result:
      index < at
        ? ("passed" as const)
        : index === at
          ? ("refused" as const)
          : ("not reached" as const),
  }));
  return { checks, fault: failure && { code: failure.code, message: failure.message } };
}
