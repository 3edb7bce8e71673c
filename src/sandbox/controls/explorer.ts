import { validateHeaderName, validateHeaderValue } from "node:http";
import Type from "typebox";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import type { Operation } from "#src/http/operation.ts";
import { operationFinder } from "#src/http/operation-finder.ts";
import type { HeadlessRequest } from "#src/sandbox/test-tpp/headless-customer.ts";
import { AuthorizationError, PushError, type TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { Scope } from "#src/standard/api-version.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

/** The body of a request to try a call. */
export const explorerCall = Type.Object(
  {
    method: Type.Union(["GET", "POST", "DELETE"].map((method) => Type.Literal(method))),
    path: Type.String({
      pattern: "^/api/open-banking/",
      description: "The path, including the query.",
    }),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.Unknown()),
    profile: Type.Optional(
      Type.Union(
        profileIds.map((id) => Type.Literal(id)),
        { description: "The security profile of the TPP that sends the call (default: fapi1)." },
      ),
    ),
    consentId: Type.Optional(
      Type.String({ minLength: 1, description: "The consent whose token is used." }),
    ),
  },
  { additionalProperties: false },
);
/** The body with the call's response. */
export const explorerAnswer = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.Unknown(),
});

/** The body of a request to approve a consent that a tried call has made. */
export const explorerConsent = Type.Object(
  {
    path: Type.String({
      pattern: "^/api/open-banking/",
      description: "The path of the call that made the consent.",
    }),
    consentId: Type.String({ minLength: 1, description: "The consent." }),
    profile: Type.Optional(
      Type.Union(
        profileIds.map((id) => Type.Literal(id)),
        { description: "The security profile of the TPP that made it (default: fapi1)." },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A consent to approve. */
export type ExplorerConsent = { path: string; consentId: string; profile?: ProfileId };

/** A call from a page of the documentation. The sandbox adds the token and the signature. */
export type ExplorerCall = {
  method: string;
  /** The path with the API's base path and the query. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The security profile of the TPP; the default is FAPI 1.0 Advanced. */
  profile?: ProfileId;
  /** The consent whose token is used if the call needs a customer's consent. */
  consentId?: string;
};

/** The bank's response; the body is null if there was none. */
type ExplorerAnswer = { status: number; headers: Record<string, string>; body: unknown };

type ExplorerDeps = {
  /** Returns the ready TPP of a security profile. The bank makes it when it is first used. */
  clientOf(profile: ProfileId): Promise<TppClient>;
  operations: readonly Operation[];
  authorise(request: HeadlessRequest): Promise<{ redirectUrl: string }>;
  /** The login of the persona who approves consents. */
  customer: string;
};

const manyTokens = 500;

/** What the pages of the documentation can do at the bank. */
export type Explorer = {
  /** Sends a call. */
  explore(call: ExplorerCall): Promise<ExplorerAnswer>;
  /** Approves a consent as a customer, whom it returns. */
  approveConsent(consent: ExplorerConsent): Promise<{ consentId: string; customer: string }>;
};

/** Makes the functions that act for a reader of the documentation. */
export function createExplorer(deps: ExplorerDeps): Explorer {
  const findOperation = operationFinder(deps.operations);
  const consentTokens = new Map<string, Promise<string>>();

  function tokenOfConsent(client: TppClient, scope: Scope, consentId: string): Promise<string> {
    const key = `${client.tpp.clientId} ${consentId}`;
    let token = consentTokens.get(key);
    if (!token) {
      token = approve(deps, client, scope, consentId);
      token.catch(() => consentTokens.delete(key));
      if (consentTokens.size >= manyTokens) consentTokens.clear();
      consentTokens.set(key, token);
    }
    return token;
  }

  function find(method: string, address: string) {
    const path = address.split("?")[0] ?? "";
    const found = findOperation(method, path);
    if (!found) throw new SandboxRefusal(404, `There is no operation ${method} ${path}.`);
    return found;
  }

  async function approveConsent({ path, consentId, profile = "fapi1" }: ExplorerConsent) {
    const [scope] = find("POST", path).operation.api.scopes;
    await tokenOfConsent(await deps.clientOf(profile), scope, consentId);
    return { consentId, customer: deps.customer };
  }

  async function explore(call: ExplorerCall): Promise<ExplorerAnswer> {
    const { operation, params } = find(call.method, call.path);
    judgeHeaders(call.headers ?? {});
    const [scope] = operation.api.scopes;
    const consentId = call.consentId ?? params.ConsentId ?? consentIn(call.body);
    if (operation.grant === "authorization_code" && !consentId) {
      throw new SandboxRefusal(400, "This call needs a customer's consent: send its ConsentId.");
    }
    const client = await deps.clientOf(call.profile ?? "fapi1");
    const token =
      operation.grant === "authorization_code" && consentId
        ? await tokenOfConsent(client, scope, consentId)
        : await client.clientToken(scope);
    const answer = await client.call({
      method: call.method,
      path: `${client.base}${call.path}`,
      token,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...(call.headers ? { headers: call.headers } : {}),
    });
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return {
      status: answer.status,
      headers: Object.fromEntries(headers),
      body: answer.body ?? null,
    };
  }
  return { explore, approveConsent };
}

// The HTTP client sets these headers. Other values would break the connection.
const ofTheConnection =
  /^(connection|content-length|expect|host|te|trailer|transfer-encoding|upgrade)$/i;

function judgeHeaders(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new SandboxRefusal(400, `The header ${JSON.stringify(name)} cannot be sent.`);
    }
    if (ofTheConnection.test(name)) {
      throw new SandboxRefusal(400, `The caller cannot set the header ${name}.`);
    }
  }
}

/** Returns the consent that the body of an order names. */
function consentIn(body: unknown): string | undefined {
  const id = (body as { Data?: { ConsentId?: unknown } } | undefined)?.Data?.ConsentId;
  return typeof id === "string" ? id : undefined;
}

async function approve(
  { authorise, customer }: ExplorerDeps,
  client: TppClient,
  scope: Scope,
  consentId: string,
): Promise<string> {
  try {
    const authorizationUrl = await client.authorizationUrl({ scope, consentId });
    const { redirectUrl } = await authorise({ authorizationUrl, customer, decision: "approve" });
    return (await client.exchangeCode(redirectUrl)).access_token;
  } catch (error) {
    if (!(error instanceof AuthorizationError || error instanceof PushError)) throw error;
    throw new SandboxRefusal(400, `Approving as ${customer} failed: ${error.message}`);
  }
}
