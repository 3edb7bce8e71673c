import { constants, type KeyObject, verify } from "node:crypto";
import type { Algorithm, KeyMembers } from "#src/clients/import-key.ts";
import { findUnstorable } from "#src/http/hostile-text.ts";
import { parseJsonObject } from "#src/http/json-object.ts";

/** A signed JWT that has been read; its signature is not yet verified. */
export type CompactJws = {
  text: string;
  header: Readonly<Record<string, unknown>>;
  claims: Readonly<Record<string, unknown>>;
};

const base64url = /^[A-Za-z0-9_-]+$/;

class Unreadable extends Error {}

/** Reads a JWS in compact form. If it cannot be read, returns a sentence with the reason. */
export function readJws(text: string, noun: string): CompactJws | string {
  const parts = text.split(".");
  const isCompact =
    parts.length === 3 && parts.every((part) => base64url.test(part) && part.length % 4 !== 1);
  if (!isCompact) {
    return (
      `The ${noun} must be a signed JWT in compact form: header, payload and signature in ` +
      "base64url, joined by dots."
    );
  }
  try {
    const [header, claims] = parts.slice(0, 2).map((part, index) => {
      const what = `The ${index === 0 ? "header" : "payload"} of the ${noun}`;
      const value = parseJsonObject(
        Buffer.from(part, "base64url"),
        (why) => new Unreadable(`${what} ${why}.`),
      );
      if (findUnstorable(value) !== null) {
        throw new Unreadable(`${what} must not contain NUL or unpaired surrogates.`);
      }
      return value;
    });
    return { text, header: header ?? {}, claims: claims ?? {} };
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** A published key, with only the members that the bank needs. */
export type SoftwareJwk = KeyMembers & { kid: string; use: "sig" | "enc" | "tls" };

const saltBytes = 32;

/** Whether a key verifies the signature of a JWS. */
export function isSignedBy(jws: CompactJws, key: KeyObject, algorithm: Algorithm): boolean {
  const end = jws.text.lastIndexOf(".");
  const signed = Buffer.from(jws.text.slice(0, end));
  const signature = Buffer.from(jws.text.slice(end + 1), "base64url");
  const form =
    algorithm === "PS256"
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes }
      : ({ key, dsaEncoding: "ieee-p1363" } as const);
  return verify("sha256", signed, form, signature);
}
