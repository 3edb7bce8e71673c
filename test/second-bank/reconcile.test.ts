import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus } from "#test/harness.ts";
import { lodge, order, submit, untilStatus } from "#test/journeys/payments.ts";
import { sampleDomestic } from "#test/payments/files/samples.ts";
import { onPostgres, startPostgres } from "#test/postgres.ts";
import { type CommandResult, runCommand } from "#test/server/run-command.ts";
import { templateName } from "#test/setup.ts";
import { until } from "#test/until.ts";
import {
  agreeWithinLimits,
  announceFile,
  dailyFrom,
  openRestorable,
  type RestorableBank,
} from "./restorable-bank.ts";
import { readyToPay, type SecondBank, startSecondBank } from "./second-bank.ts";

const skip = onPostgres ? false : "needs a PostgreSQL server, which copies databases";
const withoutList = fileURLToPath(new URL("core-without-list.ts", import.meta.url));

describe("reconcile", { skip }, () => {
  let second: SecondBank;
  let live: RestorableBank;
  let client: TppClient;

  before(async () => {
    second = await startSecondBank();
    live = await openRestorable();
    const { tpp } = await live.bank.createTpp();
    client = new TppClient(live.bank, tpp);
  });
  after(async () => {
    client?.close();
    await live?.close();
    await second?.close();
  });

  const run = (line: string, settings: Record<string, string> = {}): Promise<CommandResult> =>
    runCommand(line, {
      DATABASE_URL: live.url,
      ALDGATE_DATA: String(live.settings.ALDGATE_DATA),
      BANK_MODULE: String(live.settings.BANK_MODULE),
      LOG_LEVEL: "silent",
      ...settings,
    });
  const ready = async (given: Parameters<typeof lodge>[1], from?: string) =>
    readyToPay(live.bank, client, await lodge(client, given), from);

  test("after a restore, it finds every payment of the core that Aldgate has lost, and says how each is resolved", async () => {
    const single = await ready({ amount: "31.00" });
    const unapproved = await lodge(client, { amount: "32.00" });
    const joint = await ready({ amount: "33.00" }, "second-joint");
    const jointId = await order(client, joint.lodged, joint.token);
    const initiation = dailyFrom(live.bank.clock.now());
    const daily = await ready({ kind: "domestic-standing-order", initiation });
    const dailyId = await order(client, daily.lodged, daily.token);
    const file = await announceFile(live, client, sampleDomestic(Array(70).fill({})));
    const recurring = await agreeWithinLimits(live.bank, client);
    const waiting = await ready({ amount: "34.00" });
    await second.fail({ call: "*", how: "fail" });
    const waitingId = await order(client, waiting.lodged, waiting.token);
    const backup = await live.backUp();
    const time = Temporal.Now.instant().toString();

    await second.fail();
    const pay = async ({ lodged, token }: Awaited<ReturnType<typeof ready>>, key: string) => {
      const id = await order(client, lodged, token, key);
      await untilStatus(client, lodged.kind, id, "ACCC");
    };
    await pay(single, "key-single");
    const fileId = await file.pay();
    await pay(await readyToPay(live.bank, client, unapproved), "key-unapproved");
    await pay(await ready({ amount: "35.00" }), "key-new");
    await recurring.pay("1.01", "key-recurring");
    const sign = () =>
      live.bank.control("POST", `/multi-authorisations/${jointId}`, { decision: "approve" });
    await sign();
    await untilStatus(client, joint.lodged.kind, jointId, "ACCC");
    await untilStatus(client, waiting.lodged.kind, waitingId, "ACCC");
    const catchUp = async () => {
      await live.bank.advance("P8D");
      const now = live.bank.clock.now();
      const nextDue = async () => (await live.bank.engine.nextDueAt()) ?? now;
      await until(nextDue, (at) => Temporal.Instant.compare(at, now) > 0);
    };
    await catchUp();

    const good = await run(`reconcile --since ${time}`);
    assert.deepEqual([good.code, good.complained.match(/failed/)], [0, null], good.printed);
    assert.match(
      good.printed,
      /^Since 2\S+: \d+ payments \(also .*, \d+ .* \(received since then\): no difference\.$/,
    );

    let restored: CommandResult | undefined;
    let unlisted: CommandResult | undefined;
    await live.restore(backup, async () => {
      restored = await run(`reconcile --since ${time}`);
      unlisted = await run(`reconcile --since ${time}`, { BANK_MODULE: withoutList });
    });
    const lines = String(restored?.printed).split("\n");
    const found = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    const lost = ({ consentId }: { consentId: string }) =>
      new RegExp(
        `consent ${consentId}  Aldgate: does not have it  core: settled  .*repeats the ord`,
      );
    assert.equal(restored?.code, 1);
    assert.equal(found(lost(single.lodged)), 1, restored?.printed);
    assert.equal(found(lost(unapproved)), 1, restored?.printed);
    assert.equal(found(lost(file)), 70, restored?.printed);
    assert.equal(found(new RegExp(`order ${jointId}  Aldgate: .*core: settled .*signatories`)), 1);
    assert.equal(
      found(new RegExp(`order ${waitingId}  Aldgate: RCVD  core: settled .*by itself`)),
      1,
    );
    const ofDaily = found(new RegExp(`order ${dailyId}  .*core: settled .*by itself`));
    assert.ok(ofDaily >= 3, restored?.printed);
    // the order within limits, and the order of a consent that Aldgate does not have
    assert.equal(
      found(/no order or consent {2}Aldgate: does not have it {2}core: received .*look/),
      2,
    );
    assert.deepEqual(
      [found(/repeats the order/), found(/signatories/), found(/look into it/)],
      [72, 1, 2],
      restored?.printed,
    );
    // the personas of the sandbox have standing orders too
    const count = found(/^DIFFERS/);
    assert.match(lines.at(-1) ?? "", new RegExp(`: ${count} payments differ\\.$`));

    assert.equal(unlisted?.code, 1);
    assert.match(
      unlisted.printed,
      new RegExp(`: ${count - 2} payments differ\\.\nThis core does not`),
    );

    await pay(single, "key-single");
    await recurring.pay("1.01", "key-recurring");
    expectStatus(await submit(client, unapproved, single.token), 403);
    await pay(await readyToPay(live.bank, client, unapproved), "key-unapproved");
    assert.equal(await file.pay(), fileId);
    await sign();
    await untilStatus(client, joint.lodged.kind, jointId, "ACCC");
    await catchUp();
    const left = await run(`reconcile --since ${time}`);
    assert.equal(left.code, 1);
    assert.match(
      left.printed,
      /^DIFFERS {2}\S+ {2}no order or consent [^\n]+\nSince [^\n]+: 1 payment differs\.$/,
    );
  });

  test("in a sandbox, it compares the seeded payments with the sandbox bank's", async () => {
    const server = await startPostgres();
    const DATABASE_URL = await server.createDatabase(`own_${process.pid}`, templateName);
    const environment = { DATABASE_URL, ALDGATE_DATA: String(live.settings.ALDGATE_DATA) };
    const { code, printed } = await runCommand("reconcile --since 2020-01-01", environment);
    assert.equal(code, 0, printed);
    const [, compared, listed] =
      /: (\d+) payments \(.* (\d+) payments that the core lists/.exec(printed) ?? [];
    assert.ok(Number(compared) > 100 && Number(listed) > 100, printed);
  });

  test("a time that it cannot read, and a core that does not answer, are said in words", async () => {
    const wrong = await run("reconcile --since yesterday");
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.complained,
      /--since must be a date or a time with its offset, such as 2027/,
    );
    await second.fail({ call: "ask", how: "fail" });
    const failed = await run("reconcile");
    assert.equal(failed.code, 2);
    assert.match(failed.complained, /The core could not be asked \(.*Run the command again/);
    await second.fail();
  });
});
