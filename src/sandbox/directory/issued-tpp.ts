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

/** A TPP that cannot be registered as asked; one message a fault. */
export class TppRefused extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join("; "));
    this.faults = faults;
  }
}
