import { createPrivateKey, createSign, type KeyObject, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { ps256, type Signer } from "#src/http/signature/signer.ts";
import { type PublicJwk, publicJwkOf, publicKeyOf } from "./public-jwk.ts";
import type { RemoteKeys } from "./remote-keys.ts";

/** A private key that was found at its location. */
export type LocatedKey = { jwk: PublicJwk; publicKey: KeyObject; signer: Signer };

/** Finds private keys. */
export type KeyLocator = {
  /** Finds the key at a location. Throws an Error that says what is wrong. */
  find(location: string): Promise<LocatedKey>;
  /** Makes the signer of a key whose public half is known, without waiting for a service. */
  signerOf(location: string, publicKey: KeyObject): Signer;
};

const prefix = "service:";
const leastBits = 2048;

/** Returns the name of a key at the signing service; null if the location is a file. */
export const serviceKeyOf = (location: string): string | null =>
  location.startsWith(prefix) ? location.slice(prefix.length) : null;

/**
 * Makes the locator of private keys. `resolve` completes the paths of files, and `service` is the
 * signing service, if there is one.
 */
export function createKeyLocator(
  resolve: (path: string) => string,
  service: RemoteKeys | null,
): KeyLocator {
  const named = (name: string): RemoteKeys => {
    if (service) return service;
    throw new Error(`the key ${name} needs SIGNING_SERVICE_URL, the URL of the signing service`);
  };
  return {
    async find(location) {
      const name = serviceKeyOf(location);
      if (name === null) return readKeyFile(resolve(location));
      const publicKey = await named(name).readPublicKey(name);
      checkForm(publicKey, `the key ${name} of the signing service`);
      const signer = named(name).signer(name, publicKey);
      return { jwk: publicJwkOf(publicKey), publicKey, signer };
    },
    signerOf(location, publicKey) {
      const name = serviceKeyOf(location);
      if (name !== null) return named(name).signer(name, publicKey);
      const path = resolve(location);
      const found = readKeyFile(path);
      if (!found.publicKey.equals(publicKey)) throw new Error(`${path} contains another key`);
      return found.signer;
    },
  };
}

function readKeyFile(path: string): LocatedKey {
  const key = createPrivateKey(readFileSync(path, "utf8"));
  checkForm(key, path);
  const jwk = publicJwkOf(key);
  return { jwk, publicKey: publicKeyOf(jwk), signer: createFileSigner(key) };
}

function checkForm(key: KeyObject, where: string): void {
  if (key.asymmetricKeyType !== "rsa") {
    throw new Error(`${where} is not an RSA key, which PS256 needs`);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < leastBits) {
    throw new Error(`${where} is an RSA key of ${bits} bits; it must have at least ${leastBits}`);
  }
}

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
