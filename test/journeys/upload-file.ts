import { createHash } from "node:crypto";
import { expectStatus } from "#test/harness.ts";
import type { JourneyBed } from "./journey-bed.ts";
import { lodge } from "./page-bed.ts";

/** Uploads a file for a new consent. Returns the consent's id. */
export async function uploadFile(
  bed: Pick<JourneyBed, "client">,
  fileType: string,
  text: string,
  initiation: object = {},
): Promise<string> {
  const { client } = bed;
  const bytes = Buffer.from(text);
  const consentId = await lodge(bed, "file-payment", {
    FileType: fileType,
    FileHash: createHash("sha256").update(bytes).digest("base64"),
    ...initiation,
  });
  const answer = await client.call({
    path: `/v4.0/pisp/file-payment-consents/${consentId}/file`,
    token: await client.clientToken("payments"),
    body: bytes,
    headers: { "content-type": text.startsWith("<") ? "text/xml" : "application/json" },
  });
  expectStatus(answer, 200);
  return consentId;
}
