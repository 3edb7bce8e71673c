import type { Client, ClientMetadata, KoaContextWithOIDC } from "oidc-provider";
import { type SecurityProfile, securityProfileOf } from "#src/clients/security-profile.ts";

const allMetadata = new WeakMap<Client, ClientMetadata>();

/**
 * Returns the metadata of a client. The library keeps a client as long as its record stays the
 * same, but converts the names of all members at each call.
 */
export function metadataOf(client: Client): ClientMetadata {
  let metadata = allMetadata.get(client);
  if (!metadata) {
    metadata = client.metadata();
    allMetadata.set(client, metadata);
  }
  return metadata;
}

const profiles = new WeakMap<Client, SecurityProfile>();

/** Returns the security profile of a client; the first profile if the client is unknown. */
export function profileOfClient(client: Client | undefined): SecurityProfile {
  if (!client) return securityProfileOf({});
  let profile = profiles.get(client);
  if (!profile) {
    profile = securityProfileOf(metadataOf(client));
    profiles.set(client, profile);
  }
  return profile;
}

/** Returns the security profile of the client of a request. */
export const profileOfRequest = ({ oidc }: KoaContextWithOIDC): SecurityProfile =>
  profileOfClient(oidc.client);

/**
 * Ensures that an error is sent in a response mode that the client's profile allows: if the request
 * asks for another mode, the profile's first mode is used. A client that receives signed responses
 * therefore gets signed errors too, even if the request could not be read.
 */
export function allowResponseMode(ctx: KoaContextWithOIDC): void {
  const { params } = ctx.oidc;
  const [first, ...others] = profileOfRequest(ctx).enforced.response_modes ?? [];
  if (!params || first === undefined) return;
  const mode = params.response_mode;
  if (mode !== first && !others.some((other) => other === mode)) params.response_mode = first;
}
