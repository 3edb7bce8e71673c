import { createHash, createVerify, hash, type KeyObject, verify } from "node:crypto";
import { Circuit } from "#src/bank/circuit.ts";
import { reasonOf } from "#src/http/outgoing/guarded-request.ts";
import { ps256, type Signer } from "#src/http/signature/signer.ts";
import { Unavailable } from "#src/lib/unavailable.ts";
import { publicKeyOf } from "./public-jwk.ts";
import type { CallRemote } from "./remote-connection.ts";

/** A service in another process that has the private halves of keys. */
export type RemoteKeys = {
  /** Returns the public half of a key. Rejects with an Error that says what is wrong. */
  readPublicKey(name: string): Promise<KeyObject>;
  /** Makes the signer of a key of the service. */
  signer(name: string, publicKey: KeyObject): Signer;
};

/** The settings of a signing service. */
export type RemoteOptions = {
  call: CallRemote;
  /** The longest that a signature may take. */
  deadlineMs: number;
  /** How many signatures are asked for at the same time. Others wait within their deadline. */
  callsAtOnce: number;
  /** Called after every signature that was asked for; the reason is null if it can be used. */
  onCall(seconds: number, reason: string | null): void;
  /** Called when calls are paused because the service fails, and when it works again. */
  onChange(isPaused: boolean): void;
};

const failuresBeforePause = 5;
const retryMs = 1000;

/**
 * Makes the client of a signing service. The service gets the SHA-256 digest, never the message,
 * as cloud key services do. Every signature is checked with the public key, so a wrong one never
 * leaves the bank. If the service fails, signatures reject with Unavailable.
 */
export function createRemoteKeys(options: RemoteOptions): RemoteKeys {
  const { call, deadlineMs, callsAtOnce, onCall } = options;
  const circuit = new Circuit(
    { callsAtOnce, failures: failuresBeforePause, retryMs },
    options.onChange,
  );
  const pathOf = (name: string): string => `keys/${encodeURIComponent(name)}`;

  /** Asks for a signature, and returns it if `isGood` accepts it. */
  async function ask(
    name: string,
    digest: string,
    isGood: (signature: Buffer) => boolean,
  ): Promise<Buffer> {
    const started = performance.now();
    const report = (reason: string | null) => onCall((performance.now() - started) / 1000, reason);
    try {
      const signature = await circuit.run(deadlineMs, async () => {
        const body = { alg: "PS256", digest };
        const made = signatureIn(await call(`${pathOf(name)}/sign`, body, deadlineMs));
        if (!isGood(made)) throw new Error("the signature does not belong to the key");
        return made;
      });
      report(null);
      return signature;
    } catch (error) {
      const reason = reasonOf(error as Error);
      report(reason);
      throw new Unavailable("signer", `the signing service did not sign with ${name}: ${reason}`, {
        cause: error,
        retryAfterSeconds: retryMs / 1000,
      });
    }
  }

  return {
    async readPublicKey(name) {
      const { kty, e, n } = (await call(pathOf(name), null, deadlineMs)) as Record<string, unknown>;
      if (kty !== "RSA" || typeof e !== "string" || typeof n !== "string") {
        throw new Error("the service did not return an RSA public key as a JWK");
      }
      return publicKeyOf({ e, n });
    },
    signer: (name, publicKey) => {
      const key = { key: publicKey, ...ps256 };
      return {
        sign: (input) =>
          ask(name, hash("sha256", input, "base64url"), (made) =>
            verify("sha256", input, key, made),
          ),
        signPieces() {
          const digest = createHash("sha256");
          const check = createVerify("sha256");
          return {
            update(piece) {
              digest.update(piece);
              check.update(piece);
            },
            finish: () => ask(name, digest.digest("base64url"), (made) => check.verify(key, made)),
          };
        },
      };
    },
  };
}

function signatureIn(answer: unknown): Buffer {
  const { signature } = (answer ?? {}) as { signature?: unknown };
  if (typeof signature !== "string" || !/^[\w-]+$/.test(signature)) {
    throw new Error("the response has no signature in base64url");
  }
  return Buffer.from(signature, "base64url");
}
