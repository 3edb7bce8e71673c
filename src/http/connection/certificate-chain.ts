import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "#src/certificates/pem.ts";

/** Parses the certificates of a PEM text, in its order. Throws when one cannot be read. */
export const parseCertificates = (pem: string): X509Certificate[] =>
  certificateBlocks(pem).map((block) => new X509Certificate(block));

/**
 * Returns a JWK with its certificate and that of each issuer as `x5c`. Clients that know keys by
 * their certificates verify signatures with it. Source: RFC 7517 section 4.7.
 */
export const withCertificates = <Key extends object>(jwk: Key, pem: string) => ({
  ...jwk,
  x5c: parseCertificates(pem).map(({ raw }) => raw.toString("base64")),
});

/** The media type of a set of keys. Source: RFC 7517 section 8.5.1. */
export const jwkSetType = "application/jwk-set+json";
