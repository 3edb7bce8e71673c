// One test for each entry of src/auth/provider/library.ts. A release of oidc-provider that changes
// what the entry relies on fails here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import * as library from "oidc-provider";
import {
  authenticateClient,
  authorizationSteps,
  ExternalSigningKey,
  errors,
  insideOf,
  interactionPolicy,
  Provider,
  readAgain,
} from "#src/auth/provider/library.ts";

const makeProvider = (): Provider =>
  new Provider("http://localhost:3000", { cookies: { keys: ["a secret of the tests"] } });

test("the parts of the library are those that its index exports, and print nothing", () => {
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

test("the classes of a provider are its own, so that overriding them changes no other bank", () => {
  const [one, other] = [insideOf(makeProvider()), insideOf(makeProvider())];
  assert.notEqual(one.Client.Schema.prototype, other.Client.Schema.prototype);
  assert.notEqual(one.OIDCContext.prototype, other.OIDCContext.prototype);
});

test("the library asks Schema.invalidate about redirect URIs on the caller's machine, with these codes", () => {
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

test("the context of a request has the members that are overridden", () => {
  const { prototype } = insideOf(makeProvider()).OIDCContext;
  for (const name of ["urlFor", "clientJwtAuthExpectedAudience"]) {
    assert.equal(typeof (prototype as Record<string, unknown>)[name], "function", name);
  }
});

test("a form that was read before can be read again, with its exact bytes as UTF-8", async () => {
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

test("the steps that judge a pasted JWT have their names and their order; the last one stores", () => {
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
