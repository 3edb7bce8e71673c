import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts and decrypts texts that are stored, with a key of 32 bytes. Each text is bound to the id
 * of its row, so that a text moved to another row is worthless.
 */
export function createSeal(key: Buffer) {
  return {
    /** Returns the encrypted text in base64url. */
    seal(id: string, text: string): string {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(id));
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    /** Null if the text was sealed for another row or with another key, or was changed. */
    open(id: string, sealed: string): string | null {
      const bytes = Buffer.from(sealed, "base64url");
      const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
      if (tag.length < tagBytes) return null;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAAD(Buffer.from(id));
      decipher.setAuthTag(tag);
      try {
        const text = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([text, decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}

/** Encrypts and decrypts texts with one key. */
export type Seal = ReturnType<typeof createSeal>;
