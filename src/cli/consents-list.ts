import type { ChannelConsent } from "#src/channels/consent-channel.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { withConsents } from "./with-consents.ts";

/** `./aldgate consents list` */
export const command: Command = {
  name: "consents list",
  summary: "lists the consents that a customer has given to TPPs",
  usage: [
    "  ./aldgate consents list CUSTOMER_ID    the core's id of the customer; in a sandbox, also a login",
    "Lists the consents in use and those that ended in the last 400 days, newest first.",
  ].join("\n"),
  json: { "": ["consents"] },
  next: [
    ["consents show CONSENT_ID", "shows a consent with its history"],
    ["consents stop CONSENT_ID", "stops a consent"],
  ],
  async run(cli) {
    const [customerId, ...more] = readOptions(cli.arguments, {}).rest;
    if (customerId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one customer.");
    }
    const consents = await withConsents(cli, (channel) => channel.list(customerId));
    const none = `The customer ${customerId} has given no consent.`;
    return { lines: consents.length === 0 ? [none] : consents.map(lineOf), json: { consents } };
  },
};

const lineOf = (consent: ChannelConsent): string =>
  `${consent.authorisedAt}  ${consent.consentId}  ${consent.kind}  ${consent.statusText}  ` +
  `${consent.clientName}  ${consent.accountIds.join(",")}`;
