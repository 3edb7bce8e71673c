import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** What a ping needs: both values are bearer values, and are stored only as long as it is due. */
type Ping = { authReqId: string; token: string };

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts and decrypts pings with a key of 32 bytes in base64url. The journey's id is bound to the
 * text, so that a text moved to another row is worthless.
 */
export function createSeal(secret: string) {
  const key = Buffer.from(secret, "base64url");
  return {
    seal(uid: string, ping: Ping): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(uid));
      const text = Buffer.concat([cipher.update(JSON.stringify(ping)), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
    },
    /** Null if the key is another one by now. */
    open(uid: string, sealed: string): Ping | null {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(uid));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString()) as Ping;
      } catch {
        return null;
      }
    },
  };
}

/** Encrypts and decrypts pings. */
export type Seal = ReturnType<typeof createSeal>;
