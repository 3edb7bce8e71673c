import { accountVersions } from "#src/accounts/account-versions.ts";
import type { TppRequest } from "#src/sandbox/directory/create-tpp.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { type Command, UsageError } from "./command.ts";
import { profileOf, profileUsage, readOptions, textOf } from "./options.ts";
import { configuredSandbox } from "./sandbox-client.ts";
import { holdsTpp, writeTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp create` */
export const command: Command = {
  name: "tpp create",
  summary: "registers a TPP with the running sandbox and writes its keys and certificates",
  usage: [
    "  --out DIR          folder to write (default: the name)",
    "  --name NAME        what customers see (default: My TPP)",
    "  --roles LIST       AISP,PISP,CBPII (default: all)",
    "  --redirect URI     redirect URI: https, or http on loopback",
    "  --auth METHOD      tls_client_auth (default) or private_key_jwt",
    `  --profile NAME     ${profileUsage}`,
    "  --force            replaces the TPP in the folder; its keys are lost",
    "  --unbound          tokens work without a certificate, from this machine",
  ].join("\n"),
  async run(cli) {
    const { values } = readOptions(cli.arguments, {
      out: { type: "string" },
      name: { type: "string" },
      roles: { type: "string" },
      redirect: { type: "string" },
      auth: { type: "string" },
      profile: { type: "string" },
      unbound: { type: "boolean" },
      force: { type: "boolean" },
    });
    const name = textOf(values.name) ?? "My TPP";
    const method = textOf(values.auth) ?? (values.unbound ? "private_key_jwt" : "tls_client_auth");
    if (method !== "tls_client_auth" && method !== "private_key_jwt") {
      throw new UsageError(`There is no authentication method "${method}".`);
    }
    const request: Required<Omit<TppRequest, "vrpContracts">> = {
      name,
      // the bank refuses a role that does not exist
      roles: (textOf(values.roles)?.split(",") ?? tppRoles) as TppRequest["roles"],
      redirectUris: [textOf(values.redirect) ?? "http://localhost:7878/callback"],
      tokenEndpointAuthMethod: method,
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
    const sandbox = configuredSandbox(cli);
    const tpp = await sandbox.createTpp(request);
    const path = writeTppFolder(out, { ...request, ...tpp }, sandbox.bank);
    cli.print(`Registered ${name} as ${tpp.clientId}; its files are in ${path}\n`);
    const [latest, ...others] = accountVersions.map(({ api }) => api.basePath).reverse();
    cli.print("Next, a token and a first call:");
    cli.print(`  TOKEN=$(./aldgate tpp token ${out} accounts)`);
    cli.print(`  API=${sandbox.bank.mtlsUrl}${latest}   # or ${others.join(", ")}`);
    cli.print(`  curl -K ${out}/curl.conf -H "authorization: Bearer $TOKEN" \\`);
    cli.print(
      "    -H 'content-type: application/json' " +
        `-d '{"Data":{"Permissions":["ReadAccountsBasic"]},"Risk":{}}' \\`,
    );
    cli.print("    $API/account-access-consents");
    return 0;
  },
};
