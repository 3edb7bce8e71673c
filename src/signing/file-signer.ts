import { createSign, type KeyObject, sign } from "node:crypto";
import { ps256, type Signer } from "#src/http/signature/signer.ts";

/** If a signature is requested less than this after the previous one, another thread makes it. */
const aloneMilliseconds = 2;

/**
 * Makes the signer of a private key that this process has read. The main thread makes a signature
 * unless another was requested just before, because handing it to another thread costs almost as
 * much CPU time as making it. Otherwise another thread makes it, so that all cores sign under load.
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
