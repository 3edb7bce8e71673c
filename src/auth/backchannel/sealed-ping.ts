import { createSeal } from "#src/storage/seal.ts";

/** What a ping needs: both values are bearer values, and are stored only as long as it is due. */
type Ping = { authReqId: string; token: string };

/** Encrypts and decrypts the pings of journeys, with a key of 32 bytes in base64url. */
export function createPingSeal(secret: string) {
  const texts = createSeal(Buffer.from(secret, "base64url"));
  return {
    seal: (uid: string, ping: Ping): string => texts.seal(uid, JSON.stringify(ping)),
    /** Null if the key is another one by now. */
    open(uid: string, sealed: string): Ping | null {
      const text = texts.open(uid, sealed);
      return text === null ? null : (JSON.parse(text) as Ping);
    },
  };
}

/** Encrypts and decrypts pings. */
export type PingSeal = ReturnType<typeof createPingSeal>;
