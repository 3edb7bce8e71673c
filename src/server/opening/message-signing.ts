import type { Config } from "#src/config/config.ts";
import type { CurrentKey } from "#src/http/signature/signer.ts";
import type { KeyRing } from "#src/signing/key-ring.ts";

/** The bank's key for messages, and how its signatures name the bank. */
export type MessageSigning = {
  currentKey: CurrentKey;
  organisationId: string;
  trustAnchor: string;
};

/** Returns the key and the names with which the bank signs its responses and events. */
export const signingOf = (config: Config, keyRing: KeyRing): MessageSigning => ({
  currentKey: keyRing.current,
  organisationId: config.ORGANISATION_ID,
  trustAnchor: config.TRUST_ANCHOR,
});
