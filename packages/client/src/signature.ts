import { type CryptoKey, FlattenedSign, flattenedVerify, type JWSHeaderParameters } from "jose";
import type { BankKeys } from "./bank-keys.ts";
import type { Deviations } from "./deviations.ts";
import { NoAnswerError, VerificationError } from "./errors.ts";

const issuedAt = "http://openbanking.org.uk/iat";
const issuer = "http://openbanking.org.uk/iss";
const trustAnchor = "http://openbanking.org.uk/tan";
const claims = [issuedAt, issuer, trustAnchor];

/** Signatures name these members in `crit`, and `jose` must be told that we know them. */
export const knownCrit: Record<string, boolean> = Object.fromEntries(
  claims.map((name) => [name, true]),
);

/** The header that carries the detached signature of a body. */
export const signatureHeader = "x-jws-signature";

/** Who signs, with which key. */
export type Signatory = {
  key: CryptoKey;
  keyId: string;
  organisationId: string;
  softwareId: string;
};

type SignatureRules = Pick<
  Deviations,
  | "signatureIssuer"
  | "signatureKeyId"
  | "signatureB64"
  | "signatureType"
  | "signatureContentType"
  | "trustAnchor"
>;

/** Signs exactly these bytes. Returns the value of `x-jws-signature`. */
export async function signDetached(
  bytes: Uint8Array,
  signatory: Signatory,
  rules: SignatureRules,
  now: Date,
): Promise<string> {
  const { organisationId, softwareId } = signatory;
  const issuers: Readonly<Record<string, string>> = {
    "organisation/software": `${organisationId}/${softwareId}`,
    organisation: organisationId,
  };
  const { signatureType: typ, signatureContentType: cty, signatureB64 } = rules;
  const header = {
    alg: "PS256",
    kid: rules.signatureKeyId ?? signatory.keyId,
    ...(typ === null ? {} : { typ }),
    ...(cty === null ? {} : { cty }),
    ...(signatureB64 ? { b64: false } : {}),
    [issuedAt]: Math.floor(now.getTime() / 1000),
    [issuer]: issuers[rules.signatureIssuer] ?? rules.signatureIssuer,
    [trustAnchor]: rules.trustAnchor,
    crit: [...(signatureB64 ? ["b64"] : []), ...claims],
  };
  const signed = await new FlattenedSign(bytes)
    .setProtectedHeader(header)
    .sign(signatory.key, { crit: knownCrit });
  return `${signed.protected}..${signed.signature}`;
}

/** What the signature of an answer must be. */
type SignatureExpectation = {
  keys: BankKeys;
  /** The bank's organisation id; null if it is not known. */
  organisationId: string | null;
  now: Date;
};

// A clock may differ by this much.
const toleranceSeconds = 300;

/**
 * Verifies the bank's signature over exactly these bytes. Throws VerificationError, or
 * NoAnswerError if the bank's keys cannot be fetched now.
 */
export async function verifyDetached(
  value: string,
  bytes: Uint8Array,
  expectation: SignatureExpectation,
): Promise<void> {
  const [protectedHeader = "", middle, signature = "", ...rest] = value.split(".");
  if (middle !== "" || rest.length > 0) throw new VerificationError("it is not a detached JWS");
  const header = readHeader(protectedHeader);
  const payload = header.b64 === false ? bytes : Buffer.from(bytes).toString("base64url");
  try {
    await flattenedVerify({ protected: protectedHeader, payload, signature }, expectation.keys, {
      algorithms: ["PS256"],
      crit: knownCrit,
    });
  } catch (error) {
    if (error instanceof NoAnswerError) throw error;
    throw new VerificationError((error as Error).message, null, error);
  }
  checkClaims(header, expectation);
}

function readHeader(text: string): JWSHeaderParameters {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch (error) {
    throw new VerificationError("its header is not JSON", null, error);
  }
}

/** Checks the members of Open Banking in a header whose signature is valid. */
export function checkClaims(
  header: JWSHeaderParameters,
  { organisationId, now }: Pick<SignatureExpectation, "organisationId" | "now">,
): void {
  for (const name of claims) {
    if (header[name] === undefined) throw new VerificationError(`its header has no ${name}`);
    if (!header.crit?.includes(name)) throw new VerificationError(`its crit lacks ${name}`);
  }
  const at = header[issuedAt];
  if (typeof at !== "number" || at > now.getTime() / 1000 + toleranceSeconds) {
    throw new VerificationError(`its ${issuedAt} is ${at}, which is not a time in the past`);
  }
  if (organisationId !== null && header[issuer] !== organisationId) {
    const found = JSON.stringify(header[issuer]);
    throw new VerificationError(`its ${issuer} is ${found}; expected ${organisationId}`);
  }
}
