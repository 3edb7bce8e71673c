import { constants, sign } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";

const without = (claims: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));

/** Signs claims as a JWT, with any header. Members that are undefined are left out. */
export async function signAny(
  claims: Record<string, unknown>,
  header: Record<string, unknown>,
  key: { privateKeyPem: string },
): Promise<string> {
  const alg = String(header.alg ?? "PS256");
  const imported = await importPKCS8(key.privateKeyPem, alg);
  return new SignJWT(without(claims))
    .setProtectedHeader(without({ typ: "JWT", alg, ...header }) as { alg: string })
    .sign(imported);
}

/** How a signature is made. */
export type SignOptions = { padding: number; saltLength?: number };

/** RSASSA-PSS with the salt length that some libraries choose, which PS256 does not have. */
export const longSalt: SignOptions = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN,
};
/** The padding of RS256. */
export const oldPadding: SignOptions = { padding: constants.RSA_PKCS1_PADDING };

/** A JWS in compact form, signed again in this form by the same key; `body` is a detached one. */
export function resigned(
  jws: string,
  privateKeyPem: string,
  form: SignOptions,
  body?: Buffer,
): string {
  const [head, payload, _old] = jws.split(".");
  const input = `${head}.${body?.toString("base64url") ?? payload}`;
  const signature = sign("sha256", Buffer.from(input), { key: privateKeyPem, ...form });
  return `${head}.${payload}.${signature.toString("base64url")}`;
}
