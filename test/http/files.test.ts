import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { LightMyRequestResponse } from "fastify";
import { createLocalJWKSet, flattenedVerify } from "jose";
import { sha256 } from "#src/lib/hash.ts";
import { assertFault, bearer, type Caller, openCaller, things } from "./caller.ts";
import { sign } from "./fake-bank.ts";
import { fileLimitBytes } from "./fake-operations.ts";

let caller: Caller;
before(async () => {
  caller = await openCaller();
});
after(() => caller?.bank.close());

async function upload(
  bytes: Buffer,
  change: Record<string, string> = {},
  path = "/files/1",
): Promise<LightMyRequestResponse> {
  caller.bank.journal.file = { bytes: Buffer.alloc(0), sha256: null };
  const headers = bearer(caller.payToken, {
    "content-type": "text/xml",
    "x-idempotency-key": "key-1",
    "x-jws-signature": await sign(caller.bank.tpp, bytes),
    ...change,
  });
  return caller.call("POST", things + path, headers, bytes);
}

const read = (size: number, accept?: string): Promise<LightMyRequestResponse> =>
  caller.call(
    "GET",
    `${things}/files/${size}`,
    bearer(caller.payToken, accept === undefined ? {} : { accept }),
  );

for (const size of [1, 2, 3, 65_536, 150_001]) {
  test(`the handler gets the exact bytes of a file of ${size} bytes, and its signature is verified`, async () => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 31) % 256));
    const answer = await upload(bytes);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body, "");
    assert.equal(answer.headers["x-jws-signature"], undefined);
    assert.deepEqual(caller.bank.journal.file.bytes, bytes);
    assert.equal(caller.bank.journal.file.sha256, sha256(bytes));
  });
}

test("P-200: a media type that the operation does not accept is 415", async () => {
  for (const type of ["application/xml", "text/xml; charset=utf-16"]) {
    const wrong = await upload(Buffer.from("a"), { "content-type": type });
    assertFault(wrong, 415, "U006", "Content-Type");
  }
  const right = await upload(Buffer.from("a"), { "content-type": "text/xml; charset=UTF-8" });
  assert.equal(right.statusCode, 200);
});

test("P-201: a file without a valid signature is refused unread", async () => {
  const headers = { "x-jws-signature": "nonsense" };
  assertFault(await upload(Buffer.from("abc"), headers), 400, "U018", "x-jws-signature");
  assert.equal(caller.bank.journal.file.bytes.length, 0);
});

test("P-040: a file altered by one byte is U015, and the upload does not complete", async () => {
  const signature = await sign(caller.bank.tpp, Buffer.from("abcd"));
  const answer = await upload(Buffer.from("abce"), { "x-jws-signature": signature });
  assertFault(answer, 400, "U015", "x-jws-signature");
  assert.equal(caller.bank.journal.file.sha256, null);
});

test("a fault of the signature is reported before a fault that the handler found", async () => {
  const signature = await sign(caller.bank.tpp, Buffer.from("other"));
  for (const path of ["/files/bad", "/files/unknown"]) {
    const wrong = await upload(Buffer.alloc(150_000, 66), { "x-jws-signature": signature }, path);
    assertFault(wrong, 400, "U015", "x-jws-signature");
  }
  assertFault(await upload(Buffer.from("x"), {}, "/files/bad"), 400, "FF01", undefined);
  assertFault(await upload(Buffer.from("x"), {}, "/files/unknown"), 400, "U011", "FileId");
});

test("P-039: cty may name only the file's media type", async () => {
  const bytes = Buffer.from("abc");
  const { tpp } = caller.bank;
  const wrong = { "x-jws-signature": await sign(tpp, bytes, { cty: "application/json" }) };
  assertFault(await upload(bytes, wrong), 400, "U016", "cty");
  // the header was changed after signing, so its claims are correct but the signature is not
  const right = { "x-jws-signature": await sign(tpp, bytes, { cty: "text/xml" }) };
  assertFault(await upload(bytes, right), 400, "U015", "x-jws-signature");
});

test("P-205: an empty file is U010", async () => {
  assertFault(await upload(Buffer.alloc(0)), 400, "U010", undefined);
});

test("P-206: a file above its limit is 413, with or without Content-Length", async () => {
  const bytes = Buffer.alloc(fileLimitBytes + 1, 65);
  const answer = await upload(bytes);
  assertFault(answer, 413, "U010", undefined);
  assert.equal((await upload(bytes.subarray(1))).statusCode, 200);

  const { app } = caller.bank;
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const headers = bearer(caller.payToken, {
    "content-type": "text/xml",
    "x-idempotency-key": "key-1",
    "x-jws-signature": await sign(caller.bank.tpp, bytes),
    "transfer-encoding": "chunked",
  });
  const status = await new Promise((resolve, reject) => {
    const sent = httpRequest({ port, path: `${things}/files/1`, method: "POST", headers });
    sent.on("response", (response) => resolve(response.resume().statusCode));
    sent.on("error", reject);
    sent.end(bytes);
  });
  assert.equal(status, 413);
});

for (const size of [0, 5, 1_300_000, 2_500_001]) {
  test(`a file of ${size} bytes is returned whole, in its media type, and signed`, async () => {
    const answer = await read(size);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers["content-type"], "text/xml; charset=utf-8");
    assert.equal(answer.headers["content-length"], String(size));
    assert.ok(answer.rawPayload.equals(Buffer.alloc(size, 65)));
    const [head = "", , signature = ""] = String(answer.headers["x-jws-signature"]).split(".");
    const jws = { protected: head, payload: answer.rawPayload.toString("base64url"), signature };
    const { protectedHeader } = await flattenedVerify(
      jws,
      createLocalJWKSet({ keys: [caller.bank.bankJwk] }),
      {
        crit: {
          "http://openbanking.org.uk/iat": true,
          "http://openbanking.org.uk/iss": true,
          "http://openbanking.org.uk/tan": true,
        },
      },
    );
    assert.equal(protectedHeader?.cty, "text/xml");
  });
}

test("P-211: a file that Accept excludes is 406", async () => {
  for (const accept of ["text/html", "application/json", "text/xml;q=0", "application/*"]) {
    assertFault(await read(5, accept), 406, "U006", "Accept");
  }
  for (const accept of ["text/xml", "text/*", "*/*", "application/json, */*;q=0.1"]) {
    assert.equal((await read(5, accept)).statusCode, 200, accept);
  }
});

test("a file that cannot be produced is 500, and none of it is sent", async () => {
  assertFault(await read(-1), 500, "U000", undefined);
});
