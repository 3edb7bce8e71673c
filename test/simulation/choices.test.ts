import assert from "node:assert/strict";
import { test } from "node:test";
import { edges, repeatable, revocable } from "./choices.ts";
import { emptyKnown, type KnownConsent } from "./known.ts";

const instant = (text: string): Temporal.Instant => Temporal.Instant.from(text);

const consent: KnownConsent = {
  consentId: "dvc-1",
  kind: "later",
  body: { Data: {} },
  isDecided: true,
  isDeclined: false,
  token: null,
  refreshToken: null,
  tokenEnds: 0,
  isRevoked: false,
  redirectUrl: null,
  orders: [],
};

const textsOf = (given: Partial<KnownConsent>[], now: string): string[] =>
  edges(
    { ...emptyKnown(), consents: given.map((one) => ({ ...consent, ...one })) },
    instant(now),
  ).map(({ time }) => String(time));

test("time can jump to the next midnight, Monday and month in London", () => {
  assert.deepEqual(textsOf([], "2027-03-27T10:00:00Z"), [
    "2027-03-28T00:00:00Z",
    "2027-03-28T23:00:00Z", // the clocks went forward on Sunday
    "2027-03-31T23:00:00Z",
  ]);
});

test("time can jump to the ends of tokens, and to where consents begin and end", () => {
  const ControlParameters = {
    ValidFromDateTime: "2027-03-27T11:00:00Z",
    ValidToDateTime: "2027-03-27T12:00:00Z",
  };
  const given = [
    { tokenEnds: instant("2027-03-27T10:30:00Z").epochMilliseconds },
    { tokenEnds: instant("2027-03-27T09:30:00Z").epochMilliseconds },
    { body: { Data: { ControlParameters } } },
    { body: { Data: { ExpirationDateTime: "2027-03-27T13:00:00Z" } } },
  ];
  assert.deepEqual(textsOf(given, "2027-03-27T10:00:00Z").slice(0, 6), [
    "2027-03-27T10:30:00Z",
    "2027-03-27T11:00:00Z",
    "2027-03-27T12:00:00Z",
    "2027-03-27T13:00:00Z",
    "2027-03-28T00:00:00Z", // midnight, and the end of the last day for payments
    "2027-03-28T00:00:00Z",
  ]);
});

test("each edge says of what it is: a token, a consent, or the calendar", () => {
  const Data = { ExpirationDateTime: "2027-03-27T13:00:00Z" };
  const tokenEnds = instant("2027-03-27T10:30:00Z").epochMilliseconds;
  const given = { ...emptyKnown(), consents: [{ ...consent, tokenEnds, body: { Data } }] };
  const found = edges(given, instant("2027-03-27T10:00:00Z"));
  assert.deepEqual(
    found.map(({ of }) => of),
    ["token", "consent", "calendar", "calendar", "calendar"],
  );
});

test("what a token opens is revoked, unless it is over or its order uses it up", () => {
  const open = { ...consent, isDecided: true, token: "t" };
  const consents = [
    { ...open, consentId: "open" },
    { ...open, consentId: "without a token", token: null },
    { ...open, consentId: "revoked", isRevoked: true },
    { ...open, consentId: "once", kind: "once" as const },
  ];
  const found = revocable({ ...emptyKnown(), consents });
  assert.deepEqual(
    found.map(({ consentId }) => consentId),
    ["open"],
  );
});

test("an order is sent again while its key stands for it, the latest first", () => {
  const sent = (key: string, at: string) => ({ key, body: {}, orderId: null, at: instant(at) });
  const orders = [
    sent("too old", "2027-03-26T10:00:00Z"),
    sent("yesterday", "2027-03-26T12:00:00Z"),
    sent("today", "2027-03-27T09:00:00Z"),
  ];
  const known = { ...emptyKnown(), consents: [{ ...consent, orders }] };
  const found = repeatable(known, instant("2027-03-27T10:00:00Z"));
  assert.deepEqual(
    found.map(({ order }) => order.key),
    ["today", "yesterday"],
  );
});
