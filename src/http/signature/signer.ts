import { constants } from "node:crypto";

/** How an RSA key signs and verifies by PS256. Source: RFC 7518 section 3.5. */
export const ps256 = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
} as const;

/**
 * Makes PS256 signatures with one private key, which may be in another process. If the key cannot
 * be used now, its functions reject with Unavailable.
 */
export type Signer = {
  /** Returns the signature of the bytes. */
  sign(input: Uint8Array): Promise<Buffer>;
  /** Signs bytes that are written piece by piece. */
  signPieces(): PieceSigner;
};

/** Calculates one signature while its bytes are written. */
type PieceSigner = {
  update(piece: string | Uint8Array): void;
  /** Returns the signature of all the bytes. */
  finish(): Promise<Buffer>;
};

/** A signer with the id of its key, as signatures name it. */
export type SigningKey = Signer & { kid: string };

/** Returns the key with which the bank signs now. Called for every signature. */
export type CurrentKey = () => SigningKey;
