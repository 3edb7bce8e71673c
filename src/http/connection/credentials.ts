import type { CertificateFault } from "./client-certificate.ts";

/** The credentials of a request. */
export type Credentials = {
  /** SHA-256 (base64url) of the bearer token; null without a usable Authorization header. */
  tokenHash: string | null;
  /** RFC 8705 x5t#S256 of the client certificate; null unless it is valid. */
  certificateThumbprint: string | null;
  /** Why there is no thumbprint; null if there is one. */
  certificateFault: CertificateFault | null;
  /** Whether the caller's address is loopback: where unbound sandbox tokens are accepted. */
  loopback: boolean;
};
