import { hash } from "node:crypto";
import { idFromBytes } from "#src/lib/ids.ts";

/** What an order or a payment is made for. Its id follows only from this. */
export type Origin =
  /** A consent that one order uses up. */
  | { of: "consent"; consentId: string }
  /** A consent that allows several orders: each is made by a request with an idempotency key. */
  | {
      of: "request";
      consentId: string;
      /** Method and path: a key is unique for one operation only. */
      operation: string;
      key: string;
      fingerprint: string;
      /** How many orders of the consent had the same origin before; their keys had expired. */
      earlier: number;
    }
  /** The payment before it in the same order. */
  | { of: "payment"; paymentId: string }
  /** The file of a consent: the number of the instruction, from 1. */
  | { of: "file"; consentId: string; line: number };

/**
 * The id of an order or payment, in the form of `newId`. It is the same whenever it is derived
 * from the same origin, so that the core sees that a payment is repeated after Aldgate's database
 * was restored from an older backup. The texts that are hashed must never change: the core knows
 * payments for ever, and a payment with another id is another payment.
 */
export const derivedId = (prefix: string, origin: Origin): string =>
  idFromBytes(prefix, hash("sha256", JSON.stringify([prefix, ...partsOf(origin)]), "buffer"));

function partsOf(origin: Origin): (string | number)[] {
  switch (origin.of) {
    case "consent":
      return ["consent", origin.consentId];
    case "request": {
      const { consentId, operation, key, fingerprint, earlier } = origin;
      return ["request", consentId, operation, key, fingerprint, earlier];
    }
    case "payment":
      return ["payment", origin.paymentId];
    case "file":
      return ["file", origin.consentId, origin.line];
  }
}
