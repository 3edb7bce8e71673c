import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { lifetimeSeconds } from "#src/auth/provider/lifetimes.ts";
import { criticalClaims } from "#src/http/signature/message-signer.ts";
import { eventTypes, findEventType } from "#src/standard/shared/events/event-types.ts";

// The words of the pages for TPPs are those of the API.

const page = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

test("EV-26: the page on events lists every type with the two names that the API takes", () => {
  const listed = [...page("events").matchAll(/^\| `(UK\.OBIE\.[\w-]+)` \| `(urn:[\w:-]+)` \|$/gm)];
  assert.deepEqual(
    listed.map(([, code, urn]) => [code, urn]),
    eventTypes.map(({ code, urn }) => [code, urn]),
  );
  for (const { name, code, urn } of eventTypes) {
    assert.deepEqual([findEventType(code)?.name, findEventType(urn)?.name], [name, name]);
    assert.equal(findEventType(name), undefined, "the last part alone is not taken");
    assert.equal(urn.split(":").at(-1), name);
  }
});

test("the page on events names no type that the bank does not have", () => {
  const names = new Set<string>(eventTypes.map(({ name }) => name));
  const used = page("events").matchAll(/`([a-z]+(?:-[a-z]+)*-(?:update|revoked))`/g);
  const unknown = [...used].map(([, name]) => name ?? "").filter((name) => !names.has(name));
  assert.deepEqual(unknown, []);
});

test("the page on events shows the critical members of every signature", () => {
  const shown = [...page("events").matchAll(/^ {2}"([^"]+)": true,$/gm)].map(([, name]) => name);
  assert.deepEqual(shown.sort(), [...criticalClaims].sort());
});

test("the page on registration gives the lifetimes of what the authorization server issues", () => {
  const text = page("registration");
  const rows: [string, number][] = [
    ["authorization code", lifetimeSeconds.AuthorizationCode],
    ["access token", lifetimeSeconds.AccessToken],
    ["ID token", lifetimeSeconds.IdToken],
    ["`request_uri` of a pushed request", lifetimeSeconds.PushedAuthorizationRequest],
  ];
  for (const [name, seconds] of rows) assert.ok(text.includes(`| ${name} | ${seconds} seconds`));
});
