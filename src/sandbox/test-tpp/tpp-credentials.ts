import type { ProfileId } from "#src/clients/security-profile.ts";
import type { Operation } from "#src/http/operation.ts";

/** A TPP's registration and credentials: the response of `POST /sandbox/v1/tpps`. */
export type TppCredentials = {
  clientId: string;
  organisationId: string;
  softwareId: string;
  redirectUris: string[];
  tokenEndpointAuthMethod: "private_key_jwt" | "tls_client_auth";
  certificateBound: boolean;
  /** The security profile; the default is FAPI 1.0 Advanced. */
  profile?: ProfileId;
  signing: { kid: string; privateKeyPem: string };
  transport: { privateKeyPem: string; certificatePem: string };
  caPem: string;
};

/** The bank's addresses. */
export type BankAddress = { publicUrl: string; mtlsUrl: string };

/** The bank that a TPP calls. */
export type TppBank = BankAddress & {
  /** The bank's operations. They define which requests have a signature and an idempotency key. */
  operations: readonly Operation[];
};
