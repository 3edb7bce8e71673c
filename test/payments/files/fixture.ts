import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createEngine, type Engine } from "#src/payments/execution/engine.ts";
import { createSandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import type { Answer, Json } from "#test/payments/answer-check.ts";
import { accounts, type Front, orderOf, type PaymentsFixture } from "#test/payments/fixture.ts";

export const json40 = "UK.OBIE.PaymentInitiation.4.0";
export const json31 = "UK.OBIE.PaymentInitiation.3.1";
export const pain = "UK.OBIE.pain.001.001.08";

/** The SHA-256 of a file in base64, as a consent states it. */
export const hashOf = (bytes: string | Buffer): string =>
  createHash("sha256").update(bytes).digest("base64");

/** A file and its consent's data. */
export type SampleFile = {
  fileType: string;
  text: string;
  initiation?: Json;
  change?: (body: Json) => void;
};

/** Makes the consent that matches a file. */
export function fileConsent({ fileType, text, initiation, change }: SampleFile): Json {
  const body = {
    Data: { Initiation: { FileType: fileType, FileHash: hashOf(text), ...initiation } },
  };
  change?.(body);
  return body;
}

export const contentTypeOf = (fileType: string): string =>
  fileType === pain ? "text/xml" : "application/json";

/** The functions for tests of files. */
export type FileBank = {
  lodge(file: SampleFile, front?: Front): Promise<{ consentId: string; body: Json }>;
  upload(consentId: string, file: SampleFile, sent?: Json): Promise<Answer>;
  /** Creates a consent and uploads its file. Both must be accepted. */
  uploaded(file: SampleFile): Promise<{ consentId: string; body: Json }>;
  /** Orders the payments of an uploaded file from that account. The order must be accepted. */
  ordered(
    file: SampleFile,
    accountId?: string,
  ): Promise<{ orderId: string; order: Answer } & Placed>;
  statusOf(consentId: string): Promise<string>;
  engine(owner?: string): Engine;
};

type Placed = { consentId: string; body: Json; token: string };

/** Makes these functions for an open bank. */
export function openFiles(bank: PaymentsFixture): FileBank {
  const files: FileBank = {
    async lodge(file, front = bank) {
      const body = fileConsent(file);
      const answer = await front.post("/file-payment-consents", { body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return { consentId: answer.body.Data.ConsentId, body };
    },
    upload: (consentId, { fileType, text }, { headers, ...sent }: Json = {}) =>
      bank.post(`/file-payment-consents/${consentId}/file`, {
        body: text,
        ...sent,
        headers: { "content-type": contentTypeOf(fileType), ...headers },
      }),
    async uploaded(file) {
      const lodged = await files.lodge(file);
      const answer = await files.upload(lodged.consentId, file);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return lodged;
    },
    async ordered(file, accountId = accounts.current) {
      const { consentId, body } = await files.uploaded(file);
      const token = await bank.authorise(consentId, accountId);
      const order = await bank.post("/file-payments", { token, body: orderOf(consentId, body) });
      assert.equal(order.status, 201, JSON.stringify(order.body));
      return { consentId, body, token, order, orderId: order.body.Data.FilePaymentId };
    },
    async statusOf(consentId) {
      return (await bank.get(`/file-payment-consents/${consentId}`)).body.Data.Status;
    },
    engine: (owner = "engine") => {
      const { database, clock } = bank;
      return createEngine({
        database,
        bank: createSandboxBank({ database, clock, scheme: () => ({ kind: "accept" }) }),
        clock,
        owner,
        batchSize: 64,
        log: { error: (details, text) => assert.fail(`${text}: ${JSON.stringify(details)}`) },
      });
    },
  };
  return files;
}
