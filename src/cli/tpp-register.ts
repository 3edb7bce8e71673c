import { createPrivateKey, createPublicKey, randomUUID } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import { type ProfileId, securityProfileNamed } from "#src/clients/security-profile.ts";
import { generateRsaKey } from "#src/sandbox/directory/keys.ts";
import { scopeOfRole, type TppRole, tppRoles } from "#src/sandbox/directory/roles.ts";
import { type Command, UsageError } from "./command.ts";
import { methodOf, profileOf, profileUsage, readOptions, textOf } from "./options.ts";
import { BankRefused, type SandboxClient, servedSandbox } from "./sandbox-client.ts";
import { send } from "./send.ts";
import { holdsTpp, writeTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp register` */
export const command: Command = {
  name: "tpp register",
  summary: "registers a TPP as in production: directory, statement, signed request, POST /register",
  usage: [
    "  ./aldgate tpp register DIR    writes keys, certificates and the request into DIR",
    "  --name NAME                   the name that customers see (default: My TPP)",
    "  --roles LIST                  AISP,PISP,CBPII (default: all)",
    "  --redirect URI                default: https://tpp.example/callback",
    "  --auth METHOD                 tls_client_auth (default) or private_key_jwt",
    `  --profile NAME                ${profileUsage}`,
    "  --force                       replaces the TPP in the folder; its keys are lost",
  ].join("\n"),
  json: { "": ["clientId", "organisationId", "softwareId", "folder", "bank"] },
  next: [
    ["tpp lint DIR/request.jws", "checks the request again"],
    ["tpp token DIR accounts", "gets a token"],
    ["clients show CLIENT_ID", "shows what the bank has registered"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      name: { type: "string" },
      roles: { type: "string" },
      redirect: { type: "string" },
      auth: { type: "string" },
      profile: { type: "string" },
      force: { type: "boolean" },
    });
    const [folder, ...more] = rest;
    if (folder === undefined || more.length > 0) throw new UsageError("Name one folder.");
    const method = methodOf(values.auth, "tls_client_auth");
    if (!values.force && holdsTpp(folder)) {
      throw new UsageError(
        `${folder} already contains the keys of a TPP. Name another folder, or add --force to ` +
          "replace them. The old keys cannot be restored.",
      );
    }
    const sandbox = await servedSandbox(cli);
    const made = await enter(sandbox, {
      name: textOf(values.name) ?? "My TPP",
      // the directory refuses a role that does not exist
      roles: (textOf(values.roles)?.split(",") ?? tppRoles) as TppRole[],
      redirectUris: [textOf(values.redirect) ?? "https://tpp.example/callback"],
      method,
      profile: profileOf(values.profile),
    });
    const request = await signRequest(sandbox, made);
    const clientId = await post(sandbox, made, request);
    const path = writeTppFolder(folder, { ...made.tpp, clientId }, sandbox.bank, {
      "request.jws": request,
      "statement.jwt": made.tpp.softwareStatement,
    });
    const { name, organisationId, softwareId } = made.tpp;
    return {
      lines: [
        `Registered ${name} as ${clientId}; its files are in ${path}`,
        `  ./aldgate tpp lint ${folder}/request.jws   checks the request again`,
        `  TOKEN=$(./aldgate tpp token ${folder} accounts)`,
      ],
      json: { clientId, organisationId, softwareId, folder: path, bank: sandbox.bank },
    };
  },
};

type Wanted = {
  name: string;
  roles: TppRole[];
  redirectUris: string[];
  method: "tls_client_auth" | "private_key_jwt";
  profile: ProfileId;
};

type Made = Awaited<ReturnType<typeof enter>>;

/** Makes the keys, and gets their certificates and a statement from the directory. */
async function enter(sandbox: SandboxClient, { method, profile, ...wanted }: Wanted) {
  const { directory } = sandbox;
  const [signing, transport] = await Promise.all([generateRsaKey(), generateRsaKey()]);
  const { softwareId, organisationId } = await directory.enter(wanted);
  const certify = (use: "signing" | "transport", { privateKeyPem }: { privateKeyPem: string }) => {
    const key = createPublicKey(createPrivateKey(privateKeyPem));
    const publicKeyPem = key.export({ type: "spki", format: "pem" }).toString();
    return directory.certify(softwareId, { use, publicKeyPem });
  };
  const signed = await certify("signing", signing);
  const { caPem, certificatePem } = await certify("transport", transport);
  return {
    tpp: {
      organisationId,
      softwareId,
      ...wanted,
      tokenEndpointAuthMethod: method,
      certificateBound: true,
      profile,
      softwareStatement: await directory.state(softwareId),
      signing: {
        kid: signed.kid,
        privateKeyPem: signing.privateKeyPem,
        certificatePem: signed.certificatePem,
      },
      transport: { privateKeyPem: transport.privateKeyPem, certificatePem },
      caPem,
    },
  };
}

const lifeSeconds = 1800;

async function signRequest({ bank }: SandboxClient, { tpp }: Made): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const { defaultResponseTypes, registered } = securityProfileNamed(tpp.profile);
  const usesTls = tpp.tokenEndpointAuthMethod === "tls_client_auth";
  const subject = `CN=${tpp.softwareId},OU=${tpp.organisationId},O=OpenBanking,C=GB`;
  const claims = {
    iss: tpp.softwareId,
    aud: bank.publicUrl,
    iat: now,
    exp: now + lifeSeconds,
    jti: randomUUID(),
    redirect_uris: tpp.redirectUris,
    token_endpoint_auth_method: tpp.tokenEndpointAuthMethod,
    ...(usesTls
      ? { tls_client_auth_subject_dn: subject }
      : { token_endpoint_auth_signing_alg: "PS256" }),
    grant_types: ["authorization_code", "client_credentials", "refresh_token"],
    response_types: defaultResponseTypes,
    ...registered,
    software_id: tpp.softwareId,
    scope: ["openid", ...tpp.roles.map((role) => scopeOfRole[role])].join(" "),
    software_statement: tpp.softwareStatement,
    application_type: "web",
    id_token_signed_response_alg: "PS256",
    request_object_signing_alg: "PS256",
  };
  const header = { alg: "PS256", kid: tpp.signing.kid, typ: "JWT" };
  const key = await importPKCS8(tpp.signing.privateKeyPem, "PS256");
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

async function post({ bank }: SandboxClient, { tpp }: Made, request: string): Promise<string> {
  const answer = await send(`${bank.mtlsUrl}/register`, {
    method: "POST",
    raw: { text: request, contentType: "application/jwt" },
    caPem: tpp.caPem,
    client: tpp.transport,
  });
  const body = JSON.parse(answer.text) as Record<string, string>;
  if (answer.status === 201) return String(body.client_id);
  throw new BankRefused(`The bank refused: ${body.error}: ${body.error_description}`);
}
