import { type Command, rowOf, UsageError } from "./command.ts";
import { readOptions, readShortText } from "./options.ts";
import { consentLines, withConsents } from "./with-consents.ts";

const deciders = { customer: "customer", bank: "bank" } as const;

/** `./aldgate consents stop` */
export const command: Command = {
  name: "consents stop",
  summary: "stops a consent for its customer or for the bank",
  usage: [
    "  ./aldgate consents stop CONSENT_ID --by customer|bank --actor WHO --reason TEXT",
    "      --by         who decided to stop it; the TPP sees this",
    "      --actor      the person who stops it, at most 70 characters",
    "      --reason     why, at most 200 characters",
    "      --channel    where: branch, call centre, …; operator by default, at most 35 characters",
    "The actor, the reason and the channel are kept in the history. The TPP is not told them.",
  ].join("\n"),
  json: { "": "one document: what `GET /sandbox/v1/consents/{consentId}` returns" },
  next: [["consents show CONSENT_ID", "shows the consent with its history"]],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      by: { type: "string" },
      actor: { type: "string" },
      reason: { type: "string" },
      channel: { type: "string" },
    });
    const [consentId, ...more] = rest;
    if (consentId === undefined || more.length > 0) {
      throw new UsageError("Give the id of one consent.");
    }
    const by = rowOf(deciders, String(values.by ?? ""), "Give --by customer or --by bank.");
    const channel = {
      name: readShortText("channel", values.channel ?? "operator", 35),
      actor: readShortText("actor", values.actor, 70),
      reason: readShortText("reason", values.reason, 200),
    };
    const stopped = await withConsents(cli, (all) => all.stop(consentId, { by, channel }));
    return { lines: consentLines(stopped), json: stopped };
  },
};
