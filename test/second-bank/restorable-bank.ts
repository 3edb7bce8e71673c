import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "#src/config/config.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openPostgres } from "#src/storage/postgres.ts";
import { freePort } from "#test/free-port.ts";
import { type Approval, expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { type Resource, untilStatus } from "#test/journeys/payments.ts";
import { contentTypeOf, fileConsent, json40 } from "#test/payments/files/fixture.ts";
import { limitsOnAnyDay, vrpConsent, vrpOrder } from "#test/payments/limits/vrp-bed.ts";
import { startPostgres } from "#test/postgres.ts";
import { templateName } from "#test/setup.ts";
import { corePath } from "./second-bank.ts";

/** A bank on the second bank's core, whose own database can be restored from a backup. */
export type RestorableBank = {
  /** The open bank. A backup and a restore replace it; its addresses stay the same. */
  readonly bank: TestBank;
  /** The URL of its database. */
  readonly url: string;
  /** The settings with which it is open. */
  readonly settings: Partial<Config>;
  /** Closes the bank, copies its database, and opens it again. Returns the backup. */
  backUp(): Promise<string>;
  /**
   * Closes the bank, and opens it again on a copy of the backup. The core stays as it is.
   * `beforeOpening` may use the restored database.
   */
  restore(backup: string, beforeOpening?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

const unique = (use: string): string => `${use}_${randomUUID().replaceAll("-", "")}`;

/** Opens the bank on a new database of the lane's PostgreSQL server. */
export async function openRestorable(overrides: Partial<Config> = {}): Promise<RestorableBank> {
  const server = await startPostgres(); // the lane's
  const folder = mkdtempSync(join(tmpdir(), "aldgate-restorable-"));
  const settings: Partial<Config> = {
    BANK_MODULE: corePath,
    // clients and signatures know the bank by its addresses and keys
    ALDGATE_DATA: folder,
    PUBLIC_PORT: await freePort(),
    MTLS_PORT: await freePort(),
    ...overrides,
  };
  let name = unique("live");
  let url = await server.createDatabase(name, templateName);
  const open = async () => openBank(settings, await openPostgres(url));
  let bank = await open();
  return {
    get bank() {
      return bank;
    },
    get url() {
      return url;
    },
    settings,
    async backUp() {
      await bank.close();
      const backup = unique("backup");
      await server.createDatabase(backup, name);
      bank = await open();
      return backup;
    },
    async restore(backup, beforeOpening) {
      await bank.close();
      name = unique("restored");
      url = await server.createDatabase(name, backup);
      await beforeOpening?.();
      bank = await open();
    },
    async close() {
      await bank.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A consent within limits that Ada has approved. Returns the function that pays under it. */
export async function agreeWithinLimits(bank: TestBank, client: TppClient) {
  const body = vrpConsent(({ Data }) => {
    Data.ControlParameters.PeriodicLimits = limitsOnAnyDay;
  });
  const created = await client.call<Resource>({
    path: "/v4.0/pisp/domestic-vrp-consents",
    token: await client.clientToken("payments"),
    body,
  });
  expectStatus(created, 201);
  const consentId = String(created.body.Data.ConsentId);
  const accounts = ["second-current"];
  const approval: Approval = { scope: "payments", consentId, customer: "ada", accounts };
  const tokens = await bank.approve(client, approval);
  const pay = async (amount: string, idempotencyKey: string): Promise<string> => {
    const answer = await client.call<Resource>({
      path: "/v4.0/pisp/domestic-vrps",
      token: (await client.refresh(String(tokens.refresh_token))).access_token,
      idempotencyKey,
      body: vrpOrder(consentId, body, amount),
    });
    expectStatus(answer, 201);
    const id = String(answer.body.Data.DomesticVRPId);
    await untilStatus(client, "domestic-vrp", id, "ACCC");
    return id;
  };
  return { consentId, pay };
}

/** The initiation of a standing order of £6 per day from the day after tomorrow. */
export function dailyFrom(now: Temporal.Instant): Record<string, unknown> {
  const day = now.toZonedDateTimeISO("Europe/London").toPlainDate().add({ days: 2 });
  return {
    FirstPaymentAmount: { Amount: "6.00", Currency: "GBP" },
    MandateRelatedInformation: {
      Frequency: { Type: "DAIL" },
      FirstPaymentDateTime: `${day}T00:00:00+00:00`,
    },
    // members that only a single payment has
    InstructionIdentification: undefined,
    EndToEndIdentification: undefined,
    InstructedAmount: undefined,
  };
}

/** Announces a file of payments. Returns the function that uploads, approves and orders it. */
export async function announceFile(live: RestorableBank, client: TppClient, text: string) {
  const body = fileConsent({ fileType: json40, text });
  const stem = "/v4.0/pisp/file-payment";
  const token = () => client.clientToken("payments");
  const created = await client.call<Resource>({
    path: `${stem}-consents`,
    token: await token(),
    body,
  });
  expectStatus(created, 201);
  const consentId = String(created.body.Data.ConsentId);
  const pay = async (): Promise<string> => {
    const uploaded = await client.call({
      path: `${stem}-consents/${consentId}/file`,
      token: await token(),
      body: text,
      headers: { "content-type": contentTypeOf(json40) },
    });
    expectStatus(uploaded, 200);
    const accounts = ["second-current"];
    const approval: Approval = { scope: "payments", consentId, customer: "ada", accounts };
    const tokens = await live.bank.approve(client, approval);
    const answer = await client.call<Resource>({
      path: `${stem}s`,
      token: tokens.access_token,
      idempotencyKey: `file-${consentId.slice(-8)}`,
      body: { Data: { ConsentId: consentId, Initiation: body.Data.Initiation } },
    });
    expectStatus(answer, 201);
    const id = String(answer.body.Data.FilePaymentId);
    await untilStatus(client, "file-payment", id, "INCO");
    return id;
  };
  return { consentId, pay };
}
