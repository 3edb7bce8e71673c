import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { extname } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";

// about 25 ms and 16 MB: slow enough against guessing, quick enough for a login
const cost = { N: 2 ** 14, r: 8, p: 1 };
const length = 32;

/** A request to the hashing thread. */
export type HashRequest = {
  id: number;
  password: string;
  salt: Uint8Array;
  length: number;
  options: ScryptOptions;
};
type HashAnswer = { id: number; key?: Uint8Array; failure?: string };
type Waiting = { resolve(key: Buffer): void; reject(error: Error): void };

/** Checks passwords of one bank. */
type PasswordCheck = {
  /** Compares a password with the stored one. If none is stored, returning false takes as long. */
  isPassword(password: string, stored: string | null): Promise<boolean>;
  /** Ends the thread. A check in progress fails. */
  close(): Promise<void>;
};

// modules end with .js in the package
const workerFile = `./password-worker${extname(import.meta.filename)}`;

const hashOf = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const maxmem = 2 ** 26;

/** The stored form of a password: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await hashOf(password.normalize("NFKC"), salt, length, { ...cost, maxmem });
  const { N, r, p } = cost;
  return ["scrypt", N, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

// a placeholder hash, with which the password is compared if the login is unknown
const nobody = `scrypt$${cost.N}$${cost.r}$${cost.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

/**
 * Creates the check. It hashes on a thread that the first login starts: on the shared pool, many
 * logins would delay signatures and files.
 */
export function createPasswordCheck(): PasswordCheck {
  const hashing = createHashing();
  return {
    async isPassword(password, stored) {
      const [, N, r, p, salt = "", hash = ""] = (stored ?? nobody).split("$");
      const expected = Buffer.from(hash, "base64url");
      const key = await hashing.derive({
        password: password.normalize("NFKC"),
        salt: Buffer.from(salt, "base64url"),
        length: expected.length,
        options: { N: Number(N), r: Number(r), p: Number(p), maxmem },
      });
      return timingSafeEqual(key, expected) && stored !== null;
    },
    close: hashing.close,
  };
}

type Hashing = {
  derive(request: Omit<HashRequest, "id">): Promise<Buffer>;
  close(): Promise<void>;
};

function createHashing(): Hashing {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | null = null;
  let lastId = 0;
  const start = (): Worker => {
    const started = new Worker(new URL(workerFile, import.meta.url));
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
    return started;
  };
  return {
    derive(request) {
      thread ??= start();
      const worker = thread;
      // the thread keeps the process alive only while somebody waits for it
      worker.ref();
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker.postMessage({ id, ...request });
      });
    },
    close: async () => void (await thread?.terminate()),
  };
}
