import type { Config } from "#src/config/config.ts";
import type { Profile } from "#src/http/refusal/refusals.ts";
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

// TPPs that come from the trust anchor's own sandbox sign under its test name.
const testAnchor = "openbankingtest.org.uk";

/** The values that `tan` of a TPP's signature may have. */
export const trustAnchorsOf = (trustAnchor: string, profile: Profile): string[] =>
  profile === "sandbox" ? [trustAnchor, testAnchor] : [trustAnchor];
