import type { ProfileId } from "#src/clients/security-profile.ts";
import type { Name } from "./certificates.ts";
import type { TppRole } from "./roles.ts";

/** A TPP's registration with its keys and certificates. Private keys are returned only once. */
export type IssuedTpp = {
  clientId: string;
  organisationId: string;
  softwareId: string;
  name: string;
  roles: TppRole[];
  redirectUris: string[];
  tokenEndpointAuthMethod: "private_key_jwt" | "tls_client_auth";
  certificateBound: boolean;
  /** The security profile that it is registered for. */
  profile: ProfileId;
  softwareStatement: string;
  signing: { kid: string; privateKeyPem: string; certificatePem: string };
  transport: { privateKeyPem: string; certificatePem: string };
  caPem: string;
};

/** A TPP without its private keys, as the directory can return it at any time. */
export type TppCertificates = Omit<IssuedTpp, "signing" | "transport"> & {
  signing: Omit<IssuedTpp["signing"], "privateKeyPem">;
  transport: Omit<IssuedTpp["transport"], "privateKeyPem">;
};

/** Returns a TPP with newer certificates for the same keys. */
export const withCertificates = <Tpp extends IssuedTpp>(tpp: Tpp, newer: TppCertificates): Tpp => ({
  ...tpp,
  signing: { ...tpp.signing, certificatePem: newer.signing.certificatePem },
  transport: { ...tpp.transport, certificatePem: newer.transport.certificatePem },
  caPem: newer.caPem,
});

/** The distinguished name of a TPP's certificates. */
export const subjectOf = (ids: Pick<IssuedTpp, "organisationId" | "softwareId">): Name => [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "OpenBanking" },
  { attribute: "OU", value: ids.organisationId },
  { attribute: "CN", value: ids.softwareId },
];

/** The error for a TPP that cannot be registered as requested, with one message per fault. */
export class TppRefused extends Error {
  readonly statusCode = 400;
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}
