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
