import assert from "node:assert/strict";
import { createLocalJWKSet, type JWTPayload, jwtVerify } from "jose";
import { moveConsent, type StatusReason } from "#src/consents/consent.ts";
import { accountAccess, type ConsentCourse } from "#src/consents/states.ts";
import { byCustomer } from "#src/history/change.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { expectStatus, type TestBank } from "#test/harness.ts";

export const subscriptions = "/v4.0/event-subscriptions";
export const callbackUrls = "/v4.0/callback-urls";

/** The response to a poll. */
export type PolledBody = { moreAvailable: boolean; sets: Record<string, string> };

/** The claims of a SET. */
export type SetClaims = JWTPayload & {
  txn: string;
  toe: number;
  events: Record<string, { subject?: Subject }>;
};
type Subject = {
  subject_type: string;
  "http://openbanking.org.uk/rid": string;
  "http://openbanking.org.uk/rty": string;
  "http://openbanking.org.uk/rlk": { version: string; link: string }[];
};

export const urnOf = (name: string): string => `urn:uk:org:openbanking:events:${name}`;

/** Returns the code and the path of the first fault of a refusal. */
export const faultOf = ({ body }: Answer): [string, string | undefined] => {
  const [fault] = (body as { Errors: { ErrorCode: string; Path?: string }[] }).Errors;
  assert.ok(fault);
  return [fault.ErrorCode, fault.Path];
};

/** Registers a TPP for events of all types, unless some types are named. */
export async function subscribe(
  client: TppClient,
  data: object = {},
  scope: "accounts" | "payments" = "accounts",
): Promise<string> {
  const token = await client.clientToken(scope);
  const body = { Data: { Version: "4.0", ...data } };
  const answer = await client.call<{ Data: { EventSubscriptionId: string } }>({
    path: subscriptions,
    token,
    body,
  });
  expectStatus(answer, 201);
  return answer.body.Data.EventSubscriptionId;
}

/** Polls and returns the response. The poll waits for an event, which is the standard's default. */
export async function poll(client: TppClient, body: object = {}): Promise<PolledBody> {
  const token = await client.clientToken("accounts");
  const answer = await client.call<PolledBody>({ path: "/v4.0/events", token, body });
  expectStatus(answer, 200);
  return answer.body;
}

/** Polls without waiting. */
export const pollNow = (client: TppClient, body: object = {}): Promise<PolledBody> =>
  poll(client, { returnImmediately: true, ...body });

/** Verifies a SET with the bank's published keys. Returns its claims. */
export async function openSet(client: TppClient, token: string): Promise<SetClaims> {
  const jwks = await client.send(`${client.bank.publicUrl}/jwks`, "GET", undefined, {});
  const keys = createLocalJWKSet(jwks.body as Parameters<typeof createLocalJWKSet>[0]);
  const named = ["iat", "iss", "tan"].map((name) => [`http://openbanking.org.uk/${name}`, true]);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ["PS256"],
    crit: Object.fromEntries(named),
    typ: "secevent+jwt",
    issuer: client.bank.publicUrl,
    audience: client.tpp.clientId,
  });
  assert.equal(protectedHeader.alg, "PS256");
  return payload as SetClaims;
}

/**
 * Creates an access consent on a version of the API, and lets a customer approve it, for the given
 * accounts if there are any.
 */
export async function approvedAccess(
  bank: TestBank,
  client: TppClient,
  version = "v4.0",
  accounts?: string[],
): Promise<string> {
  const answer = await client.call<{ Data: { ConsentId: string } }>({
    path: `/${version}/aisp/account-access-consents`,
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  });
  expectStatus(answer, 201);
  const { ConsentId: consentId } = answer.body.Data;
  const chosen = accounts ? { accounts } : {};
  await bank.approve(client, { scope: "accounts", consentId, customer: "amara", ...chosen });
  return consentId;
}

/** Withdraws the access of a consent, as the customer's own pages do. */
export async function revoke(
  bank: TestBank,
  consentId: string,
  course: ConsentCourse = accountAccess,
): Promise<void> {
  const why = byCustomer(bank.clock.now());
  const reasons: StatusReason[] = [{ code: "U036", text: "The customer withdrew." }];
  assert.ok(await moveConsent(bank.database, { consentId }, course, "revoke", reasons, why));
}
