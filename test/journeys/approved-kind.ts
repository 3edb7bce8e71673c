import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";
import { type KindSample, kindSample } from "./kind-sample.ts";
import type { Resource } from "./payments.ts";

type Bed = { bank: TestBank; client: TppClient };

/** Who approves, and from which account. */
export type Approver = { customer: string; account: string };

/** An example of a kind, with a JSON or an XML file if its consents need one. */
type ChangedSample = Omit<KindSample, "file"> & { file: object | string | undefined };

/** An approved consent, with the path and the body of its order, and the token for it. */
export type ApprovedKind = Pick<KindSample, "consent" | "order"> & {
  consentId: string;
  token: string;
  /** The path of the kind's orders. */
  path: string;
  body: object;
};

/** The headers by which the TPP names the customer's device when it sends a consent. */
export const consentDevice = {
  "x-fapi-customer-ip-address": "203.0.113.7",
  "x-customer-user-agent": "Mozilla/5.0 (Consent)",
};

/** Lets a customer approve a kind's example, which `change` may change. */
export async function approveKind(
  { bank, client }: Bed,
  kind: PaymentKind,
  version: ApiVersionId,
  { customer, account }: Approver,
  change: (sample: KindSample) => ChangedSample = (sample) => sample,
): Promise<ApprovedKind> {
  const { consent, order, file } = change(kindSample(bank, kind, version));
  const path = `/${version.replace("pisp-", "")}/pisp/${kind.id}s`;
  const consents = `${path.slice(0, -1)}-consents`;
  const token = await client.clientToken("payments");
  const lodged = await client.call<Resource>({
    ...{ path: consents, token, body: consent },
    headers: consentDevice,
  });
  expectStatus(lodged, 201);
  const consentId = String(lodged.body.Data.ConsentId);
  if (file) {
    const headers = typeof file === "string" ? { "content-type": "text/xml" } : {};
    const upload = { path: `${consents}/${consentId}/file`, token, body: file, headers };
    expectStatus(await client.call(upload), 200);
  }
  const given = { scope: "payments" as const, consentId, customer, accounts: [account] };
  const { access_token } = await bank.approve(client, given);
  const body = { ...order, Data: { ...order.Data, ConsentId: consentId } };
  return { consentId, consent, order, token: access_token, path, body };
}
