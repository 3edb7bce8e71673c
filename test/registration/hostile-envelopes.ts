import { createHmac } from "node:crypto";
import { generateEcKey } from "#src/sandbox/directory/keys.ts";
import type { Bed } from "./bed.ts";
import type { Hostile } from "./hostile-row.ts";
import type { Changes } from "./request-claims.ts";

const signedWith = (
  name: string,
  rule: string,
  given: (bed: Bed) => Promise<{ header?: Changes; key?: Bed["keys"]["other"] }>,
): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: await bed.request({}, await given(bed)) }),
});

const raw = (name: string, rule: string, change: (jws: string) => string | Buffer): Hostile => ({
  name,
  rule,
  make: async (bed) => ({ body: change(await bed.request()) }),
});

/** A part of a JWS. */
export const part = (value: string): string => Buffer.from(value).toString("base64url");
/** Returns a JWS in which one part is replaced. */
export const replaced = (jws: string, index: number, value: string): string =>
  jws
    .split(".")
    .map((one, at) => (at === index ? value : one))
    .join(".");

/** Requests whose form, signature or key is wrong. */
export const envelopes: Hostile[] = [
  raw("an empty body", "R-069", () => ""),
  raw("a word", "R-069", () => "hello"),
  raw("an unsigned JSON object", "R-069", () => '{"iss":"x"}'),
  raw("two parts", "R-069", (jws) => jws.split(".").slice(0, 2).join(".")),
  raw("four parts", "R-069", (jws) => `${jws}.x`),
  raw("an empty signature", "R-069", (jws) => replaced(jws, 2, "")),
  raw("base64 with padding", "R-069", (jws) => replaced(jws, 2, "abc=")),
  raw("bytes that are not text", "R-069", () => Buffer.from([0xff, 0xfe, 0, 1])),
  raw("a header that is not JSON", "R-069", (jws) => replaced(jws, 0, part("{"))),
  raw("a header that is a list", "R-069", (jws) => replaced(jws, 0, part("[]"))),
  raw("a payload that is not JSON", "R-069", (jws) => replaced(jws, 1, part("x"))),
  raw("a payload that is null", "R-069", (jws) => replaced(jws, 1, part("null"))),
  raw("a payload with a repeated member", "R-069", (jws) =>
    replaced(jws, 1, part('{"iss":"a","iss":"b"}')),
  ),
  raw("a payload that is nested 10,000 deep", "R-069", (jws) =>
    replaced(jws, 1, part(`{"x":${"[".repeat(10_000)}${"]".repeat(10_000)}}`)),
  ),
  raw("a payload with NUL", "R-069", (jws) => replaced(jws, 1, part('{"iss":"\\u0000"}'))),
  raw("a payload with half a surrogate", "R-069", (jws) =>
    replaced(jws, 1, part('{"iss":"\\ud800"}')),
  ),
  {
    name: "a body of more than 64 kB",
    rule: "none",
    status: 413,
    make: async () => ({ body: "x".repeat(70_000) }),
  },
  ...["application/json", "text/plain", "application/x-www-form-urlencoded", ""].map(
    (type): Hostile => ({
      name: `the content type "${type}"`,
      rule: type === "" ? "none" : "R-015",
      status: 415,
      make: async (bed) => ({
        body: await bed.request(),
        headers: { "content-type": type },
      }),
    }),
  ),
  signedWith("a request signed with RS256", "R-040", async () => ({ header: { alg: "RS256" } })),
  signedWith("a request signed with PS512", "R-040", async () => ({ header: { alg: "PS512" } })),
  {
    name: "a request signed with ES256, which is not set",
    rule: "R-040",
    make: async (bed) => ({
      body: await bed.request({}, { header: { alg: "ES256" }, key: await generateEcKey() }),
    }),
  },
  {
    name: "a request without a signature algorithm (none)",
    rule: "R-040",
    make: async (bed) => {
      const header = part(JSON.stringify({ alg: "none", kid: bed.kid }));
      return { body: replaced(replaced(await bed.request(), 0, header), 2, "AA") };
    },
  },
  {
    name: "a request signed with HS256 and the public key as the secret",
    rule: "R-040",
    make: async (bed) => {
      const header = part(JSON.stringify({ alg: "HS256", kid: bed.kid }));
      const payload = (await bed.request()).split(".")[1];
      const mac = createHmac("sha256", bed.keys.signing.publicKeyPem);
      const signature = mac.update(`${header}.${payload}`).digest("base64url");
      return { body: `${header}.${payload}.${signature}` };
    },
  },
  signedWith("a request with an unknown kid", "R-041", async () => ({ header: { kid: "nobody" } })),
  signedWith("a request without a kid", "R-041", async () => ({ header: { kid: undefined } })),
  signedWith("a request with a kid that is a number", "R-041", async () => ({
    header: { kid: 7 },
  })),
  signedWith("a request with crit", "R-040", async () => ({ header: { b64: true } })),
  signedWith("a request signed with another key", "R-042", async ({ keys }) => ({
    key: keys.other,
  })),
  signedWith("a request whose header brings its own key", "R-042", async ({ keys, jwk }) => ({
    header: { jwk },
    key: keys.other,
  })),
  signedWith("a request whose header names the address of its key", "R-041", async ({ keys }) => ({
    header: { jku: "https://evil.example/keys.jwks", x5u: "https://evil.example", kid: "evil" },
    key: keys.other,
  })),
  raw("a changed signature", "R-042", (jws) => replaced(jws, 2, part("x".repeat(256)))),
  raw("a short signature", "R-042", (jws) => replaced(jws, 2, part("x"))),
  {
    name: "a payload that was changed after signing",
    rule: "R-042",
    make: async (bed) => {
      const payload = part(JSON.stringify(await bed.claims({ scope: "openid payments" })));
      return { body: replaced(await bed.request(), 1, payload) };
    },
  },
];
