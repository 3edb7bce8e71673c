import { claimsOf } from "./jwt-facts.ts";
import { errors, Provider } from "./library.ts";
import { because } from "./refused.ts";

/** The library's name of pushed authorization requests. */
export const pushedRequest = "PushedAuthorizationRequest";

/**
 * Throws if the current request uses the `request_uri` of another client. The library would compare
 * the pushed request with the other parameters first, and name a difference as the fault. Source:
 * RFC 9126 section 2.2.
 */
export function judgeOwner({ request }: { request?: unknown }): void {
  const { client_id: caller } = Provider.ctx?.oidc.params ?? {};
  if (caller === undefined || claimsOf(request).client_id === caller) return;
  const refusal = new errors.InvalidRequestUri("the request_uri is of another client");
  throw Object.assign(refusal, because("requestUriOfOther"));
}
