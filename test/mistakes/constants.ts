import { generateKeyPairSync } from "node:crypto";

/** The type of a client assertion. */
export const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** The time, in seconds. */
export const now = Math.floor(Date.now() / 1000);
/** A key that no client has. */
export const foreignKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
/** An address of nobody. */
export const elsewhere = "https://elsewhere.example";

/** The parameters of a client credentials token. */
export const credentials = { grant_type: "client_credentials", scope: "accounts" };
