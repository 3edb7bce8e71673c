import type { KeyObject } from "node:crypto";
import { type CertificateFile, openCertificateFile } from "./certificate-file.ts";
import type { RingKey } from "./key-ring.ts";
import type { StoredKey } from "./key-table.ts";
import type { KeyLocator } from "./locate-key.ts";
import { publicKeyOf } from "./public-jwk.ts";

/** How this process reaches private keys and certificates. */
export type KeyAccess = {
  locator: KeyLocator;
  /**
   * Issues and renews the certificates of a key, in place of a file; null in production. Returns
   * the function that reads the newest ones.
   */
  certify: ((key: StoredKey, publicKey: KeyObject) => Promise<() => string>) | null;
  /** Called once for each reason why a key or its certificate cannot be used. */
  onTrouble(kid: string, reason: string): void;
};

/** The keys that this process has opened. */
type OpenedKeys = {
  /** Opens the keys that are new or have moved, and returns them all. */
  open(keys: readonly StoredKey[]): Promise<RingKey[]>;
  /** Reads the files of certificates again. */
  renewCertificates(): void;
  find(kid: string): OpenedKey | undefined;
};

/** A key that this process has opened; `signer` is null if that failed. */
export type OpenedKey = Pick<RingKey, "publicKey" | "signer" | "certificatesPem"> &
  Pick<StoredKey, "location" | "certificateFile"> & {
    file: CertificateFile | null;
    /** Whether the key and its certificates could be opened. If not, the next call tries again. */
    isComplete: boolean;
  };

/** Makes the store of opened keys. */
export function createOpenedKeys({ locator, certify, onTrouble }: KeyAccess): OpenedKeys {
  const opened = new Map<string, OpenedKey>();
  const troubles = new Map<string, string>();

  function report(kid: string, message: string): void {
    if (troubles.get(kid) === message) return;
    troubles.set(kid, message);
    onTrouble(kid, message);
  }

  async function openOne(key: StoredKey): Promise<OpenedKey> {
    const { kid, location, certificateFile } = key;
    const publicKey = publicKeyOf(key.jwk);
    const one: OpenedKey = {
      publicKey,
      signer: null,
      certificatesPem: () => "",
      location,
      certificateFile,
      file: null,
      isComplete: false,
    };
    try {
      one.signer = locator.signerOf(location, publicKey);
      if (certify) one.certificatesPem = await certify(key, publicKey);
      else if (certificateFile !== null) {
        one.file = openCertificateFile(certificateFile, publicKey);
        one.certificatesPem = one.file.pem;
      }
      one.isComplete = true;
      troubles.delete(kid);
    } catch (error) {
      report(kid, (error as Error).message);
    }
    return one;
  }

  async function ringKeyOf(key: StoredKey): Promise<RingKey> {
    const known = opened.get(key.kid);
    const isKnown =
      known?.isComplete &&
      known.location === key.location &&
      known.certificateFile === key.certificateFile;
    const one = isKnown ? known : await openOne(key);
    opened.set(key.kid, one);
    const { publicKey, signer, certificatesPem } = one;
    return { ...key, publicKey, signer, certificatesPem };
  }

  return {
    open: (keys) => Promise.all(keys.map(ringKeyOf)),
    find: (kid) => opened.get(kid),
    renewCertificates() {
      for (const [kid, { file }] of opened) {
        try {
          const mistake = file?.look() ?? null;
          if (mistake !== null) report(kid, mistake);
        } catch (error) {
          report(kid, (error as Error).message);
        }
      }
    },
  };
}
