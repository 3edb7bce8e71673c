import { randomBytes, type ScryptOptions, timingSafeEqual } from "node:crypto";
import { Worker } from "node:worker_threads";

// about 25 ms and 16 MB: slow for who guesses, quick for who logs in
const cost = { N: 2 ** 14, r: 8, p: 1 };
const length = 32;

/** What the hashing thread is asked. */
export type HashRequest = {
  id: number;
  password: string;
  salt: Uint8Array;
  length: number;
  options: ScryptOptions;
};
type HashAnswer = { id: number; key?: Uint8Array; failure?: string };
type Waiting = { resolve(key: Buffer): void; reject(error: Error): void };

const waiting = new Map<number, Waiting>();
let thread: Worker | null = null;
let lastId = 0;

// Hashing has a separate thread. On the pool it would delay signatures and files, which must be
// handled however many customers try to log in.
function hashingThread(): Worker {
  if (thread) return thread;
  const started = new Worker(new URL("./password-worker.ts", import.meta.url));
  const fail = (error: Error): void => {
    if (thread === started) thread = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  started.on("message", ({ id, key, failure }: HashAnswer) => {
    const found = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) started.unref();
    if (key) found?.resolve(Buffer.from(key));
    else found?.reject(new Error(failure));
  });
  started.on("error", fail);
  started.on("exit", () => fail(new Error("the thread that hashes passwords has ended")));
  thread = started;
  return started;
}

function derive(
  password: string,
  salt: Uint8Array,
  size: number,
  options: ScryptOptions,
): Promise<Buffer> {
  const worker = hashingThread();
  // a process may end while nobody waits for the thread
  worker.ref();
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    const request: HashRequest = {
      id,
      password: password.normalize("NFKC"),
      salt,
      length: size,
      options: { ...options, maxmem: 2 ** 26 },
    };
    worker.postMessage(request);
  });
}

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
