import { createSign, type KeyObject, sign } from "node:crypto";
import { ps256, type Signer } from "#src/http/signature/signer.ts";

/** Makes the signer of a private key that this process has read: it signs off the main thread. */
export function createFileSigner(key: KeyObject): Signer {
  const options = { key, ...ps256 };
  return {
    sign: (input) =>
      new Promise((resolve, reject) => {
        const done = (error: Error | null, made: Buffer) => (error ? reject(error) : resolve(made));
        sign("sha256", input, options, done);
      }),
    signPieces() {
      const pieces = createSign("sha256");
      return {
        update: (piece) => void pieces.update(piece),
        finish: async () => pieces.sign(options),
      };
    },
  };
}
