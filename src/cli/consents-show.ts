import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { consentLines, withConsents } from "./with-consents.ts";

/** `./aldgate consents show` */
export const command: Command = {
  name: "consents show",
  summary: "shows a consent that a customer has given, with its history",
  usage: "  ./aldgate consents show CONSENT_ID",
  json: { "": "one document: what `GET /sandbox/v1/consents/{consentId}` returns" },
  next: [
    ["consents stop CONSENT_ID", "stops a consent"],
    ["explain CONSENT_ID", "says how a consent came to its status"],
  ],
  async run(cli) {
    const [consentId, ...more] = readOptions(cli.arguments, {}).rest;
    if (consentId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one consent.");
    }
    const consent = await withConsents(cli, (channel) => channel.show(consentId));
    return { lines: consentLines(consent), json: consent };
  },
};
