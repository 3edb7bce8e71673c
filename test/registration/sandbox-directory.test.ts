import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { profileIds, securityProfileNamed } from "#src/clients/security-profile.ts";
import { generateEcKey, generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { ageKeys, readRegistration, registeredAt } from "#test/clients/stored-settings.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { directoryKey } from "#test/sandbox/stored-marks.ts";
import { runCommand } from "#test/server/run-command.ts";
import { openOtherProcess } from "./other-process.ts";
import { requestOf } from "./request-claims.ts";

let bank: TestBank;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-practice-"));
  bank = await openBank({ REGISTRATION_PER_MINUTE: 0 });
});
after(async () => {
  await bank?.close();
  rmSync(folder, { recursive: true, force: true });
});

const byJwt = { tokenEndpointAuthMethod: "private_key_jwt" };

const run = (line: string) => {
  const port = (url: string): string => new URL(url).port;
  return runCommand(line, {
    PUBLIC_PORT: port(bank.publicUrl),
    MTLS_PORT: port(bank.mtlsUrl),
  });
};

test("R-161, R-165: the command tpp register runs the real registration, and the TPP gets a token", async () => {
  for (const method of ["tls_client_auth", "private_key_jwt"]) {
    const path = join(folder, method);
    const { code, printed, complained } = await run(
      `tpp register ${path} --name Practice --roles AISP --auth ${method}`,
    );
    assert.equal(code, 0, complained);
    assert.match(printed, /^Registered Practice as tpp-/);
    const tpp = JSON.parse(readFileSync(join(path, "tpp.json"), "utf8"));
    const client = new TppClient(bank, tpp);
    try {
      assert.ok(await client.clientToken("accounts"));
    } finally {
      client.close();
    }
  }
});

test("R-162: the command tpp lint lists every rule that a request breaks, and registers nothing", async () => {
  const path = join(folder, "linted");
  assert.equal((await run(`tpp register ${path}`)).code, 0);
  const clients = async (): Promise<number> =>
    (await bank.control<{ clients: object[] }>("GET", "/clients")).clients.length;
  const before = await clients();
  const good = await run(`tpp lint ${path}/request.jws --certificate ${path}/transport.pem`);
  assert.equal(good.code, 0, good.printed);
  assert.equal(good.printed, "The request breaks no rule.");
  const other = await run(`tpp lint ${path}/request.jws --certificate ${path}/ca.pem`);
  assert.equal(other.code, 1);
  assert.match(other.printed, /^R-087 .*\nR-053 /);
  const statement = await run(`tpp lint ${path}/statement.jwt`);
  assert.match(statement.printed, /^R-060 {2}invalid_software_statement: /);
  assert.equal(await clients(), before);
});

for (const profile of profileIds) {
  const { title } = securityProfileNamed(profile);
  test(`S-001, R-166: the commands tpp register and clients add register a TPP for each profile, and clients show displays it (${title})`, async () => {
    const path = join(folder, profile);
    const made = await run(`tpp register ${path} --roles AISP --profile ${profile}`);
    assert.equal(made.code, 0, made.complained);
    const own = /Registered My TPP as (tpp-\w+)/.exec(made.printed)?.[1] ?? "";
    const lint = await run(`tpp lint ${path}/request.jws --certificate ${path}/transport.pem`);
    assert.equal(lint.code, 0, lint.printed);
    const added = await run(
      `clients add ${path}/statement.jwt --certificate ${path}/transport.pem --profile ${profile}`,
    );
    assert.equal(added.code, 0, added.complained);
    const byBank = /Registered the client (tpp-\w+)\./.exec(added.printed)?.[1] ?? "";
    for (const id of [own, byBank]) {
      const shown = await run(`clients show ${id}`);
      assert.match(shown.printed, new RegExp(`^profile +${title}$`, "m"));
    }
    const tpp = JSON.parse(readFileSync(join(path, "tpp.json"), "utf8"));
    for (const given of [{ clientId: own }, { clientId: byBank, ...byJwt }]) {
      const client = new TppClient(bank, { ...tpp, ...given });
      try {
        const consentId = await lodgeAccess(client);
        await bank.approve(client, { scope: "accounts", consentId, customer: "amara" });
      } finally {
        client.close();
      }
    }
  });
}

test("S-001: the commands refuse an unknown profile, and list the known ones", async () => {
  for (const line of [
    `tpp register ${folder}/x --profile fapi3`,
    `tpp create --out ${folder}/x --profile fapi3`,
    "clients add x --certificate y --profile fapi3",
    "demo --profile fapi3",
  ]) {
    const refused = await run(line);
    assert.equal(refused.code, 2, line);
    assert.match(
      refused.complained,
      /--profile must be one of fapi1, fapi2, fapi2-message-signing/,
    );
  }
});

test("R-155, R-163, R-166: the commands of `clients` (add, list, show, check, suspend, restore and remove) use the same record", async () => {
  const path = join(folder, "manual");
  assert.equal((await run(`tpp register ${path} --roles AISP,PISP`)).code, 0);
  const added = await run(
    `clients add ${path}/statement.jwt --certificate ${path}/transport.pem --auth tls_client_auth`,
  );
  assert.equal(added.code, 0, added.complained);
  const id = /Registered the client (tpp-\w+)\./.exec(added.printed)?.[1] ?? "";
  const tpp = { ...JSON.parse(readFileSync(join(path, "tpp.json"), "utf8")), clientId: id };
  const client = new TppClient(bank, tpp);
  try {
    assert.ok(await client.clientToken("payments"));
    assert.match(
      (await run("clients list")).printed,
      new RegExp(`^${id} {2}active {2}My TPP`, "m"),
    );
    const shown = await run(`clients show ${id}`);
    assert.match(shown.printed, /scope +openid accounts payments\n/);
    assert.match(shown.printed, /attempt +\S+ manual 201/);
    const checked = await run(`clients check ${id}`);
    assert.equal(checked.code, 0, checked.complained);
    assert.match(checked.printed, /^status +active\nchecked +20\S+$/);
    assert.equal((await run(`clients suspend ${id}`)).code, 0);
    await assert.rejects(client.clientToken("payments"), /invalid_client/);
    const { printed } = await run(`clients show ${id}`);
    assert.match(printed, /^status +suspended by the bank$/m);
    assert.match(printed, /^change +\S+ bank status: "active" -> "suspended"$/m);
    assert.equal((await run(`clients restore ${id}`)).code, 0);
    assert.ok(await client.clientToken("payments"));
    assert.equal((await run(`clients remove ${id}`)).code, 0);
    await assert.rejects(client.clientToken("payments"), /invalid_client/);
    const again = await run(`clients restore ${id}`);
    assert.equal(again.code, 1);
    assert.match(again.complained, /is removed, so it cannot be changed/);
  } finally {
    client.close();
  }
});

test("R-105, R-122, R-165: the directory withdraws an organisation and revokes a key", async () => {
  const path = join(folder, "withdrawn");
  assert.equal((await run(`tpp register ${path}`)).code, 0);
  const tpp = JSON.parse(readFileSync(join(path, "tpp.json"), "utf8"));
  const at = `/directory/software/${tpp.softwareId}`;
  await bank.control("PUT", at, { organisationStatus: "Withdrawn" });
  const { statement } = await bank.control<{ statement: string }>("POST", `${at}/statements`, {});
  const claims = JSON.parse(Buffer.from(statement.split(".")[1] ?? "", "base64url").toString());
  assert.equal(claims.org_status, "Withdrawn");
  const revoked = await bank.control<{ keys: { kid: string; isRevoked: boolean }[] }>(
    "POST",
    `${at}/keys/${tpp.signing.kid}/revocation`,
    {},
  );
  assert.ok(revoked.keys.some(({ kid, isRevoked }) => kid === tpp.signing.kid && isRevoked));
  const keysAt = async (url: string): Promise<string[]> => {
    const answer = await fetch(url);
    assert.equal(answer.headers.get("content-type"), "application/jwk-set+json");
    return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  assert.deepEqual(await keysAt(claims.software_jwks_revoked_endpoint), [tpp.signing.kid]);
  assert.ok(!(await keysAt(claims.software_jwks_endpoint)).includes(tpp.signing.kid));
});

test("R-013, R-133: a TPP that is created in one call can read its registration", async () => {
  const client = await bank.createTpp({ redirectUris: ["https://tpp.example/callback"] });
  const token = await client.clientToken("accounts");
  const url = `${bank.mtlsUrl}/register/${client.tpp.clientId}`;
  const answer = await client.send(url, "GET", undefined, { authorization: `Bearer ${token}` });
  assert.equal(answer.status, 200, answer.raw.toString());
  assert.partialDeepStrictEqual(answer.body, {
    client_id: client.tpp.clientId,
    software_id: client.tpp.softwareId,
    redirect_uris: ["https://tpp.example/callback"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "PS256",
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
    software_client_name: "Test TPP",
  });
});

test("R-166: a TPP that is created in one call has the record that its own registration would have", async () => {
  const client = await bank.createTpp({ redirectUris: ["https://tpp.example/callback"] });
  const { tpp } = client;
  const { clientId, softwareId, organisationId } = tpp;
  const record = (id: string) => readRegistration(bank.database, id);
  const short = await record(clientId);
  assert.partialDeepStrictEqual(short, {
    statement_issuer: "Aldgate Sandbox Directory",
    jwks_uri: `${bank.publicUrl}/directory/${organisationId}/${softwareId}.jwks`,
    revoked_jwks_uri: `${bank.publicUrl}/directory/revoked/${organisationId}/${softwareId}.jwks`,
    due: true,
  });
  const { statement } = await bank.control<{ statement: string }>(
    "POST",
    `/directory/software/${softwareId}/statements`,
    {},
  );
  const body = await requestOf(tpp, { audience: bank.publicUrl, statement });
  const answer = await client.send(`${bank.mtlsUrl}/register`, "POST", Buffer.from(body), {
    "content-type": "application/jose",
  });
  expectStatus(answer, 201);
  assert.deepEqual(await record((answer.body as { client_id: string }).client_id), short);
});

test("R-121, R-122, R-166: a TPP that is created in one call can rotate and revoke keys in the directory", async () => {
  const { tpp } = await bank.createTpp();
  const at = `/directory/software/${tpp.softwareId}`;
  const rotated = await generateRsaKey();
  const { kid } = await bank.control<{ kid: string }>("POST", `${at}/keys`, {
    use: "signing",
    publicKeyPem: rotated.publicKeyPem,
  });
  const client = new TppClient(bank, {
    ...tpp,
    signing: { kid, privateKeyPem: rotated.privateKeyPem },
  });
  try {
    assert.ok(await client.clientToken("accounts"));
    await bank.control("POST", `${at}/keys/${kid}/revocation`, {});
    await ageKeys(bank.database, tpp.softwareId);
    await openOtherProcess(bank).sweep();
    await assert.rejects(client.clientToken("accounts"), /invalid_client/);
  } finally {
    client.close();
  }
});

test("R-165: the directory has the software of a TPP that is created in one call, with its keys, status and statements", async () => {
  const { tpp } = await bank.createTpp({ redirectUris: ["https://tpp.example/callback"] });
  const at = `/directory/software/${tpp.softwareId}`;
  assert.deepEqual(await bank.control("PUT", at, { organisationStatus: "Withdrawn" }), {
    organisationId: tpp.organisationId,
    softwareId: tpp.softwareId,
    name: "Test TPP",
    onBehalfOf: null,
    roles: [...tppRoles],
    redirectUris: tpp.redirectUris,
    organisationStatus: "Withdrawn",
    softwareStatus: "Active",
    keys: [{ kid: tpp.signing.kid, use: "signing", isRevoked: false }],
  });
  const { statement } = await bank.control<{ statement: string }>("POST", `${at}/statements`, {});
  const claims = JSON.parse(Buffer.from(statement.split(".")[1] ?? "", "base64url").toString());
  assert.equal(claims.org_status, "Withdrawn");
  const keysAt = async (url: string): Promise<string[]> =>
    ((await (await fetch(url)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  assert.deepEqual(await keysAt(claims.software_jwks_endpoint), [tpp.signing.kid]);
  await bank.control("POST", `${at}/keys/${tpp.signing.kid}/revocation`, {});
  assert.deepEqual(await keysAt(claims.software_jwks_endpoint), []);
  assert.deepEqual(await keysAt(claims.software_jwks_revoked_endpoint), [tpp.signing.kid]);
});

test("R-040, R-165: the directory takes EC keys if clients may sign with ES256", async () => {
  const { publicKeyPem } = await generateEcKey();
  const body = { use: "signing", publicKeyPem };
  const enter = async (on: TestBank): Promise<string> => {
    const { tpp } = await on.createTpp();
    return `/directory/software/${tpp.softwareId}/keys`;
  };
  await assert.rejects(
    bank.control("POST", await enter(bank), body),
    /publicKeyPem: an RSA public key of at least 2048 bits as PEM text/,
  );
  const modern = await openBank({ REGISTRATION_ES256: true });
  try {
    const at = await enter(modern);
    const { kid } = await modern.control<{ kid: string }>("POST", at, body);
    assert.partialDeepStrictEqual(await directoryKey(modern.database, kid), {
      kty: "EC",
      alg: "ES256",
    });
  } finally {
    await modern.close();
  }
});

test("R-049: a TPP of the sandbox may register a redirect URI on its own machine, and customers return to it", async () => {
  for (const [name, uri] of [
    ["http", "http://localhost:9876/callback"],
    ["address", "http://127.0.0.1:9876/callback"],
    ["https", "https://localhost:9876/callback"],
  ] as const) {
    const path = join(folder, `local-${name}`);
    const { code, complained } = await run(`tpp register ${path} --redirect ${uri}`);
    assert.equal(code, 0, complained);
    const client = new TppClient(bank, JSON.parse(readFileSync(join(path, "tpp.json"), "utf8")));
    try {
      const consentId = await lodgeAccess(client);
      const authorizationUrl = await client.authorizationUrl({ scope: "accounts", consentId });
      const { redirectUrl: back } = await bank.decide({
        authorizationUrl,
        customer: "amara",
        decision: "approve",
      });
      assert.ok(back.startsWith(`${uri}#`), back);
    } finally {
      client.close();
    }
  }
  const elsewhere = await run(`tpp register ${join(folder, "lan")} --redirect http://192.0.2.1/cb`);
  assert.equal(elsewhere.code, 1);
});

test("R-161: clients are listed with the bank's time, whichever way they were registered", async () => {
  const far = await openBank();
  try {
    await far.advance("P40D");
    const { tpp } = await far.createTpp();
    const at = await registeredAt(far.database, tpp.clientId);
    const { now } = await far.control<{ now: string }>("GET", "/clock");
    const age = Temporal.Instant.from(now).since(at);
    assert.ok(age.total("hours") < 1, String(age));
  } finally {
    await far.close();
  }
});
