import { randomUUID } from "node:crypto";
import { requestClaims } from "#test/registration/request-claims.ts";
import type { Draw } from "./draw.ts";
import { hostileTexts } from "./hostile-values.ts";
import { mutateStructure, textual } from "./mutate-body.ts";
import { mutateRequest } from "./mutate-request.ts";
import type { Shot } from "./shot.ts";
import { type Actor, callControl, type World } from "./world.ts";

const statements = new WeakMap<Actor, Promise<string>>();

/** Returns a software statement of a TPP. The directory issues it at the first call. */
function statementOf({ address }: World, actor: Actor): Promise<string> {
  const path = `/directory/software/${actor.client.tpp.softwareId}/statements`;
  const known =
    statements.get(actor) ??
    callControl<{ statement: string }>(address, "POST", path, {}).then((one) => one.statement);
  statements.set(actor, known);
  return known;
}

/**
 * The claims of a registration. A new client can be registered, so that changed requests may also
 * succeed. A change of a TPP is refused for its redirect URI on loopback, because the other
 * requests need the TPP as it is.
 */
export async function claimsOf(
  world: World,
  actor: Actor,
  isNew: boolean,
): Promise<Record<string, unknown>> {
  const { softwareId, redirectUris } = actor.client.tpp;
  const software = {
    softwareId,
    redirectUris: redirectUris.filter((uri) => uri.startsWith("https:") === isNew),
  };
  const statement = await statementOf(world, actor);
  const claims = requestClaims(software, { audience: world.address.publicUrl, statement });
  return { ...claims, tls_client_auth_subject_dn: `CN=${softwareId}` };
}

const targets: readonly [method: string, isOwn: boolean][] = [
  ["POST", false],
  ["POST", false],
  ["POST", false],
  ["PUT", true],
  ["PUT", true],
  ["PUT", false],
  ["GET", true],
  ["GET", false],
  // the TPPs are needed for the other requests, so only a stranger is deleted
  ["DELETE", false],
];

/** Makes a request to the registration endpoint, whose claims, text and headers may be changed. */
export async function aimAtRegistration(world: World, number: number, draw: Draw): Promise<Shot> {
  const actor = draw.pick(world.actors);
  const { client } = actor;
  const [method, isOwn] = draw.pick(targets);
  const stranger = encodeURIComponent(draw.pick(hostileTexts).toWellFormed().slice(0, 200)) || "x";
  const path = method === "POST" ? "" : `/${isOwn ? client.tpp.clientId : stranger}`;
  const shot: Shot = {
    number,
    from: `${method} /register`,
    changes: [],
    method,
    url: `${world.address.mtlsUrl}/register${path}`,
    headers: { accept: "application/json" },
    body: undefined,
    sender: client.tpp.clientId,
  };
  if (method !== "POST") {
    // a token that asks for another client is revoked, so it must not be the one of the others
    const token = isOwn ? await actor.clientToken("accounts") : randomUUID();
    shot.headers.authorization = `Bearer ${token}`;
  }
  if (method === "POST" || method === "PUT") await fill(shot, world, actor, draw);
  if (method !== "DELETE" && draw.chance(0.3)) await mutateRequest(shot, draw, { world, actor });
  if (method !== "DELETE" && shot.method === "DELETE") shot.method = method;
  return shot;
}

async function fill(shot: Shot, world: World, actor: Actor, draw: Draw): Promise<void> {
  const claims = await claimsOf(world, actor, shot.method === "POST");
  if (draw.chance(0.7)) shot.changes.push(...mutateStructure(claims, draw));
  const jws = await actor.client.signJwt(claims);
  shot.headers["content-type"] = draw.pick(["application/jose", "application/jwt"]);
  if (draw.chance(0.7)) {
    shot.body = Buffer.from(jws);
    return;
  }
  const [name, change] = draw.pick(textual);
  shot.changes.push(name);
  shot.body = change(jws, draw);
}
