import {
  ChannelRefusal,
  type ConsentChannel,
  createConsentChannel,
  type WholeConsent,
} from "#src/channels/consent-channel.ts";
import { channelKinds } from "#src/server/opening/access-kinds.ts";
import type { Cli } from "./command.ts";
import { inBank } from "./in-bank.ts";
import { BankRefused } from "./sandbox-client.ts";

/** Calls `work` with the consents of the configured bank. */
export async function withConsents<T>(
  cli: Cli,
  work: (consents: ConsentChannel) => Promise<T>,
): Promise<T> {
  const { clock } = cli;
  try {
    return await inBank(cli, {
      sandbox: (client) => work(client.consents),
      database: async (database) =>
        work(createConsentChannel({ database, clock, kinds: channelKinds(await cli.kinds()) })),
    });
  } catch (error) {
    if (error instanceof ChannelRefusal) throw new BankRefused(error.message);
    throw error;
  }
}

/** A consent with its history, as lines to read. */
export const consentLines = (consent: WholeConsent): string[] => [
  `${consent.consentId}  ${consent.kind}  ${consent.statusText} (${consent.status})`,
  `  TPP        ${consent.clientName}  ${consent.clientId}`,
  `  customer   ${consent.customerId}`,
  `  accounts   ${consent.accountIds.join(", ") || "none"}`,
  `  given      ${consent.authorisedAt}`,
  `  expires    ${consent.expiresAt ?? "never"}`,
  ...(consent.endedAt === null ? [] : [`  ended      ${consent.endedAt}`]),
  ...consent.authorisations.flatMap(({ authorisedAt, method, amr, shown, shownHash }) => [
    `  approved   ${authorisedAt}  by ${method ?? "unknown"} (${amr.join(", ")})`,
    `    shown    ${shown ? JSON.stringify(shown) : "not kept"}`,
    `    SHA-256  ${shownHash}`,
  ]),
  "  history",
  ...consent.history.map(({ at, status, by, channel }) => {
    const how = channel ? `: ${channel.actor} (${channel.name}): ${channel.reason}` : "";
    return `    ${at}  ${status}  by ${by}${how}`;
  }),
];
