import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

// about 25 ms and 16 MB: slow for who guesses, quick for who logs in
const cost = { N: 2 ** 14, r: 8, p: 1 };
const length = 32;

const derive = (password: string, salt: Buffer, size: number, options: ScryptOptions) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, size, { ...options, maxmem: 2 ** 26 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** The stored form of a password: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, length, cost);
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

// what a password is checked against when nobody has that login
const nobody = `scrypt$${cost.N}$${cost.r}$${cost.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

/** Whether the password is the stored one; without a stored one it takes as long to say no. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = "", hash = ""] = (stored ?? nobody).split("$");
  const expected = Buffer.from(hash, "base64url");
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const key = await derive(password, Buffer.from(salt, "base64url"), expected.length, options);
  return timingSafeEqual(key, expected) && stored !== null;
}
