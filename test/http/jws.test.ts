import assert from "node:assert/strict";
import { createHash, createPublicKey } from "node:crypto";
import { before, test } from "node:test";
import { parseName } from "#src/certificates/distinguished-name.ts";
import { ApiError } from "#src/http/api-error.ts";
import { type SignatureExpectation, verifyDetached } from "#src/http/signature/jws.ts";
import { jwsClaims } from "#src/http/signature/message-signer.ts";
import { joseHeader, makeKeyPair, sign, type Tpp } from "./fake-bank.ts";

const body = '{"Data":{"Amount":"10.00"}}';
const bytes = Buffer.from(body);
const now = Math.floor(Date.now() / 1000);
const { issuedAt, issuer, trustAnchor } = jwsClaims;

let tpp: Tpp;
let expectation: SignatureExpectation;
let keysAsked = 0;

before(async () => {
  const { key, jwk } = await makeKeyPair("tpp-key");
  tpp = { clientId: "tpp", organisationId: "org", softwareId: "soft", key };
  const keys = new Map([["tpp-key", createPublicKey({ key: jwk, format: "jwk" })]]);
  expectation = {
    organisationId: "org",
    softwareId: "soft",
    certificateSubject: parseName("C=GB,O=A Company\\, Ltd,OU=org,CN=soft"),
    trustAnchors: ["openbanking.org.uk", "openbankingtest.org.uk"],
    bankTime: now,
    realTime: now,
    loadKeys: async () => {
      keysAsked += 1;
      return keys;
    },
  };
});

async function faultsOf(
  header: string | string[] | undefined,
  raw: Uint8Array = bytes,
  change: Partial<SignatureExpectation> = {},
): Promise<string[]> {
  try {
    await verifyDetached(header, raw, { ...expectation, ...change });
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, 400);
    return error.faults.map(({ code, path }) => `${code} ${path}`);
  }
}

// Signs any header, even one that jose itself would refuse. Text is used as it is.
async function signRaw(header: object | string, payload: Uint8Array = bytes): Promise<string> {
  const text = typeof header === "string" ? header : JSON.stringify(header);
  const protectedHeader = Buffer.from(text).toString("base64url");
  const input = Buffer.from(`${protectedHeader}.${Buffer.from(payload).toString("base64url")}`);
  const algorithm = { name: "RSA-PSS", saltLength: 32 };
  const signature = await crypto.subtle.sign(algorithm, tpp.key, input);
  return `${protectedHeader}..${Buffer.from(signature).toString("base64url")}`;
}

const altered = (change: Record<string, unknown>): Promise<string> =>
  signRaw(joseHeader(tpp, change));

test("P-041: a signature over the bytes as sent is valid, whatever their spacing", async () => {
  assert.deepEqual(await faultsOf(await sign(tpp, body)), []);
  const spaced = Buffer.from('{ "Data" :\n{"Amount":"10.00"} }');
  assert.deepEqual(await faultsOf(await sign(tpp, spaced), spaced), []);
  assert.deepEqual(await faultsOf(await sign(tpp, new Uint8Array()), new Uint8Array()), []);
});

test("optional members, crit in any order and the test trust anchor are accepted", async () => {
  for (const change of [
    { typ: "JOSE" },
    { cty: "json" },
    { cty: "application/json" },
    { crit: Object.values(jwsClaims).reverse() },
    { [trustAnchor]: "openbankingtest.org.uk" },
    { [issuedAt]: now + 29 },
    { [issuedAt]: now - 0.5 },
  ]) {
    assert.deepEqual(await faultsOf(await altered(change)), [], JSON.stringify(change));
  }
});

test("iss may be the certificate's subject instead of the ids, in either order and notation", async () => {
  for (const iss of [
    "CN=soft,OU=org,O=A Company\\, Ltd,C=GB",
    "C=GB, O=A Company\\, Ltd, OU=org, CN=soft",
    "2.5.4.3=soft,2.5.4.11=org,2.5.4.10=A Company\\, Ltd,2.5.4.6=GB",
  ]) {
    const header = await altered({ [issuer]: iss });
    assert.deepEqual(await faultsOf(header), []);
    const spaced = { certificateSubject: parseName('C=GB, O="A Company, Ltd", OU=org, CN=soft') };
    assert.deepEqual(await faultsOf(header, bytes, spaced), []);
    const without = await faultsOf(header, bytes, { certificateSubject: null });
    assert.deepEqual(without, [`U016 ${issuer}`]);
  }
});

test("P-033: a header with the same member twice is U018, even if its signature is valid", async () => {
  const members = JSON.stringify(joseHeader(tpp, {})).slice(1, -1);
  assert.deepEqual(await faultsOf(await signRaw(`{${members}}`)), []);
  const { kid, crit } = joseHeader(tpp, {}) as { kid: string; crit: string[] };
  for (const twice of [
    `"alg":"none",${members}`,
    `${members},"alg":"PS256"`,
    `"kid":"another",${members}`,
    `${members},"k\\u0069d":${JSON.stringify(kid)}`,
    `"crit":[],${members}`,
    `${members},"crit":${JSON.stringify(crit)}`,
    `"${issuer}":"another/tpp",${members}`,
    `"b64":false,${members},"b64":true`,
  ]) {
    const header = await signRaw(`{${twice}}`);
    assert.deepEqual(await faultsOf(header), ["U018 x-jws-signature"], twice);
  }
});

test("a crit with the same claim twice is U016", async () => {
  const names = Object.values(jwsClaims);
  const [first = ""] = names;
  for (const crit of [
    [...names, first],
    [...names.slice(1), names[1]],
    [first, first, first],
  ]) {
    assert.deepEqual(await faultsOf(await altered({ crit })), ["U016 crit"], crit.join());
  }
});

test("P-031: a missing signature header is U019", async () => {
  assert.deepEqual(await faultsOf(undefined), ["U019 x-jws-signature"]);
});

test("P-032, P-033: a signature that is not a detached JWS is U018", async () => {
  const [head, , tail] = (await sign(tpp, body)).split(".");
  for (const header of [
    "",
    "rubbish",
    `${head}.${tail}`,
    `${head}.e30.${tail}`,
    `${head}..`,
    `..${tail}`,
    `${head}..${tail}.x`,
    `${head}..${tail}=`,
    `e+A..${tail}`,
    `${Buffer.from("[]").toString("base64url")}..${tail}`,
    `${Buffer.from("{").toString("base64url")}..${tail}`,
    [`${head}..${tail}`, `${head}..${tail}`],
  ]) {
    assert.deepEqual(await faultsOf(header), ["U018 x-jws-signature"], String(header));
  }
});

test("P-034: each missing member of the JWS header is U017, even if the signature is invalid", async () => {
  for (const name of ["alg", "kid", issuedAt, issuer, trustAnchor, "crit"]) {
    const header = await signRaw(joseHeader(tpp, { [name]: undefined }), new Uint8Array());
    assert.deepEqual(await faultsOf(header), [`U017 ${name}`]);
  }
  const header = await altered({ kid: null, [issuer]: undefined });
  assert.deepEqual(await faultsOf(header), ["U017 kid", `U017 ${issuer}`]);
});

test("P-035, P-038, P-039: each wrong member of the JWS header is U016 with its name, even if the signature is invalid", async () => {
  const three = Object.values(jwsClaims);
  const table: [string, unknown[]][] = [
    ["alg", ["RS256", "none", "HS256", "ES256", "ps256", 1]],
    ["kid", [1, {}]],
    [issuedAt, [now + 31, now * 1000, String(now), now - 25 * 3600]],
    [issuer, ["org", "soft", "org/other", "org/soft/", "", 1, "CN=other"]],
    [trustAnchor, ["example.com", "", 1]],
    ["crit", [[], three.slice(1), [...three, "b64"], three[0], [three[0], three[0], three[1]]]],
    ["typ", ["JWT", "jose", 1]],
    ["cty", ["text/plain", 1]],
    ["b64", [false, true]],
    ["x5c", [[]]],
    ["jwk", [{}]],
    ["__proto__x", [1]],
    ["constructor", [1]],
  ];
  keysAsked = 0;
  for (const [name, values] of table) {
    for (const value of values) {
      assert.deepEqual(await faultsOf(await altered({ [name]: value })), [`U016 ${name}`]);
    }
  }
  // the keys show whether the kid is another client's, as the issuer is
  const issuers = new Map(table).get(issuer);
  assert.equal(keysAsked, issuers?.length);
  const several = await altered({ alg: "none", typ: "JWT" });
  assert.deepEqual((await faultsOf(several)).sort(), ["U016 alg", "U016 typ"]);
  const another = await altered({ [issuer]: "org/other", kid: "other-key" });
  assert.deepEqual((await faultsOf(another)).sort(), [`U016 ${issuer}`, "U016 kid"].sort());
  const typed = await altered({ [issuer]: "org/other", typ: "JWT", kid: "other-key" });
  assert.deepEqual((await faultsOf(typed)).sort(), [`U016 ${issuer}`, "U016 typ"].sort());
});

test("P-036: an unknown key id is U016", async () => {
  assert.deepEqual(await faultsOf(await altered({ kid: "other" })), ["U016 kid"]);
});

test("P-037: a signature may be dated up to the bank's clock or the real clock, whichever is later", async () => {
  const ahead = { bankTime: now + 40 * 86_400 };
  assert.deepEqual(await faultsOf(await altered({ [issuedAt]: now }), bytes, ahead), []);
  const later = await altered({ [issuedAt]: now + 40 * 86_400 });
  assert.deepEqual(await faultsOf(later, bytes, ahead), []);
  assert.deepEqual(await faultsOf(later), [`U016 ${issuedAt}`]);
});

test("P-040: a body with one byte more, less or different is U015", async () => {
  const header = await sign(tpp, body);
  for (const other of [`${body} `, body.slice(0, -1), body.replace("10.00", "10.01"), ""]) {
    assert.deepEqual(await faultsOf(header, Buffer.from(other)), ["U015 x-jws-signature"]);
  }
  const [head] = header.split(".");
  assert.deepEqual(await faultsOf(`${head}..AAAA`), ["U015 x-jws-signature"]);
  const stranger = { ...tpp, key: (await makeKeyPair("tpp-key")).key };
  assert.deepEqual(await faultsOf(await sign(stranger, body)), ["U015 x-jws-signature"]);
});

async function messageOf(header: string, raw: Uint8Array = bytes): Promise<string> {
  return verifyDetached(header, raw, expectation).then(
    () => "accepted",
    (error: ApiError) => error.faults.map(({ message }) => message).join(),
  );
}

test("P-040: a signature by another key of the client names this key", async () => {
  const other = await makeKeyPair("other-key");
  const header = await sign({ ...tpp, key: other.key }, body);
  assert.match(await messageOf(header), /^The signature does not match the body/);
  const keys = new Map(await expectation.loadKeys("tpp-key"));
  keys.set("other-key", createPublicKey({ key: other.jwk, format: "jwk" }));
  const before = expectation.loadKeys;
  expectation.loadKeys = async () => keys;
  assert.match(await messageOf(header), /made with your key other-key, but kid names tpp-key/);
  const strange = await sign({ ...tpp, key: (await makeKeyPair("tpp-key")).key }, body);
  assert.match(await messageOf(strange), /none of your 2 keys has signed it/);
  expectation.loadKeys = before;
});

test("P-040: the refusal of a body that was serialised again says so", async () => {
  const header = await sign(tpp, body);
  const indented = JSON.stringify(JSON.parse(body), null, 2);
  for (const sent of [indented, `${body}\n`, body.replace(":", ": ")]) {
    assert.match(
      await messageOf(header, Buffer.from(sent)),
      /serialised again after it was signed/,
    );
  }
  const otherAmount = Buffer.from(body.replace("10.00", "11.00"));
  const hash = createHash("sha256").update(otherAmount).digest("hex");
  const changed = await messageOf(header, otherAmount);
  assert.ok(changed.includes(`The bank received 27 bytes with the SHA-256 ${hash}`), changed);
  const python = await sign(tpp, body.replaceAll(":", ": "));
  assert.match(await messageOf(python), /with a space after commas and colons, as Python/);
  assert.match(await messageOf(await sign(tpp, indented)), /body indented by two spaces/);
  const deep = Buffer.from("[".repeat(60_000) + "]".repeat(60_000));
  assert.match(await messageOf(header, deep), /sign the exact bytes/);
});

test("P-036, P-037: an unknown kid lists the known ones, and a time in milliseconds is named", async () => {
  assert.match(await messageOf(await altered({ kid: "other" })), /the bank knows tpp-key/);
  const late = await messageOf(await altered({ [issuedAt]: now * 1000 }));
  assert.match(late, /seconds, not milliseconds/);
});
