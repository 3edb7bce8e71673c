import { accountVersions } from "#src/accounts/account-versions.ts";
import { fundsVersions } from "#src/funds/funds-versions.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { scopeOfRole, type TppRole, tppRoles } from "#src/sandbox/directory/roles.ts";
import type { BankAddress } from "#src/sandbox/test-tpp/tpp-credentials.ts";
import { type Command, UsageError } from "./command.ts";
import { methodOf, optionsOnly, profileOf, profileUsage, readOptions, textOf } from "./options.ts";
import { servedSandbox } from "./sandbox-client.ts";
import { holdsTpp, writeTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp create` */
export const command: Command = {
  name: "tpp create",
  summary: "registers a TPP with the running sandbox and writes its keys and certificates",
  usage: [
    "  --out DIR          the folder to write (default: the name)",
    "  --name NAME        the name that customers see (default: My TPP)",
    "  --roles LIST       AISP,PISP,CBPII (default: all)",
    "  --redirect URI     redirect URI: https, or http on loopback",
    "  --auth METHOD      tls_client_auth (default) or private_key_jwt",
    `  --profile NAME     ${profileUsage}`,
    "  --force            replaces the TPP in the folder; its keys are lost",
    "  --unbound          tokens work without a certificate, from this machine",
  ].join("\n"),
  json: { "": ["clientId", "organisationId", "softwareId", "folder", "bank"] },
  next: [
    ["tpp token DIR accounts", "gets a token"],
    ["listen DIR", "polls the TPP's events"],
    ["logs --client CLIENT_ID", "lists its requests"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      out: { type: "string" },
      name: { type: "string" },
      roles: { type: "string" },
      redirect: { type: "string" },
      auth: { type: "string" },
      profile: { type: "string" },
      unbound: { type: "boolean" },
      force: { type: "boolean" },
    });
    if (rest.length > 0) throw new UsageError(optionsOnly);
    const name = textOf(values.name) ?? "My TPP";
    const standard = values.unbound ? "private_key_jwt" : "tls_client_auth";
    const request: Required<Omit<TppRequest, "vrpContracts" | "notificationEndpoint">> = {
      name,
      // the bank refuses a role that does not exist
      roles: (textOf(values.roles)?.split(",") ?? tppRoles) as TppRequest["roles"],
      redirectUris: [textOf(values.redirect) ?? "http://localhost:7878/callback"],
      tokenEndpointAuthMethod: methodOf(values.auth, standard),
      certificateBound: values.unbound !== true,
      profile: profileOf(values.profile),
    };
    const out = textOf(values.out) ?? name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    if (!values.force && holdsTpp(out)) {
      throw new UsageError(
        `${out} already contains the keys of a TPP. Name another folder with --out, or add ` +
          "--force to replace them. The old keys cannot be restored.",
      );
    }
    const sandbox = await servedSandbox(cli);
    const tpp = await sandbox.createTpp(request);
    const folder = writeTppFolder(out, { ...request, ...tpp }, sandbox.bank);
    const { clientId, organisationId, softwareId } = tpp;
    return {
      lines: [
        `Registered ${name} as ${clientId}; its files are in ${folder}\n`,
        ...nextSteps(out, request.roles, sandbox.bank),
      ],
      json: { clientId, organisationId, softwareId, folder, bank: sandbox.bank },
    };
  },
};

/** Describes how to get a token and make a first call, to an API that the roles allow. */
function nextSteps(out: string, roles: readonly TppRole[], bank: BankAddress): string[] {
  const calls = roles.flatMap((role) => (role === "PISP" ? [] : [firstCalls[role]]));
  const [call] = calls;
  if (!call) {
    return [
      "Next, a token:",
      `  TOKEN=$(./aldgate tpp token ${out} ${scopeOfRole.PISP})`,
      `  ${bank.publicUrl}/docs lists the calls. ./aldgate tpp sign signs their bodies.`,
    ];
  }
  const [latest, ...others] = call.versions.map(({ api }) => api.basePath).reverse();
  return [
    "Next, a token and a first call:",
    `  TOKEN=$(./aldgate tpp token ${out} ${call.scope})`,
    `  API=${bank.mtlsUrl}${latest}   # or ${others.join(", ")}`,
    `  curl -K ${out}/curl.conf -H "authorization: Bearer $TOKEN" \\`,
    `    -H 'content-type: application/json' -d '${JSON.stringify(call.body)}' \\`,
    `    $API/${call.path}`,
  ];
}

// a PISP's first call must be signed, which needs more than one curl command
const firstCalls = {
  AISP: {
    scope: scopeOfRole.AISP,
    versions: accountVersions,
    path: "account-access-consents",
    body: { Data: { Permissions: ["ReadAccountsBasic"] }, Risk: {} },
  },
  CBPII: {
    scope: scopeOfRole.CBPII,
    versions: fundsVersions,
    path: "funds-confirmation-consents",
    body: {
      Data: {
        DebtorAccount: {
          SchemeName: "UK.OBIE.SortCodeAccountNumber",
          Identification: "20202010981789",
        },
      },
    },
  },
} as const;
