import { randomUUID } from "node:crypto";
import {
  flowOf,
  requestParameters,
  signBackchannel,
} from "#src/sandbox/test-tpp/authorization-flow.ts";
import { scopes } from "#src/standard/api-version.ts";
import type { Draw } from "./draw.ts";
import { hostileTexts } from "./hostile-values.ts";
import { mutateStructure } from "./mutate-body.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { Shot } from "./shot.ts";
import { type Actor, consentsOf, type World } from "./world.ts";

/** A request to the authorization server; a form with GET is its query. */
export type Aimed = Pick<Shot, "from" | "method" | "url"> & { form?: Form };
/** The fields of a form or query, in order. A name may occur twice. */
type Form = [name: string, value: string][];
type Aim = (actor: Actor, draw: Draw, world: World) => Promise<Aimed>;

/** Makes a request to the authorization server, with up to two changes. */
export async function aimAtOAuth(world: World, number: number, draw: Draw): Promise<Shot> {
  const actor = draw.pick(world.actors);
  const aimed = await draw.pick(aims)(actor, draw, world);
  const changes: string[] = [];
  const shot: Shot = {
    number,
    ...aimed,
    changes,
    headers: { accept: draw.pick(["application/json", "text/html", "*/*"]) },
    body: undefined,
    sender: actor.client.tpp.clientId,
  };
  if (aimed.form) {
    const form = draw.chance(0.7) ? mutateForm(aimed.form, draw, changes) : aimed.form;
    const text = new URLSearchParams(form.map(([name, value]) => [name, value.toWellFormed()]));
    if (aimed.method === "GET") shot.url += `?${text}`;
    else {
      shot.headers["content-type"] = "application/x-www-form-urlencoded";
      shot.body = Buffer.from(text.toString());
    }
  }
  if (aimed.from === "GET /me") shot.headers.authorization = `Bearer ${draw.pick(tokensOf(actor))}`;
  if (draw.chance(0.4)) await mutateRequest(shot, draw, { world, actor });
  return shot;
}

const tokensOf = ({ accesses }: Actor): string[] =>
  Object.values(accesses).flatMap(({ consents }) => consents.flatMap(({ token }) => token ?? []));

function mutateForm(form: Form, draw: Draw, changes: string[]): Form {
  const changed = form.map((field): [string, string] => [...field]);
  for (let left = 1 + draw.below(2); left > 0; left--) {
    const at = draw.below(changed.length);
    const [name = "", value = ""] = changed[at] ?? [];
    const [what, fields] = draw.pick<[string, Form]>([
      ["remove", []],
      ["text", [[name, draw.pick(hostileTexts)]]],
      ["text", [[name, draw.pick(hostileTexts)]]],
      ["empty", [[name, ""]]],
      ["twice", [field(name, value), field(name, value)]],
      ["infuse", [[name, value.slice(0, 9) + draw.pick(hostileTexts) + value.slice(9)]]],
      ["add", [field(name, value), field(draw.pick(oddNames), draw.pick(hostileTexts))]],
    ]);
    changes.push(`${what} ${name}`);
    changed.splice(at, 1, ...fields);
    if (changed.length === 0) return changed;
  }
  return changed;
}

const field = (name: string, value: string): [string, string] => [name, value];

const oddNames = [
  "response_mode",
  "response_type",
  "scope",
  "prompt",
  "max_age",
  "ui_locales",
  "claims",
  "request_uri",
  "id_token_hint",
  "login_hint",
  "acr_values",
  "code_challenge",
  "client_secret",
  "__proto__",
  "resource",
  "dpop_jkt",
  "registration",
];

/** Returns the claims, either unchanged or with changes. */
function changeClaims(claims: object, draw: Draw): object {
  if (draw.chance(0.5)) mutateStructure(claims, draw);
  return claims;
}

async function withAuthentication(actor: Actor, draw: Draw, form: Form): Promise<Form> {
  const { client } = actor;
  const fields = [...form, field("client_id", client.tpp.clientId)];
  if (client.tpp.tokenEndpointAuthMethod !== "private_key_jwt") return fields;
  const now = Math.floor(Date.now() / 1000);
  const claims = changeClaims(
    {
      iss: client.tpp.clientId,
      sub: client.tpp.clientId,
      aud: client.bank.publicUrl,
      jti: randomUUID(),
      iat: now,
      exp: now + 120,
    },
    draw,
  );
  return [
    ...fields,
    ["client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"],
    ["client_assertion", await client.signJwt(claims as Record<string, string>)],
  ];
}

/** The parameters of an authorization request as the TPP's profile sends them, maybe changed. */
async function parametersOf(actor: Actor, draw: Draw): Promise<Record<string, string>> {
  const { client } = actor;
  const scope = draw.pick(scopes);
  const { consentId } = draw.pick(consentsOf(actor, scope));
  const intent = { openbanking_intent_id: { value: consentId, essential: true } };
  const claims = changeClaims(
    {
      acr_values: "urn:openbanking:psd2:sca",
      max_age: 3600,
      claims: {
        id_token: { ...intent, acr: { essential: true, values: ["urn:openbanking:psd2:sca"] } },
        userinfo: intent,
      },
      ...flowOf(client.tpp).response,
      scope: `openid ${scope}`,
      nonce: randomUUID(),
      state: randomUUID(),
      prompt: "login",
    },
    draw,
  );
  const overrides = claims as Record<string, unknown>;
  return requestParameters(client, { scope, consentId, overrides });
}

/** The parameters of the authorization endpoint: those of a pushed request, or all of them. */
async function authorizationForm(actor: Actor, draw: Draw): Promise<Form> {
  const { client } = actor;
  const parameters = await parametersOf(actor, draw);
  const isPushed = flowOf(client.tpp).pushes !== draw.chance(0.1);
  if (!isPushed) return Object.entries(parameters);
  const { body } = await client.push(parameters);
  const { request_uri = `urn:ietf:params:oauth:request_uri:${randomUUID()}` } = body as {
    request_uri?: string;
  };
  return [field("client_id", client.tpp.clientId), field("request_uri", request_uri)];
}

const token: Aim = async (actor, draw) => {
  const scope = draw.pick([...scopes, "accounts payments", "openid", "x", ""]);
  const grant = draw.pick<Form>([
    [field("grant_type", "client_credentials"), field("scope", scope)],
    [field("grant_type", "client_credentials"), field("scope", scope)],
    [
      field("grant_type", "authorization_code"),
      field("code", randomUUID()),
      field("redirect_uri", actor.client.tpp.redirectUris[0] ?? ""),
      field("code_verifier", "a".repeat(43)),
    ],
    [field("grant_type", "refresh_token"), field("refresh_token", draw.pick(tokensOf(actor)))],
    [field("grant_type", draw.pick(["password", "implicit", "urn:x", "__proto__"]))],
  ]);
  return {
    from: "POST /token",
    method: "POST",
    url: `${actor.client.base}/token`,
    form: await withAuthentication(actor, draw, grant),
  };
};

const revocation: Aim = async (actor, draw) => ({
  from: "POST /token/revocation",
  method: "POST",
  url: `${actor.client.base}/token/revocation`,
  form: await withAuthentication(actor, draw, [
    // a valid token would be revoked, but other requests need it
    field("token", draw.pick([randomUUID(), ...hostileTexts])),
    field("token_type_hint", draw.pick(["access_token", "refresh_token", "x"])),
  ]),
});

const introspection: Aim = async (actor, draw) => ({
  from: "POST /token/introspection",
  method: "POST",
  url: `${actor.client.base}/token/introspection`,
  form: await withAuthentication(actor, draw, [
    field("token", draw.pick([...tokensOf(actor), randomUUID(), ...hostileTexts])),
    field("token_type_hint", draw.pick(["access_token", "refresh_token", "x"])),
  ]),
});

export const pushed: Aim = async (actor, draw) => ({
  from: "POST /request",
  method: "POST",
  url: `${actor.client.base}/request`,
  form: await withAuthentication(
    actor,
    draw,
    Object.entries(await parametersOf(actor, draw)).filter(([name]) => name !== "client_id"),
  ),
});

/** A hint that names a customer by a short-lived identifier from the bank's app. */
function hintToken(): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode({ ephemeral_sub: randomUUID() })}.`;
}

/** The members of a request without a browser, which stand in its signed request or beside it. */
export const backchannelMembers = (draw: Draw): Record<string, string> => ({
  login_hint_token: hintToken(),
  binding_message: "1234",
  acr_values: "urn:openbanking:psd2:sca",
  client_notification_token: randomUUID(),
  requested_expiry: "120",
  ...(draw.chance(0.8)
    ? { login_hint: "amara", id_token_hint: hintToken(), user_code: "1234", scope: "openid" }
    : {}),
});

export const backchannel: Aim = async (actor, draw) => {
  const { client } = actor;
  const scope = draw.pick(scopes);
  const { consentId } = draw.pick(consentsOf(actor, scope));
  const claims = changeClaims(backchannelMembers(draw), draw) as Record<string, unknown>;
  const signJwt = client.signJwt.bind(client);
  const tpp = { tpp: client.tpp, bank: client.bank, signJwt };
  const request = await signBackchannel(tpp, { scope, consentId, claims });
  const beside = draw.chance(0.75) ? Object.entries(backchannelMembers(draw)) : [];
  return {
    from: "POST /backchannel",
    method: "POST",
    url: `${client.base}/backchannel`,
    form: await withAuthentication(actor, draw, [...beside, field("request", request)]),
  };
};

const userinfo: Aim = async (actor, draw) => ({
  from: "POST /me",
  method: "POST",
  url: `${actor.client.base}/me`,
  form: [field("access_token", draw.pick([...tokensOf(actor), randomUUID()]))],
});

const authorization: Aim = async (actor, draw) => ({
  from: "GET /auth",
  method: "GET",
  url: `${actor.client.bank.publicUrl}/auth`,
  form: await authorizationForm(actor, draw),
});

const reads: readonly string[] = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/jwks",
  "/me",
  "/auth/some-uid",
  "/directory/directory.jwks",
  "/journey/some-uid",
  "/nothing/here",
];

const read: Aim = async (actor, draw) => {
  const { organisationId, softwareId } = actor.client.tpp;
  const path = draw.pick([...reads, `/directory/${organisationId}/${softwareId}.jwks`]);
  return { from: `GET ${path.slice(0, 20)}`, method: "GET", url: `${actor.client.base}${path}` };
};

/** The requests to the authorization server that are changed. */
export const aims: readonly Aim[] = [
  token,
  token,
  token,
  revocation,
  introspection,
  pushed,
  backchannel,
  userinfo,
  authorization,
  authorization,
  read,
];
