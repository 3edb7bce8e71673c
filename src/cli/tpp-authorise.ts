import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { isScope, scopes } from "#src/standard/api-version.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { readOptions, textOf } from "./options.ts";
import { warnedText } from "./results.ts";
import { configuredAddress, sandboxClient } from "./sandbox-client.ts";
import { openTppFolder } from "./tpp-folder.ts";

/** `./aldgate tpp authorise` */
export const command: Command = {
  name: "tpp authorise",
  summary: "lets a persona approve a consent and prints the resulting tokens",
  usage: [
    "  ./aldgate tpp authorise DIR CONSENT-ID accounts|payments|fundsconfirmations --customer LOGIN",
    "  --customer LOGIN   a persona (default: amara)",
    "  --accounts LIST    the AccountIds to choose, separated by commas",
    "  --token            prints only the access token",
    "  --link             only prints the URL for a browser; if the TPP uses FAPI 2.0, the URL is",
    "                     valid for a minute",
  ].join("\n"),
  json: {
    "": "the bank's token response: {access_token, refresh_token, …}",
    "--token": ["access_token"],
    "--link": ["authorizationUrl"],
  },
  next: [
    ["tpp sign DIR FILE", "signs the body of a payment"],
    ["logs --consent CONSENT-ID", "shows the requests about the consent"],
    ["explain CONSENT-ID", "says how the consent came to its status"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      customer: { type: "string" },
      accounts: { type: "string" },
      link: { type: "boolean" },
      token: { type: "boolean" },
    });
    const [folder, consentId, scope] = rest;
    if (!folder || !consentId || !isScope(scope)) {
      throw new UsageError("Give the TPP's folder, the consent's id and the scope.", scopes);
    }
    const { bank, tpp } = await openTppFolder(folder, configuredAddress(configOf(cli.environment)));
    const client = new TppClient({ ...bank, operations: [] }, tpp);
    try {
      const authorizationUrl = await client.authorizationUrl({ scope, consentId });
      if (values.link) {
        return { lines: [authorizationUrl], json: { authorizationUrl } };
      }
      const accounts = textOf(values.accounts)?.split(",");
      const { redirectUrl, warning, note } = await sandboxClient(bank, tpp.caPem).authorise({
        authorizationUrl,
        customer: textOf(values.customer) ?? "amara",
        decision: "approve",
        ...(accounts ? { accounts } : {}),
      });
      if (warning) cli.complain(warnedText(warning));
      // before the exchange, which fails if the customer could not approve
      if (note !== undefined) cli.complain(note);
      const tokens = await client.exchangeCode(redirectUrl);
      const { access_token } = tokens;
      return values.token
        ? { lines: [access_token], json: { access_token } }
        : { lines: [JSON.stringify(tokens, null, 2)], json: tokens };
    } finally {
      client.close();
    }
  },
};
