import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { type SecurityProfile, securityProfileOf } from "#src/clients/security-profile.ts";

/** Returns the security profile of a client; the first profile if the client is unknown. */
export const profileOfClient = (client: Client | undefined): SecurityProfile =>
  securityProfileOf(client?.metadata() ?? {});

/** Returns the security profile of the client of a request. */
export const profileOfRequest = ({ oidc }: KoaContextWithOIDC): SecurityProfile =>
  profileOfClient(oidc.client);

/**
 * Returns an error in a way in which the client may receive responses: a request that asks for
 * another one gets the first way of the client's profile. For a client of signed responses, errors
 * are therefore signed too, even if the request could not be read.
 */
export function allowResponseMode(ctx: KoaContextWithOIDC): void {
  const { params } = ctx.oidc;
  const [first, ...others] = profileOfRequest(ctx).enforced.response_modes ?? [];
  if (!params || first === undefined) return;
  const mode = params.response_mode;
  if (mode !== first && !others.some((other) => other === mode)) params.response_mode = first;
}
