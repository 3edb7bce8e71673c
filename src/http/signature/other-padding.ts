import { constants, type KeyObject, verify } from "node:crypto";

/** What PS256 is, as the last sentence of a refusal. Source: RFC 7518 section 3.5. */
export const ps256Form =
  "PS256 is RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes: set the padding and " +
  "the length of the salt, because the defaults of Node, Python and Java differ.";

const pss = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_AUTO,
};

/** Ways in which programs sign by mistake, and what such a signature has. */
const ways: readonly { digest: string; form: object; has: string }[] = [
  { digest: "sha256", form: pss, has: "a salt of another length than 32 bytes" },
  { digest: "sha384", form: pss, has: "the hash SHA-384, as PS384 has it" },
  { digest: "sha512", form: pss, has: "the hash SHA-512, as PS512 has it" },
  {
    digest: "sha256",
    form: { padding: constants.RSA_PKCS1_PADDING },
    has: "PKCS #1 v1.5 padding, as RS256 has it",
  },
];

/**
 * Says how a signature over this input, made with the private half of this key, differs from PS256;
 * null if the key did not make it.
 */
export function otherPadding(
  input: string | Uint8Array,
  key: KeyObject,
  signature: string,
): string | null {
  if (key.asymmetricKeyType !== "rsa") return null;
  const bytes = Buffer.from(signature, "base64url");
  const way = ways.find(({ digest, form }) =>
    verify(digest, Buffer.from(input), { key, ...form }, bytes),
  );
  return way
    ? `The key and the signed bytes are right, but the signature has ${way.has}. ${ps256Form}`
    : null;
}

/** The same for a JWT, whose last part is its signature. */
export function otherPaddingOfJwt(text: string, key: KeyObject): string | null {
  const end = text.lastIndexOf(".");
  return otherPadding(text.slice(0, end), key, text.slice(end + 1));
}
