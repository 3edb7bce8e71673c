// The image of docs/containers.md, built and run with podman: CONTRIBUTING.md says how.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { present } from "#src/lib/assert.ts";
import { freePort } from "#test/free-port.ts";
import { type LiveBank, openLiveBank } from "#test/journeys/live-bank.ts";
import { liveCores } from "#test/journeys/live-cores.ts";
import { lodge, order, untilStatus } from "#test/journeys/payments.ts";
import { variablesOfPod, whyNoHelm } from "./chart.ts";
import { buildImage, podman, startInImage, whyNoImage } from "./image.ts";

const why = whyNoImage();
const skip = why === null ? {} : { skip: why };

describe("the image of a bank", skip, () => {
  let image: string;
  let bank: LiveBank;
  // as a pod of the chart has them; the folder has the bank's certificates and keys
  const start = (line: string[], settings: Record<string, string>) => {
    const variables = whyNoHelm ? settings : variablesOfPod(settings);
    return startInImage(image, line, variables, { folders: [String(settings.ALDGATE_DATA)] });
  };
  before(async () => {
    image = buildImage("bank");
    const { open } = present(liveCores[1], "the core over HTTP");
    bank = await openLiveBank(open, start);
  });
  after(() => bank?.close());

  test("has a user without rights, and no packages of a sandbox or of tests", () => {
    const [{ Config }] = JSON.parse(podman("image", "inspect", image));
    assert.equal(Config.User, "10001:10001");
    assert.equal(Config.Entrypoint[0], "node");
    assert.equal(Config.Labels["org.opencontainers.image.licenses"], "Apache-2.0");
    assert.equal(Config.Healthcheck, undefined);
    const list = 'console.log(fs.readdirSync("node_modules").join(" "))';
    const found = podman("run", "--rm", "--entrypoint=node", image, "--eval", list);
    assert.match(found, /\bfastify\b/);
    assert.doesNotMatch(found, /pdfkit|@electric-sql|typescript|@biomejs/);
  });

  test("is ready, and loses no payment that is in progress when it is stopped", async () => {
    const { core, managementUrl, tpp } = bank;
    assert.equal((await fetch(`${managementUrl}/health/ready`)).status, 200);
    const client = await tpp.registered();
    try {
      const settled = await lodge(client, { amount: "12.34" });
      const token = await bank.approve(client, "payments", settled.consentId);
      const first = await order(client, settled, token);
      await untilStatus(client, "domestic-payment", first, "ACCC");
      const waiting = await lodge(client, { amount: "7.00" });
      const other = await bank.approve(client, "payments", waiting.consentId);
      const second = await order(client, waiting, other);
      assert.equal(await bank.stop(), 0);
      await assert.rejects(fetch(`${managementUrl}/health/live`));
      await bank.open();
      await untilStatus(client, "domestic-payment", second, "ACCC");
      assert.deepEqual(await core.debits(), [-1234n, -700n]);
      await bank.operate("verify");
    } finally {
      client.close();
    }
  });

  test("says that the schema is up to date, and ends at a signal while it starts", async () => {
    assert.match(await bank.operate("migrate", "--check"), /up to date/);
    const silent = createServer().listen(0, "127.0.0.1");
    try {
      await once(silent, "listening");
      const url = new URL(present(bank.environment.DATABASE_URL, "the bank's database"));
      url.port = String((silent.address() as AddressInfo).port);
      const settings = { ...bank.environment, DATABASE_URL: url.href };
      const arrived = once(silent, "connection");
      const starting = start(["start"], { ...settings, DATABASE_CONNECT_SECONDS: "3600" });
      await arrived;
      starting.child.kill("SIGTERM");
      assert.equal(await starting.ended, 143, starting.said());
    } finally {
      silent.close();
    }
  });
});

describe("the image of a sandbox", skip, () => {
  test("keeps its data in a volume, and makes a payment again after a restart", async () => {
    const image = buildImage("sandbox");
    const volume = `aldgate-test-${process.pid}`;
    const settings = {
      ALDGATE_DATA: "/data",
      LOG_LEVEL: "error",
      PUBLIC_PORT: String(await freePort()),
      MTLS_PORT: String(await freePort()),
      MANAGEMENT_PORT: "0",
    };
    const start = (...line: string[]) =>
      startInImage(image, line, settings, { data: [`${volume}:/data:U`] });
    try {
      for (const _ of ["first", "again"]) {
        const bank = start("start");
        await bank.untilSaid(/Ctrl-C closes the bank/);
        const demo = start("demo");
        assert.equal(await demo.ended, 0, demo.said());
        assert.match(demo.said(), /Done: the payment settled/);
        bank.child.kill("SIGTERM");
        assert.equal(await bank.ended, 0, bank.said());
      }
    } finally {
      podman("volume", "rm", "--force", volume);
    }
  });
});
