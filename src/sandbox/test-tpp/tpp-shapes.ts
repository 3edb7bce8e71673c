import Type from "typebox";
import { profileIds } from "#src/clients/security-profile.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { newContract } from "./contract-shapes.ts";

const profile = Type.Union(
  profileIds.map((id) => Type.Literal(id)),
  {
    description:
      "The security profile: FAPI 1.0 Advanced (the default), FAPI 2.0 Security Profile or FAPI " +
      "2.0 Message Signing.",
  },
);

/** The body of a request for a TPP. */
export const tppRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 70, description: "The name that customers see." }),
    roles: Type.Array(Type.Union(tppRoles.map((role) => Type.Literal(role))), { minItems: 1 }),
    redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
      minItems: 1,
      maxItems: 20,
      description: "https, or http on loopback.",
    }),
    tokenEndpointAuthMethod: Type.Optional(
      Type.Union([Type.Literal("private_key_jwt"), Type.Literal("tls_client_auth")]),
    ),
    certificateBound: Type.Optional(
      Type.Boolean({
        description: "If false, tokens work without a certificate, from loopback only.",
      }),
    ),
    profile: Type.Optional(profile),
    notificationEndpoint: Type.Optional(
      Type.String({
        maxLength: 256,
        description:
          "Where the bank tells the TPP of decisions on requests that it began without a browser " +
          "(CIBA in ping mode): https, or http on loopback. By default, the TPP polls.",
      }),
    ),
    vrpContracts: Type.Optional(
      Type.Array(newContract, {
        maxItems: 10,
        description: "Contracts for variable recurring payments other than sweeping.",
      }),
    ),
  },
  { additionalProperties: false },
);
const keyPair = { privateKeyPem: Type.String(), certificatePem: Type.String() };
/** The response body, with the private keys, which are returned only once. */
export const newTpp = Type.Object(
  {
    clientId: Type.String(),
    organisationId: Type.String(),
    softwareId: Type.String(),
    profile,
    softwareStatement: Type.String(),
    signing: Type.Object({ kid: Type.String(), ...keyPair }),
    transport: Type.Object(keyPair),
    caPem: Type.String(),
  },
  { title: "NewTpp" },
);
const certificate = { certificatePem: Type.String() };
/** The body of later responses about a TPP. */
export const knownTpp = Type.Object(
  {
    clientId: Type.String(),
    organisationId: Type.String(),
    softwareId: Type.String(),
    name: Type.String(),
    roles: tppRequest.properties.roles,
    redirectUris: Type.Array(Type.String()),
    tokenEndpointAuthMethod: Type.String(),
    certificateBound: Type.Boolean(),
    profile,
    softwareStatement: Type.String(),
    signing: Type.Object({ kid: Type.String(), ...certificate }),
    transport: Type.Object(certificate),
    caPem: Type.String(),
  },
  { title: "Tpp" },
);
