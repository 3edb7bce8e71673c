import type { KoaContextWithOIDC } from "oidc-provider";
import { notePassed } from "#src/http/connection/passed-checks.ts";

const authorization = ["form", "client", "request-object", "parameters", "consent"] as const;
const ofToken = ["form", "client"] as const;

/**
 * The checks of a request to each endpoint, in their order, as the log of requests shows them. The
 * library makes most of them; each is noted where it calls us next.
 */
export const endpointChecks = {
  "/auth": authorization,
  "/request": authorization,
  "/backchannel": authorization,
  "/token": ["form", "client", "grant-type", "grant"],
  "/token/introspection": ofToken,
  "/token/revocation": ofToken,
  "/me": ["token", "consent"],
} as const;

type EndpointCheck = (typeof endpointChecks)[keyof typeof endpointChecks][number];

/** Notes that a request has passed a check, if its endpoint has it. */
export function noteCheck(
  { path, req }: Pick<KoaContextWithOIDC, "path" | "req">,
  name: EndpointCheck,
  isNeeded = true,
): void {
  const names: readonly string[] | undefined = Object.hasOwn(endpointChecks, path)
    ? endpointChecks[path as keyof typeof endpointChecks]
    : undefined;
  const place = names?.indexOf(name) ?? -1;
  if (place >= 0) notePassed(req, place, isNeeded);
}
