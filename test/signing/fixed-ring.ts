import { createPrivateKey } from "node:crypto";
import { systemClock } from "#src/lib/clock.ts";
import { createKeyRing, type KeyRing } from "#src/signing/key-ring.ts";
import { createFileSigner } from "#src/signing/locate-key.ts";
import { publicJwkOf, publicKeyOf } from "#src/signing/public-jwk.ts";

/** Makes a ring with one key that always signs. The certificates are read at every request. */
export function fixedRing(given: { privateKeyPem: string; certificatesPem: string }): KeyRing {
  const key = createPrivateKey(given.privateKeyPem);
  const jwk = publicJwkOf(key);
  return createKeyRing(systemClock, [
    {
      kid: jwk.kid,
      jwk,
      publicKey: publicKeyOf(jwk),
      signer: createFileSigner(key),
      certificatesPem: () => given.certificatesPem,
      publishedFrom: 0,
      activeFrom: 0,
      publishedUntil: null,
      withdrawnAt: null,
    },
  ]);
}
