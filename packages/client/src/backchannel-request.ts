import { randomUUID } from "node:crypto";
import { type CryptoKey, SignJWT, UnsecuredJWT } from "jose";
import type { Scope } from "./scope.ts";

/** Who is asked: the customer of an identifier from the bank's app, or one whom you know. */
type AskedCustomer =
  | { shownIdentifier: string }
  /** `subject` of an earlier grant. */
  | { subject: string }
  | { idToken: string };

/** Choices for one request for approval in the bank's app. */
export type BackchannelOptions = {
  /** Leave it out to let the customer scan the consent's id in the bank's app. */
  customer?: AskedCustomer;
  /** What the app shows, so that the customer knows the request: `Till 4`. */
  bindingMessage?: string;
  /** How long the bank waits for the customer. The default is the bank's. */
  expirySeconds?: number;
  /** Whether the bank tells you of the decision. You must have registered for pings. */
  ping?: boolean;
  /** Further claims of the request object, and claims to replace. */
  claims?: Record<string, unknown>;
};

type Signing = { key: CryptoKey; keyId: string; clientId: string; audience: string; now: Date };

const lifeSeconds = 300;

/** Signs the request object of a request for approval (FAPI-CIBA). */
export function signBackchannel(
  consent: { id: string; scope: Scope },
  options: BackchannelOptions & { notificationToken: string | null; acr: string },
  { key, keyId, clientId, audience, now }: Signing,
): Promise<string> {
  const { customer, bindingMessage, expirySeconds, notificationToken, acr, claims } = options;
  const at = Math.floor(now.getTime() / 1000);
  const members = {
    iss: clientId,
    aud: audience,
    iat: at,
    nbf: at,
    exp: at + lifeSeconds,
    jti: randomUUID(),
    scope: `openid ${consent.scope}`,
    "openbanking-intent-id": consent.id,
    acr_values: acr,
    ...hintOf(customer),
    ...(bindingMessage === undefined ? {} : { binding_message: bindingMessage }),
    ...(expirySeconds === undefined ? {} : { requested_expiry: expirySeconds }),
    ...(notificationToken === null ? {} : { client_notification_token: notificationToken }),
    ...claims,
  };
  return new SignJWT(members)
    .setProtectedHeader({ alg: "PS256", kid: keyId, typ: "JWT" })
    .sign(key);
}

function hintOf(customer: AskedCustomer | undefined): Record<string, string> {
  if (customer === undefined) return {};
  if ("idToken" in customer) return { id_token_hint: customer.idToken };
  const named =
    "subject" in customer ? { sub: customer.subject } : { ephemeral_sub: customer.shownIdentifier };
  // the request object around it is signed
  return { login_hint_token: new UnsecuredJWT(named).encode() };
}
