import { constants, generateKeyPairSync, sign } from "node:crypto";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const key = {
  key: privateKey,
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const bytes = Buffer.alloc(1500, "a");
const inFlight = 8;

export type SigningRate = {
  signaturesPerSecond: number;
  /** CPU milliseconds per signature. Other work on the machine disturbs this less than a rate. */
  cpuMilliseconds: number;
};

/** Measures how many PS256 signatures (RSA-2048) this machine makes when all cores are busy. */
export function signingRate(seconds: number): Promise<SigningRate> {
  return new Promise((resolve, reject) => {
    let made = 0;
    let open = 0;
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const finish = () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      resolve({
        signaturesPerSecond: made / ((performance.now() - startedAt) / 1000),
        cpuMilliseconds: (user + system) / 1000 / made,
      });
    };
    const until = startedAt + seconds * 1000;
    const next = () => {
      open += 1;
      sign("sha256", bytes, key, (error) => {
        if (error) return reject(error);
        open -= 1;
        made += 1;
        if (performance.now() < until) next();
        else if (open === 0) finish();
      });
    };
    for (let index = 0; index < inFlight; index++) next();
  });
}
