import assert from "node:assert/strict";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type AuthBed, fragmentOf } from "./auth-bed.ts";

/** The `error` of an OAuth response. */
export const oauthError = (answer: { body: unknown }): string =>
  String((answer.body as { error?: string }).error);

/** Calls the token endpoint and fails unless it refuses with this error. */
export async function assertTokenRefused(
  client: TppClient,
  parameters: Record<string, string>,
  error: string,
): Promise<void> {
  const answer = await client.tokenAnswer(parameters);
  assert.ok(answer.status === 400 || answer.status === 401, answer.raw.toString());
  assert.equal(oauthError(answer), error, answer.raw.toString());
  assert.match(String(answer.headers["x-fapi-interaction-id"]), /^[0-9a-f-]{36}$/);
}

/** Creates a consent that a customer approves. An access consent expires after 2,000 hours. */
export async function authorised(
  bed: AuthBed,
  client: TppClient,
  kind: "account-access" | "domestic-payment",
) {
  const expiresAt = bed.clock.now().add({ hours: 2000 });
  const consentId = await bed.lodge(client, kind, kind === "account-access" ? { expiresAt } : {});
  const scope = kind === "account-access" ? "accounts" : "payments";
  const url = await client.authorizationUrl({ scope, consentId });
  return { consentId, redirectUrl: await bed.authorise({ authorizationUrl: url }), url };
}

/** Returns the error in the redirect that answers a request. */
export async function redirectError(
  client: TppClient,
  url: string,
): Promise<Record<string, string>> {
  const answer = await client.send(url, "GET", undefined, { accept: "text/html" });
  assert.equal(answer.status, 303, answer.raw.toString());
  const location = String(answer.headers.location);
  assert.ok(location.startsWith("http://localhost:9/callback#"), location);
  return fragmentOf(location);
}
