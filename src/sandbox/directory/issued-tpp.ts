import type { Name } from "./certificates.ts";

/** A TPP's registration with everything that it holds; the private keys are given out once. */
export type IssuedTpp = {
  clientId: string;
  organisationId: string;
  softwareId: string;
  name: string;
  roles: ("AISP" | "PISP")[];
  redirectUris: string[];
  tokenEndpointAuthMethod: "private_key_jwt" | "tls_client_auth";
  certificateBound: boolean;
  softwareStatement: string;
  signing: { kid: string; privateKeyPem: string; certificatePem: string };
  transport: { privateKeyPem: string; certificatePem: string };
  caPem: string;
};

/** A TPP as the directory can tell of it at any time: without the private keys. */
export type TppCertificates = Omit<IssuedTpp, "signing" | "transport"> & {
  signing: Omit<IssuedTpp["signing"], "privateKeyPem">;
  transport: Omit<IssuedTpp["transport"], "privateKeyPem">;
};

/** The TPP with newer certificates over the keys that it has. */
export const withCertificates = <Tpp extends IssuedTpp>(tpp: Tpp, newer: TppCertificates): Tpp => ({
  ...tpp,
  signing: { ...tpp.signing, certificatePem: newer.signing.certificatePem },
  transport: { ...tpp.transport, certificatePem: newer.transport.certificatePem },
  caPem: newer.caPem,
});

/** The distinguished name of a TPP's certificates. Source: ETSI TS 119 495. */
export const subjectOf = (ids: Pick<IssuedTpp, "organisationId" | "softwareId">): Name => [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "OpenBanking" },
  { attribute: "OU", value: ids.organisationId },
  { attribute: "CN", value: ids.softwareId },
];

/** A TPP that cannot be registered as asked; one message a fault. */
export class TppRefused extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}
