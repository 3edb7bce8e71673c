// One test or more for each row of `insideUses` in src/auth/provider/library.ts. A release of
// oidc-provider that changes what the row relies on fails here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { SignJWT } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";
import * as library from "oidc-provider";
import { readSourceFiles } from "#scripts/source-files.ts";
import {
  authenticateClient,
  authorizationSteps,
  ExternalSigningKey,
  errors,
  insideOf,
  insideUses,
  interactionPolicy,
  Provider,
  readAgain,
} from "#src/auth/provider/library.ts";

const makeProvider = (): Provider =>
  new Provider("http://localhost:3000", { cookies: { keys: ["a secret of the tests"] } });

test("parts: the parts of the library are those that its index exports, and print nothing", () => {
  assert.equal(Provider, library.Provider);
  assert.equal(ExternalSigningKey, library.ExternalSigningKey);
  assert.equal(errors.InvalidRequest, library.errors.InvalidRequest);
  assert.equal(interactionPolicy.base, library.interactionPolicy.base);
  const path = new URL("../../src/auth/provider/provider.ts", import.meta.url).href;
  const script = `
    const before = [console.warn, console.info, crypto.subtle.verify];
    await import(${JSON.stringify(path)});
    const after = [console.warn, console.info, crypto.subtle.verify];
    if (before.some((one, at) => one !== after[at])) console.log("a global was replaced");`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "-e", script],
    { encoding: "utf8" },
  );
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
});

test("OIDCContext: the classes of a provider are its own, so that overriding them changes no other bank", () => {
  const [one, other] = [insideOf(makeProvider()), insideOf(makeProvider())];
  assert.notEqual(one.Client.Schema.prototype, other.Client.Schema.prototype);
  assert.notEqual(one.OIDCContext.prototype, other.OIDCContext.prototype);
});

test("invalidate: the library asks Schema.invalidate about redirect URIs on the caller's machine, with these codes", () => {
  const provider = makeProvider();
  const { prototype } = insideOf(provider).Client.Schema;
  const codes: unknown[] = [];
  prototype.invalidate = (_message, code) => void codes.push(code);
  const { redirectUris } = prototype as unknown as {
    redirectUris: (this: object, uris: string[]) => void;
  };
  const metadata = { application_type: "web", grant_types: ["implicit"], redirect_uris: [] };
  redirectUris.call(Object.assign(Object.create(prototype), metadata), ["http://localhost:1/cb"]);
  assert.deepEqual(codes, ["implicit-force-https", "implicit-forbid-localhost"]);
});

const client = {
  client_id: "tpp",
  client_secret: "a secret of 32 characters or more",
  redirect_uris: ["https://tpp.example/cb"],
  request_object_signing_alg: "HS256",
};

/** A provider with a client, and a request's context on a route, as dry-run.ts makes them. */
function contextOn(route: string) {
  const provider = new Provider("http://localhost:3000", {
    cookies: { keys: ["a secret of the tests"] },
    clients: [client],
    enabledJWA: { requestObjectSigningAlgValues: ["HS256"] },
    features: { requestObjects: { enabled: true } },
  } as never);
  const { OIDCContext, createContext } = insideOf(provider);
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { method: "POST", url: "/auth", headers: { host: "localhost" } });
  const ctx = createContext.call(provider, request, new ServerResponse(request));
  Object.assign(ctx, { _matchedRouteName: route });
  const oidc = new OIDCContext(ctx);
  return { ctx: Object.assign(ctx, { oidc }) as KoaContextWithOIDC, oidc, provider, OIDCContext };
}

const run = async (ctx: KoaContextWithOIDC, name: string): Promise<void> => {
  const step = authorizationSteps("authorization").find((one) => one.name === name);
  assert.ok(step, name);
  await step(ctx, async () => undefined);
};

test("createContext: makes the context of a request, whose route is its matched name", () => {
  const { ctx, oidc } = contextOn("authorization");
  assert.equal(oidc.route, "authorization");
  assert.equal(ctx.method, "POST");
});

test("params: a step assigns the parameters, which the overridden member sees", async () => {
  const { ctx, oidc, OIDCContext } = contextOn("authorization");
  const seen: unknown[] = [];
  const set = (given: unknown) => void seen.push(given);
  Object.defineProperty(OIDCContext.prototype, "params", { configurable: true, set });
  Object.assign(oidc, { body: { client_id: "tpp" } });
  await run(ctx, "assembleAuthorizationParams");
  assert.equal((seen[0] as { client_id: string }).client_id, "tpp");
});

test("entity: a step calls the overridden member with the client that it has found", async () => {
  const { ctx, oidc, OIDCContext } = contextOn("authorization");
  const seen: unknown[] = [];
  Object.assign(OIDCContext.prototype, { entity: (name: string) => void seen.push(name) });
  Object.assign(oidc, { params: { client_id: "tpp" } });
  await run(ctx, "checkClient");
  assert.deepEqual(seen, ["Client"]);
});

test("trusted: a step assigns it once the signature is verified, and not before", async () => {
  for (const secret of [client.client_secret, "another secret of 32 characters"]) {
    const { ctx, oidc, provider, OIDCContext } = contextOn("authorization");
    const seen: unknown[] = [];
    const set = (given: unknown) => void seen.push(given);
    Object.defineProperty(OIDCContext.prototype, "trusted", { configurable: true, set });
    const request = await new SignJWT({ client_id: "tpp", scope: "openid" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer("tpp")
      .setAudience(provider.issuer)
      .sign(new TextEncoder().encode(secret));
    Object.assign(oidc, { params: { client_id: "tpp", request } });
    await run(ctx, "checkClient");
    const judged = run(ctx, "processRequestObject");
    if (secret === client.client_secret) await judged;
    else await assert.rejects(judged, { error: "invalid_request_object" });
    assert.equal(seen.length, secret === client.client_secret ? 1 : 0);
  }
});

for (const name of ["urlFor", "clientJwtAuthExpectedAudience"]) {
  test(`${name}: the context of a request has this member, which is overridden`, () => {
    const { prototype } = insideOf(makeProvider()).OIDCContext;
    assert.equal(typeof (prototype as Record<string, unknown>)[name], "function");
  });
}

test("each use of the library's inside has a row and a test, and no other file has uses", () => {
  const own = readFileSync(import.meta.filename, "utf8");
  const overridden = ["urlFor", "clientJwtAuthExpectedAudience"];
  const tested = [...own.matchAll(/^test\("(\w+): /gm)].map(([, name = ""]) => name);
  const listed = Object.keys(insideUses);
  assert.deepEqual([...new Set([...tested, ...overridden])].sort(), listed.toSorted());
  const used = readSourceFiles("src/*.ts").flatMap(({ path, text }) => {
    if (path.endsWith("/provider/library.ts")) return [];
    assert.doesNotMatch(text, /from "oidc-provider\/|import\("oidc-provider/, path);
    assert.doesNotMatch(text, /^import (?!type)[^;]*from "oidc-provider"/m, path);
    const isInside = text.includes("insideOf(");
    if (!isInside) assert.doesNotMatch(text, /OIDCContext\.prototype|\bcreateContext\b/, path);
    return isInside ? usesIn(text) : [];
  });
  assert.ok(used.includes("trusted") && used.includes("createContext"));
  assert.deepEqual(
    used.filter((name) => !listed.includes(name)),
    [],
  );
});

/** The names that a file takes or overrides of the library's inside. */
function usesIn(text: string): string[] {
  const assigned = [...text.matchAll(/Object\.assign\([\w.]*prototype, \{\n(.*?)\n {2}\}\)/gs)];
  return [
    ...[...text.matchAll(/defineProperty\([\w.]*prototype, "(\w+)"/g)].map(([, name = ""]) => name),
    ...assigned.flatMap(([, body = ""]) =>
      [...body.matchAll(/^ {4}(?:async )?(\w+)[(:]/gm)].map(([, name = ""]) => name),
    ),
    ...[...text.matchAll(/const \{ ([\w, ]+) \} = insideOf/g)].flatMap(([, names = ""]) =>
      names.split(", "),
    ),
    ...[...text.matchAll(/schema\.(\w+) = /g)].map(([, name = ""]) => name),
  ];
}

test("readAgain: a form that was read before can be read again, with its exact bytes as UTF-8", async () => {
  const request = new IncomingMessage(new Socket());
  request.headers["content-type"] = "application/x-www-form-urlencoded; charset=latin1";
  request.push("name=%C3%BC");
  request.push(null);
  const form = await buffer(request);
  assert.equal(request.readable, false);
  readAgain(request, form);
  assert.equal(request.readable, true);
  assert.equal(request.headers["content-type"], "application/x-www-form-urlencoded");
  const chunks = await Array.fromAsync(request.iterator({ destroyOnReturn: false }));
  assert.deepEqual(Buffer.concat(chunks), form);
});

test("steps: the steps that judge a pasted JWT have their names and their order; the last one stores", () => {
  assert.equal(authenticateClient.name, "authenticateClient");
  for (const route of ["authorization", "pushed_authorization_request"]) {
    const names = authorizationSteps(route).map(({ name }) => name);
    const judged = names.slice(
      names.indexOf("assembleAuthorizationParams"),
      names.lastIndexOf("checkExtraParams") + 1,
    );
    for (const name of ["processRequestObject", "checkScope", "checkRedirectUri", "checkClaims"]) {
      assert.ok(judged.includes(name), name);
    }
    for (const name of ["interactions", "pushedAuthorizationRequestResponse", "respond"]) {
      assert.ok(!judged.includes(name), name);
    }
  }
});
