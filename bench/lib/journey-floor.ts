import { constants, generateKeyPairSync, sign, verify } from "node:crypto";
import { createPasswordCheck, hashPassword } from "#src/sandbox/bank/password.ts";

// The unavoidable work of a journey: one password hash, the bank's signatures of two id_tokens and
// two responses, and the verification of two client assertions, a request object, a consent and an
// order.

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const padding = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const bytes = Buffer.alloc(1200, "a");
const signatures = 4;
const verifications = 5;

/** CPU milliseconds. */
export type JourneyFloor = { hash: number; signing: number; verifying: number };

/** Measures the unavoidable work of a journey, one task at a time. */
export async function measureFloor(rounds: number): Promise<JourneyFloor> {
  const stored = await hashPassword("a customer's password");
  const passwords = createPasswordCheck();
  const hash = async () => void (await passwords.isPassword("a customer's password", stored));
  await hash();
  const signed = sign("sha256", bytes, { key: privateKey, ...padding });
  const signing = async () => {
    for (let n = 0; n < signatures; n++) sign("sha256", bytes, { key: privateKey, ...padding });
  };
  const verifying = async () => {
    for (let n = 0; n < verifications; n++) {
      verify("sha256", bytes, { key: publicKey, ...padding }, signed);
    }
  };
  const floor = {
    hash: await cpuOf(rounds, hash),
    signing: await cpuOf(rounds, signing),
    verifying: await cpuOf(rounds, verifying),
  };
  await passwords.close();
  return floor;
}

async function cpuOf(rounds: number, work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}
