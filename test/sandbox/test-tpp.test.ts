import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { type Call, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";

const operations = listOperations(paymentKinds);
let received: IncomingHttpHeaders;
let server: Server;
let client: TppClient;
before(async () => {
  server = createServer((request, response) => {
    received = request.headers;
    request.resume().on("end", () => response.end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const publicUrl = `http://127.0.0.1:${port}`;
  const bank = { publicUrl, mtlsUrl: publicUrl, operations };
  const { privateKeyPem } = await generateRsaKey();
  client = new TppClient(bank, {
    clientId: "tpp",
    organisationId: "organisation",
    softwareId: "software",
    redirectUris: [],
    tokenEndpointAuthMethod: "private_key_jwt",
    certificateBound: false,
    signing: { kid: "kid", privateKeyPem },
    transport: { privateKeyPem: "", certificatePem: "" },
    caPem: "",
  });
});
after(() => {
  client?.close();
  server?.close();
});

/** Sends a body. Returns whether it was signed, and its idempotency key. */
async function send(call: Call): Promise<{ signed: boolean; key: string | undefined }> {
  await client.call({ body: {}, ...call });
  const { "x-jws-signature": signature, "x-idempotency-key": key } = received;
  return { signed: signature !== undefined, key: key?.toString() };
}

test("the test TPP sends a signature and an idempotency key if the operation requires them", async () => {
  for (const { api, method, path: template, signed, idempotent } of operations) {
    const path = client.base + api.basePath + template.replaceAll(/:\w+/g, "any");
    for (const at of [path, `${path}/`, `${path}?of=${encodeURIComponent("/pisp/x")}`]) {
      const sent = await send({ method, path: at });
      assert.equal(sent.signed, signed === true, `${method} ${at}`);
      assert.equal(sent.key !== undefined, idempotent, `${method} ${at}`);
    }
  }
});

test("the test TPP sends no signature and no idempotency key to a path without an operation", async () => {
  for (const path of ["/v4.0/pisp/none", "/v9.9/pisp/domestic-payments", "/v4.0/pisp/%E0%A4%A"]) {
    assert.deepEqual(await send({ path }), { signed: false, key: undefined }, path);
  }
});

test("a caller of the test TPP can send or leave out a signature and an idempotency key", async () => {
  for (const path of ["/v4.0/pisp/domestic-payments", "/v4.0/pisp/none"]) {
    const both = await send({ path, signed: true, idempotencyKey: "mine" });
    assert.deepEqual(both, { signed: true, key: "mine" }, path);
    const neither = await send({ path, signed: false, idempotencyKey: null });
    assert.deepEqual(neither, { signed: false, key: undefined }, path);
  }
});
