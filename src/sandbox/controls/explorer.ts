import { randomUUID } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import Type from "typebox";
import { type ProfileId, profileIds } from "#src/clients/security-profile.ts";
import type { Operation } from "#src/http/operation.ts";
import { operationFinder } from "#src/http/register-operations.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { consentTokens, type TokenDeps } from "./explorer-tokens.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

/** The body of a request to try a call. */
export const explorerCall = Type.Object(
  {
    method: Type.Union(["GET", "POST", "PUT", "DELETE"].map((method) => Type.Literal(method))),
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

/** The body of a request for the headers of a call that the caller sends itself. */
export const explorerHeadersCall = Type.Object(
  {
    method: explorerCall.properties.method,
    path: explorerCall.properties.path,
    body: Type.Optional(
      Type.String({ description: "The exact text of the body, which the signature covers." }),
    ),
    profile: explorerCall.properties.profile,
    consentId: explorerCall.properties.consentId,
  },
  { additionalProperties: false },
);

/** The headers that the call needs. */
export const explorerHeadersAnswer = Type.Object({
  headers: Type.Record(Type.String(), Type.String(), {
    description:
      "The headers to send: the token, and the signature and key if the call needs them.",
  }),
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

/** A call that the caller sends itself, with the exact text of its body. */
export type ExplorerHeadersCall = Pick<
  ExplorerCall,
  "method" | "path" | "profile" | "consentId"
> & {
  body?: string;
};

type ExplorerDeps = TokenDeps & {
  /** Returns the ready TPP of a security profile. The bank makes it when it is first used. */
  clientOf(profile: ProfileId): Promise<TppClient>;
  operations: readonly Operation[];
};

/** What the pages of the documentation can do at the bank. */
export type Explorer = {
  /** Sends a call. */
  explore(call: ExplorerCall): Promise<ExplorerAnswer>;
  /** Makes the token of a call, and the signature and idempotency key if it needs them. */
  headersOf(call: ExplorerHeadersCall): Promise<{ headers: Record<string, string> }>;
  /** Approves a consent as a customer, whom it returns. */
  approveConsent(consent: ExplorerConsent): Promise<{ consentId: string; customer: string }>;
};

/** Makes the functions that act for a reader of the documentation. */
export function createExplorer(deps: ExplorerDeps): Explorer {
  const findOperation = operationFinder(deps.operations);
  const tokenOfConsent = consentTokens(deps);

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

  /** The operation of a call, the TPP that sends it, and a token that admits it. */
  async function prepare(call: Omit<ExplorerCall, "headers">) {
    const { operation, params } = find(call.method, call.path);
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
    return { operation, client, token };
  }

  async function headersOf({ body, ...call }: ExplorerHeadersCall) {
    const { operation, client, token } = await prepare({ ...call, body: parsed(body) });
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (operation.idempotent) headers["x-idempotency-key"] = randomUUID();
    if (operation.signed === true && body !== undefined)
      headers["x-jws-signature"] = await client.signature(Buffer.from(body));
    return { headers };
  }

  async function explore(call: ExplorerCall): Promise<ExplorerAnswer> {
    judgeHeaders(call.headers ?? {});
    const { client, token } = await prepare(call);
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
  return { explore, headersOf, approveConsent };
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

/** The body of a call, if it is JSON: a file of another format names no consent. */
function parsed(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the consent that the body of an order names. */
function consentIn(body: unknown): string | undefined {
  const id = (body as { Data?: { ConsentId?: unknown } } | undefined)?.Data?.ConsentId;
  return typeof id === "string" ? id : undefined;
}
