import { randomUUID } from "node:crypto";

type Given = {
  issuerName: string;
  /** The host that publishes the software's keys. */
  host: string;
  organisationId: string;
  softwareId: string;
  redirectUri: string;
};

/** The claims of a software statement for software of both roles. */
export function statementClaims(given: Given): Record<string, unknown> {
  const roles = ["AISP", "PISP"];
  return {
    iss: given.issuerName,
    iat: Math.floor(Date.now() / 1000) - 60,
    jti: randomUUID(),
    software_environment: "production",
    software_mode: "Live",
    software_id: given.softwareId,
    software_client_id: given.softwareId,
    software_client_name: "Thrift",
    software_client_description: "Budgets",
    software_version: "2.1",
    software_redirect_uris: [given.redirectUri],
    software_roles: roles,
    organisation_competent_authority_claims: {
      authority_id: "FCAGBR",
      registration_id: "765432",
      status: "Active",
      authorisations: [{ member_state: "GB", roles }],
    },
    org_status: "Active",
    org_id: given.organisationId,
    org_name: "Thrift Ltd",
    org_contacts: [],
    software_jwks_endpoint: `https://${given.host}/${given.softwareId}.jwks`,
    software_jwks_revoked_endpoint: `https://${given.host}/revoked/${given.softwareId}.jwks`,
  };
}
