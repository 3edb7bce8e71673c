import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { accountVersions } from "#src/accounts/account-versions.ts";
import { sandboxClient } from "#src/cli/sandbox-client.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { IssuedTpp } from "#src/sandbox/directory/issued-tpp.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { lodge, quickPayee } from "#test/journeys/payments.ts";
import { quietPersonas } from "#test/sandbox/quiet-personas.ts";
import { breakBalance } from "#test/sandbox/stored-ledger.ts";
import { makeProductionFolder } from "#test/server/production-folder.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { makePlace, type Place, type Running, skipReason, startCommand } from "./running-bank.ts";

suite("the command line", { skip: skipReason }, () => {
  let place: Place;
  let bank: Running;
  let work: string;
  before(async () => {
    work = mkdtempSync(join(tmpdir(), "aldgate-work-"));
    place = await makePlace();
    const database = await openPglite({ folder: join(place.folder, "database") });
    await quietPersonas(database);
    await database.close();
    bank = startCommand(["start"], place.environment);
    await bank.untilSaid(/Ctrl-C closes the bank/);
  });
  after(async () => {
    bank?.child.kill("SIGKILL");
    await bank?.ended;
    place?.remove();
    rmSync(work, { recursive: true, force: true });
  });

  const run = (line: string, more: Record<string, string> = {}): Promise<CommandResult> =>
    runCommand(line, { ...place.environment, ...more });

  test("start prints every address and the next step", () => {
    const said = bank.said();
    const { PUBLIC_PORT, MTLS_PORT } = place.environment;
    assert.match(said, new RegExp(`http://localhost:${PUBLIC_PORT}/`));
    assert.match(said, new RegExp(`https://localhost:${MTLS_PORT}/api/open-banking/`));
    assert.match(said, /\.well-known\/openid-configuration/);
    assert.match(said, /amara/);
    assert.match(said, /npm run demo/);
    assert.doesNotMatch(said, /WARNING|Warning|at .*\.ts:\d+/);
  });

  test("a second process on the same folder exits with 1 and names the process that has the folder open", async () => {
    const ports = { PUBLIC_PORT: "0", MTLS_PORT: "0" };
    const { code, complained } = await run("start", ports);
    assert.equal(code, 1);
    assert.ok(complained.includes(`Another Aldgate (process ${bank.child.pid})`), complained);
    assert.ok(complained.includes("ALDGATE_DATA"));
    for (const command of ["seed", "migrate"]) {
      const other = await run(command);
      assert.equal(other.code, 1, command);
      assert.match(other.complained, /Another Aldgate/);
    }
  });

  test("verify checks the database of a running bank, and exits with 0", async () => {
    const { code, printed } = await run("verify");
    assert.equal(code, 0);
    assert.match(printed, /Every invariant holds/);
  });

  test("the files of tpp create work with curl, and only their owner can read the keys", async (t) => {
    const folder = join(work, "mine");
    const made = await runCommand(`tpp create --out ${folder}`, place.environment);
    assert.equal(made.code, 0, made.complained);
    assert.match(made.printed, /curl -K/);
    const versions = accountVersions.map(({ api }) => api.basePath);
    for (const path of versions) assert.ok(made.printed.includes(path), path);
    for (const file of ["tpp.json", "signing.key.pem", "transport.key.pem"]) {
      assert.equal(statSync(join(folder, file)).mode & 0o077, 0, file);
    }
    const kept = readFileSync(join(folder, "signing.key.pem"), "utf8");
    const again = await run(`tpp create --out ${folder}`);
    assert.equal(again.code, 2);
    assert.match(again.complained, /already contains the keys of a TPP\. .*--out.*--force/);
    assert.equal(readFileSync(join(folder, "signing.key.pem"), "utf8"), kept);
    const replaced = await run(`tpp create --out ${folder} --force`);
    assert.equal(replaced.code, 0, replaced.complained);
    assert.notEqual(readFileSync(join(folder, "signing.key.pem"), "utf8"), kept);
    const token = await run(`tpp token ${folder} accounts`);
    assert.equal(token.code, 0, token.complained);
    assert.match(token.printed, /^[\w-]+$/);
    if (spawnSync("curl", ["--version"]).error) {
      t.skip("there is no curl on this machine");
      return;
    }
    const { MTLS_PORT } = place.environment;
    // the printed call, in each version that it names
    for (const path of versions) {
      const { stdout } = await promisify(execFile)("curl", [
        ...["-K", join(folder, "curl.conf"), "-w", "\n%{http_code}"],
        ...["-H", `authorization: Bearer ${token.printed}`],
        ...["-H", "content-type: application/json"],
        ...["-d", /-d '(.*)'/.exec(made.printed)?.[1] ?? ""],
        `https://localhost:${MTLS_PORT}${path}/account-access-consents`,
      ]);
      const [body = "", status] = stdout.split("\n");
      assert.equal(status, "201", stdout);
      const { ConsentId } = (JSON.parse(body) as { Data: { ConsentId: string } }).Data;
      const authorised = await run(`tpp authorise ${folder} ${ConsentId} accounts --token`);
      assert.equal(authorised.code, 0, authorised.complained);
      const read = await promisify(execFile)("curl", [
        ...["-K", join(folder, "curl.conf"), "-H", `authorization: Bearer ${authorised.printed}`],
        `https://localhost:${MTLS_PORT}${path}/accounts`,
      ]);
      assert.ok(JSON.parse(read.stdout).Data.Account.length > 0);
    }
  });

  test("the ready TPPs of the data folder work like a created one", async () => {
    for (const name of ["ready", "explorer"]) {
      const folder = join(place.folder, "keys", "tpps", name);
      const token = await run(`tpp token ${folder} payments`);
      assert.equal(token.code, 0, token.complained);
    }
    const link = await run(
      `tpp authorise ${join(place.folder, "keys", "tpps", "explorer")} some-consent payments --link`,
    );
    assert.ok(link.printed.startsWith(`${place.publicUrl}/auth?`));
    const body = join(work, "body.json");
    writeFileSync(body, '{"Data":{}}');
    const signed = await run(`tpp sign ${join(place.folder, "keys", "tpps", "ready")} ${body}`);
    assert.match(signed.printed, /^[\w-]+\.\.[\w-]+$/);
  });

  test("`tpp authorise` repeats what the bank has said of the payee's name", async () => {
    const folder = join(place.folder, "keys", "tpps", "ready");
    const tpp = JSON.parse(readFileSync(join(folder, "tpp.json"), "utf8")) as IssuedTpp;
    const mtlsUrl = `https://localhost:${place.environment.MTLS_PORT}`;
    const operations = listOperations(paymentKinds);
    const client = new TppClient({ publicUrl: place.publicUrl, mtlsUrl, operations }, tpp);
    const payee = { ...quickPayee, Identification: "00990000000041", Name: "A Hartley" };
    const { consentId } = await lodge(client, { payee });
    client.close();
    const { code, complained } = await run(`tpp authorise ${folder} ${consentId} payments --token`);
    assert.equal(code, 0, complained);
    assert.match(complained, /in the name of Amelia Jane Hartley\. That is close to A Hartley/);
  });

  test("a user's mistake gets a one-sentence message without a stack trace", async () => {
    const explorer = join(place.folder, "keys", "tpps", "explorer");
    // a free port could be in use a moment later
    const closed = { PUBLIC_PORT: "1", MTLS_PORT: "2" };
    const faults: [string, number, RegExp, Record<string, string>?][] = [
      ["tpp create --roles PISP,XISP", 1, /roles/],
      ["tpp create --redirect http://tpp.example/cb", 1, /redirectUris/],
      ["tpp create --auth basic", 2, /authentication method/],
      ["tpp create --nonsense", 2, /nonsense/],
      ["tpp create", 1, /No bank answers at .*npm start/, closed],
      [`tpp token ${explorer} accounts`, 1, /No bank answers/, closed],
      ["tpp token nowhere accounts", 2, /no TPP in nowhere/],
      [`tpp token ${explorer} money`, 2, /scope/],
      [`tpp authorise ${explorer} no-such-consent accounts`, 1, /./],
      [`tpp authorise ${explorer} x accounts --customer nobody`, 1, /nobody/],
      [`tpp sign ${explorer} ${join(work, "missing.json")}`, 1, /missing\.json/],
      ["openapi nothing", 2, /no API/],
      ["demo --kind gift", 2, /domestic-scheduled-payment/],
      ["demo --aisp v2.0", 2, /v3\.1, v4\.0/],
      ["demo --pisp v2.0", 2, /--pisp must be v3\.1 or v4\.0 for domestic-payment/],
      ["demo --kind domestic-vrp --pisp v2.0", 2, /--pisp must be v3\.1 or v4\.0/],
      ["demo --cbpii --kind domestic-payment", 2, /Leave out --kind/],
      ["demo --events --aisp v4.0", 2, /Leave out --kind/],
      ["demo --cbpii --events", 2, /either --cbpii or --events, not both/],
      ["verify", 2, /contains no database/, { ALDGATE_DATA: join(work, "empty") }],
      ["config", 2, /ALDGATE_NONSENSE/, { ALDGATE_NONSENSE: "1" }],
      ["config", 2, /no file/, { ALDGATE_CONFIG: join(work, "none.json") }],
    ];
    for (const [line, code, message, more] of faults) {
      const result = await run(line, more);
      assert.equal(result.code, code, `${line}: ${result.complained}`);
      assert.match(result.complained, message, line);
      assert.doesNotMatch(result.complained, /at .*\.ts:\d+/);
    }
  });

  test("routes lists every operation, and openapi prints what the bank serves", async () => {
    const routes = await run("routes");
    assert.match(routes.printed, /^POST +\/api\/open-banking\/v4\.0\/pisp\/domestic-payments /m);
    assert.match(routes.printed, /^GET +\/api\/open-banking\/v3\.1\/aisp\/accounts /m);
    for (const api of ["pisp-v4.0", "aisp-v3.1", "sandbox-v1", "bank-v1"]) {
      const printed = JSON.parse((await run(`openapi ${api}`)).printed);
      const served = await (await fetch(`${place.publicUrl}/openapi/${api}.json`)).json();
      assert.deepEqual(printed, served, api);
    }
  });

  for (const kind of paymentKinds.map(({ id }) => id)) {
    test(`demo --kind ${kind} succeeds against the running bank`, async () => {
      const { code, printed, complained } = await run(`demo --kind ${kind}`);
      assert.equal(code, 0, `${printed}\n${complained}`);
      assert.ok(printed.includes(`Using the bank at ${place.publicUrl}`));
      assert.match(printed, /Done: the payment settled/);
      const moved = printed.includes("PUT /sandbox/v1/clock");
      assert.equal(/What else fell due .* is in these balances too/s.test(printed), moved);
    });
  }

  for (const { id } of paymentKinds) {
    test(`demo --kind ${id} --pisp v3.1 pays on that version`, async () => {
      const { code, printed, complained } = await run(`demo --kind ${id} --pisp v3.1`);
      assert.equal(code, 0, `${printed}\n${complained}`);
      assert.match(printed, /Status (AcceptedCreditSettlementCompleted|InitiationCompleted)/);
    });
  }

  test("demo --aisp v4.0 reads the account back on that version", async () => {
    const { code, printed, complained } = await run("demo --aisp v4.0");
    assert.equal(code, 0, `${printed}\n${complained}`);
    assert.match(printed, /"AccountId".*"Status":"BOOK"/);
  });

  test("demo --events gets one event at its URL and one by polling", async () => {
    const { code, printed, complained } = await run("demo --events");
    assert.equal(code, 0, complained);
    assert.match(printed, /The event arrives at its callback URL/);
    assert.match(printed, /The event is in the response/);
    assert.match(printed, /there are no more events[\s\S]*"sets":\{\}/);
    assert.match(printed, /Done: the TPP was notified of two withdrawn consents/);
  });

  test("a TPP's folder has the mutual TLS address of the bank, not that of the configuration", async () => {
    const { MTLS_PORT: port, ...environment } = place.environment;
    const folder = join(work, "other-ports");
    const made = await runCommand(`tpp create --out ${folder}`, environment);
    assert.equal(made.code, 0, made.complained);
    assert.match(made.printed, new RegExp(`API=https://localhost:${port}/`));
    const token = await runCommand(`tpp token ${folder} accounts`, environment);
    assert.equal(token.code, 0, token.complained);
    const readyFolder = join(place.folder, "keys", "tpps", "ready");
    const ready = await runCommand(`tpp token ${readyFolder} accounts`, environment);
    assert.equal(ready.code, 0, ready.complained);
    const demo = await runCommand("demo", environment);
    assert.equal(demo.code, 0, `${demo.printed}\n${demo.complained}`);
  });

  test("a command for a TPP of another bank says what to do", async () => {
    const folder = join(work, "foreign");
    assert.equal((await run(`tpp create --out ${folder}`)).code, 0);
    const file = join(folder, "tpp.json");
    const tpp = JSON.parse(readFileSync(file, "utf8")) as IssuedTpp;
    // the root certificate of an unrelated bank
    const other = await makeProductionFolder();
    other.remove();
    const { caPem } = other;
    writeFileSync(file, JSON.stringify({ ...tpp, clientId: "tpp-of-another-bank", caPem }));
    const { code, complained } = await run(`listen ${folder}`);
    assert.equal(code, 1);
    assert.match(complained, /The TPP belongs to another bank.*tpp create --out DIR/s);
    assert.doesNotMatch(complained, /at .*\.ts:\d+/);
  });

  test("tpp create prints a first call that the roles of the TPP allow", async () => {
    const printed = async (roles: string): Promise<string> => {
      const folder = join(work, roles.toLowerCase());
      const made = await run(`tpp create --out ${folder} --roles ${roles}`);
      assert.equal(made.code, 0, made.complained);
      const [, scope] = /TOKEN=\$\(\.\/aldgate tpp token \S+ (\w+)\)/.exec(made.printed) ?? [];
      const token = await run(`tpp token ${folder} ${scope}`);
      assert.equal(token.code, 0, token.complained);
      return made.printed;
    };
    assert.match(await printed("PISP,AISP"), /\$API\/account-access-consents/);
    assert.match(await printed("PISP"), /\/docs lists the calls/);
    assert.match(await printed("CBPII"), /\/v4\.0\/cbpii .*\$API\/funds-confirmation-consents/s);
  });

  test("the demo passes over a customer whose account is blocked", async () => {
    const accountId = "acc-qaukodbe2axxbzy1"; // Amara's, the first
    const listed = await run("customers list --json");
    assert.match(
      listed.printed,
      new RegExp(`"accountId": "${accountId}",[^}]*"status": "Enabled"`),
    );
    assert.equal((await run(`act block ${accountId}`)).code, 0);
    const { code, printed, complained } = await run("demo");
    assert.equal((await run(`act reopen ${accountId}`)).code, 0);
    assert.equal(code, 0, `${printed}\n${complained}`);
    assert.doesNotMatch(printed, /Amara/);
  });

  test("demo --cbpii gets both answers, and none after its consent has ended", async () => {
    const { code, printed, complained } = await run("demo --cbpii");
    assert.equal(code, 0, `${printed}\n${complained}`);
    assert.match(printed, /"FundsAvailable":true.*"FundsAvailable":false.*← 204.*← 401.*Done/s);
  });

  test("a tpp command stores renewed certificates in the TPP's folder", async () => {
    const folder = join(work, "renewed");
    assert.equal((await run(`tpp create --out ${folder}`)).code, 0);
    const files = ["tpp.json", "transport.pem", "signing.pem", "transport.key.pem"];
    const read = () => files.map((file) => readFileSync(join(folder, file), "utf8"));
    const before = read();
    assert.equal((await run(`tpp token ${folder} accounts`)).code, 0);
    assert.deepEqual(read(), before);
    await sandboxClient({ publicUrl: place.publicUrl, mtlsUrl: "" }).advance("P380D");
    const token = await run(`tpp token ${folder} accounts`);
    assert.equal(token.code, 0, token.complained);
    const after = read();
    assert.deepEqual(
      after.map((text, index) => text !== before[index]),
      [true, true, true, false],
    );
    const held = JSON.parse(after[0] ?? "") as IssuedTpp;
    assert.equal(held.transport.certificatePem, after[1]);
    const file = join(folder, "tpp.json");
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.equal((await run(`tpp token ${folder} payments`)).code, 0);
  });

  test("SIGTERM closes the bank cleanly, and verify finds a breach in its folder", async () => {
    bank.child.kill("SIGTERM");
    assert.equal(await bank.ended, 0, bank.said());
    assert.match(bank.said(), /Closing/);
    const holds = await run("verify");
    assert.equal(holds.code, 0, holds.complained);

    const copy = join(work, "copy");
    mkdirSync(copy);
    cpSync(join(place.folder, "database"), join(copy, "database"), { recursive: true });
    const database = await openPglite({ folder: join(copy, "database") });
    await breakBalance(database);
    await database.close();
    const breached = await run("verify", { ALDGATE_DATA: copy });
    assert.equal(breached.code, 1);
    assert.match(breached.complained, /^BREACH {2}.* should be .* and is /m);
  });

  test("seeding twice changes nothing, and every invariant holds after a kill", async () => {
    const migrated = await run("migrate");
    assert.deepEqual([migrated.code, migrated.printed], [0, "The schema is up to date."]);
    for (let turn = 0; turn < 2; turn += 1) {
      const seeded = await run("seed");
      assert.deepEqual([seeded.code, seeded.printed], [0, "The sandbox bank has its customers."]);
    }
    const keys = join(place.folder, "keys", "tpps", "ready", "tpp.json");
    const before = readFileSync(keys, "utf8");
    const again = startCommand(["start"], place.environment);
    await again.untilSaid(/Ctrl-C closes the bank/);
    assert.equal(readFileSync(keys, "utf8"), before, "the ready TPP is the same");
    again.child.kill("SIGKILL");
    await again.ended;
    const verified = await run("verify");
    assert.equal(verified.code, 0, verified.complained);
  });

  test("without a running bank, demo opens one", async () => {
    const demo = startCommand(["demo"], place.environment);
    assert.equal(await demo.ended, 0, demo.said());
    assert.match(demo.said(), /No bank answers/);
    assert.match(demo.said(), /Done: the payment settled/);
  });

  test("config prints the current configuration and the page of all settings", async () => {
    assert.ok((await run("config")).printed.includes(`ALDGATE_DATA=${place.folder}`));
    assert.match((await run("config --reference")).printed, /CONSENT_LIFETIME_SECONDS/);
  });
});
