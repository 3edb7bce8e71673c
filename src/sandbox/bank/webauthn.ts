import { createPublicKey, hash, type KeyObject, verify } from "node:crypto";
import { isIP } from "node:net";
import Type, { type Static, type TSchema } from "typebox";
import { Compile } from "typebox/compile";

// How a bank reads what passkeys sign, without attestation and extensions. What a browser sends
// about a new passkey has its public key as SubjectPublicKeyInfo, so nothing here has to read CBOR.
// Source: WebAuthn Level 3 sections 7.1 and 7.2.

/** For whom passkeys sign, and from where. */
export type RelyingParty = { rpId: string; origin: string };

/**
 * Returns for whom passkeys sign on these pages; null if browsers have none for them: they need a
 * host name, and a connection that nobody can read.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(publicUrl);
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return null;
  const isSafe = protocol === "https:" || /^(.+\.)?localhost$/.test(hostname);
  return isSafe ? { rpId: hostname, origin } : null;
}

const bytes = Type.String({ pattern: "^[A-Za-z0-9_-]+$" });
const answerOf = <Response extends TSchema>(response: Response) =>
  Type.Object({ id: bytes, type: Type.Literal("public-key"), response });
const assertion = answerOf(
  Type.Object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: Type.Optional(bytes),
  }),
);
const creation = answerOf(
  Type.Object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    publicKey: bytes,
    transports: Type.Array(Type.String({ pattern: "^[a-z-]{1,20}$" }), { maxItems: 10 }),
  }),
);
const isAssertion = Compile(assertion);
const isCreation = Compile(creation);

/** What a browser sends after a passkey has signed. */
type Assertion = Static<typeof assertion>;

/** Reads what a browser has sent, as JSON text; null if it is something else. */
export function readAssertion(text: string): Assertion | null {
  const value = parse(text);
  return isAssertion.Check(value) ? value : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A passkey as it is kept: SubjectPublicKeyInfo in base64url, and how often it has signed. */
export type KeptKey = { publicKey: string; signCount: bigint };

/** What is expected of an answer. */
type Expected = RelyingParty & { challenge: string };

/**
 * Verifies what a passkey has signed. Returns its new count and whether it may be copied to other
 * devices; null if anything is wrong: the signature, the challenge, the origin, a device that has
 * not checked its user, or a count that has not grown, as of a copy. Source: WebAuthn Level 3
 * section 7.2.
 */
export function verifyAssertion(
  { response }: Assertion,
  expected: Expected,
  kept: KeptKey,
): { signCount: bigint; isSynced: boolean } | null {
  const clientData = fromText(response.clientDataJSON);
  const signed = fromText(response.authenticatorData);
  const facts = readSigned(signed, expected);
  if (!facts || !isClientData(clientData, "webauthn.get", expected)) return null;
  const data = Buffer.concat([signed, hash("sha256", clientData, "buffer")]);
  const key = readKey(kept.publicKey);
  if (!key || !isSignature(key, data, fromText(response.signature))) return null;
  const { signCount, isSynced } = facts;
  const counts = signCount > 0n || kept.signCount > 0n;
  return counts && signCount <= kept.signCount ? null : { signCount, isSynced };
}

/** A new passkey, ready to be kept. */
type NewKey = KeptKey & { credentialId: string; transports: string[]; isSynced: boolean };

/**
 * Reads a new passkey; null if anything is wrong. Source: WebAuthn Level 3 sections 5.2.1.1 and
 * 7.1.
 */
export function readNewKey(text: string, expected: Expected): NewKey | null {
  const answer = parse(text);
  if (!isCreation.Check(answer)) return null;
  const { id: credentialId, response } = answer;
  const { publicKey, transports } = response;
  const clientData = fromText(response.clientDataJSON);
  const facts = readSigned(fromText(response.authenticatorData), expected);
  if (!facts || !isClientData(clientData, "webauthn.create", expected)) return null;
  if (facts.credentialId !== credentialId || !readKey(publicKey)) return null;
  const { signCount, isSynced } = facts;
  return { credentialId, publicKey, transports, signCount, isSynced };
}

const fromText = (text: string): Buffer => Buffer.from(text, "base64url");

function isClientData(
  clientData: Buffer,
  type: "webauthn.get" | "webauthn.create",
  { challenge, origin }: Expected,
): boolean {
  const found = parse(clientData.toString()) as Record<string, unknown> | null | undefined;
  return (
    found?.type === type &&
    found.challenge === challenge &&
    found.origin === origin &&
    found.crossOrigin !== true
  );
}

// the bits of the flags. Source: WebAuthn Level 3 section 6.1
const userPresent = 0x01;
const userVerified = 0x04;
const mayBeCopied = 0x08;
const hasCredential = 0x40;

type SignedFacts = { signCount: bigint; isSynced: boolean; credentialId: string | null };

/** Reads what the device says; null if it is for another bank, or has not checked its user. */
function readSigned(signed: Buffer, { rpId }: Expected): SignedFacts | null {
  if (signed.length < 37) return null;
  const flags = signed.readUInt8(32);
  const isFor = signed.subarray(0, 32).equals(hash("sha256", rpId, "buffer"));
  if (!isFor || !(flags & userPresent) || !(flags & userVerified)) return null;
  return {
    signCount: BigInt(signed.readUInt32BE(33)),
    isSynced: (flags & mayBeCopied) !== 0,
    credentialId: flags & hasCredential ? readCredentialId(signed.subarray(37)) : null,
  };
}

// 16 bytes of the device's make, the length of the id, and the id
function readCredentialId(attested: Buffer): string | null {
  if (attested.length < 18) return null;
  const length = attested.readUInt16BE(16);
  const id = attested.subarray(18, 18 + length);
  return length > 0 && length <= 1023 && id.length === length ? id.toString("base64url") : null;
}

/** The algorithms of passkeys, best first. Source: RFC 9053 section 2, RFC 8812 section 2. */
export const passkeyAlgorithms = [
  { alg: -8, fits: ({ asymmetricKeyType }: KeyObject) => asymmetricKeyType === "ed25519" },
  {
    alg: -7,
    fits: ({ asymmetricKeyDetails: details }: KeyObject) => details?.namedCurve === "prime256v1",
  },
  {
    alg: -257,
    fits: ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) =>
      type === "rsa" && (details?.modulusLength ?? 0) >= 2048,
  },
];

/** The public key of a passkey; null if it is none of an algorithm that was asked for. */
function readKey(publicKey: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: fromText(publicKey), format: "der", type: "spki" });
    return passkeyAlgorithms.some(({ fits }) => fits(key)) ? key : null;
  } catch {
    return null;
  }
}

function isSignature(key: KeyObject, data: Buffer, signature: Buffer): boolean {
  try {
    return verify(key.asymmetricKeyType === "ed25519" ? null : "sha256", data, key, signature);
  } catch {
    return false;
  }
}
