import { createSign, type KeyObject, sign } from "node:crypto";
import { ps256, type Signer } from "#src/http/signature/signer.ts";

/** Signatures within this time of the one before are made on other threads. */
const aloneMilliseconds = 2;

/**
 * Makes the signer of a private key that this process has read. A signature that is alone is made
 * immediately, because passing it to another thread and back costs as much as the signature. If
 * several are wanted at about the same time, other threads make them, on all cores.
 */
export function createFileSigner(key: KeyObject, now = () => performance.now()): Signer {
  const options = { key, ...ps256 };
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    sign(input) {
      const before = lastAt;
      lastAt = now();
      return lastAt - before < aloneMilliseconds
        ? signElsewhere(input, options)
        : signHere(input, options);
    },
    signPieces() {
      const pieces = createSign("sha256");
      return {
        update: (piece) => void pieces.update(piece),
        finish: async () => pieces.sign(options),
      };
    },
  };
}

type Options = { key: KeyObject } & typeof ps256;

const signHere = async (input: Uint8Array, options: Options): Promise<Buffer> =>
  sign("sha256", input, options);

const signElsewhere = (input: Uint8Array, options: Options): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, made: Buffer) => (error ? reject(error) : resolve(made));
    sign("sha256", input, options, done);
  });
