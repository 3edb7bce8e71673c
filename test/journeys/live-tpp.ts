// A TPP that comes to a production bank with only its certificate and its software statement.
import { randomUUID } from "node:crypto";
import { assert } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Name } from "#src/sandbox/directory/certificates.ts";
import { generateRsaKey, signingJwk } from "#src/sandbox/directory/keys.ts";
import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { expectStatus } from "#test/harness.ts";
import type { Pair } from "#test/http/certificates.ts";
import type { KeyPem } from "#test/registration/bed.ts";
import { signAny } from "#test/registration/sign-any.ts";
import { statementClaims } from "./statement-claims.ts";
import type { Framework } from "./trust-framework.ts";

export const issuerName = "A Trust Framework";
const organisationId = "0015800001LIVE0001";
const softwareId = "7Gh2LqVtWkXyZpRsBnMcDf";
export const redirectUri = "https://tpp.example/callback";
/** The subject of the TPP's certificate. */
export const tppSubject: Name = [
  { attribute: "C", value: "GB" },
  { attribute: "O", value: "OpenBanking" },
  { attribute: "OU", value: organisationId },
  { attribute: "CN", value: softwareId },
];

const operations = listOperations(paymentKinds);

/** The bank as the TPP finds it. */
type Where = { publicUrl: string; mtlsUrl: string; caPem: string; framework: Framework };

/** A TPP before its registration: a certificate, and a key that the directory publishes. */
export type Software = { transport: Pair; signing: { kid: string; privateKeyPem: string } };

/** The parts of the discovery document that a registration needs. */
type Discovery = { issuer: string; registration_endpoint: string };

/** Returns what the TPP can do at a bank. */
export function tppOf({ publicUrl, mtlsUrl, caPem, framework }: Where) {
  let enrolled: Software | undefined;

  async function enrol(): Promise<Software> {
    const { served } = framework;
    const signing = await generateRsaKey();
    const jwk = await signingJwk(signing.publicKeyPem);
    served.set(`/${softwareId}.jwks`, { keys: [jwk] });
    served.set(`/revoked/${softwareId}.jwks`, { keys: [] });
    const transport = await framework.issueClient(tppSubject);
    return { transport, signing: { kid: jwk.kid, privateKeyPem: signing.privateKeyPem } };
  }

  function statement(signer: KeyPem = framework.keys): Promise<string> {
    const { host, kid } = framework;
    const given = { issuerName, host, organisationId, softwareId, redirectUri };
    return signAny(statementClaims(given), { kid }, signer);
  }

  /** The TPP with its client id; without one, it can only register. */
  const clientOf = ({ transport, signing }: Software, clientId = ""): TppClient =>
    new TppClient(
      { publicUrl, mtlsUrl, operations },
      {
        clientId,
        organisationId,
        softwareId,
        redirectUris: [redirectUri],
        tokenEndpointAuthMethod: "private_key_jwt",
        certificateBound: true,
        signing,
        transport: { privateKeyPem: transport.key, certificatePem: transport.cert },
        caPem,
      },
    );

  async function discover(client: TppClient): Promise<Discovery> {
    const url = `${publicUrl}/.well-known/openid-configuration`;
    const answer = await client.send(url, "GET", undefined, {});
    expectStatus(answer, 200);
    return answer.body as Discovery;
  }

  /** Sends a registration request as the specification describes it. */
  async function register(software: Software, softwareStatement?: string) {
    const client = clientOf(software);
    try {
      const { issuer, registration_endpoint: endpoint } = await discover(client);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: softwareId,
        aud: issuer,
        iat: now,
        exp: now + 600,
        jti: randomUUID(),
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "PS256",
        grant_types: ["authorization_code", "client_credentials", "refresh_token"],
        response_types: ["code id_token"],
        application_type: "web",
        scope: "openid accounts payments",
        id_token_signed_response_alg: "PS256",
        request_object_signing_alg: "PS256",
        software_statement: softwareStatement ?? (await statement()),
      };
      const { signing } = software;
      const body = await signAny(claims, { kid: signing.kid }, signing);
      const headers = { "content-type": "application/jose", accept: "application/json" };
      return await client.send(endpoint, "POST", Buffer.from(body), headers);
    } finally {
      client.close();
    }
  }

  return {
    enrol,
    statement,
    clientOf,
    discover,
    register,
    /** Registers the TPP. Close the client when done. */
    async registered(): Promise<TppClient> {
      // once, because the bank keeps the keys that it has fetched for a while
      enrolled ??= await enrol();
      const answer = await register(enrolled);
      expectStatus(answer, 201);
      const { client_id: clientId } = answer.body as { client_id?: string };
      assert(clientId !== undefined, "the answer has a client id");
      return clientOf(enrolled, clientId);
    },
  };
}
