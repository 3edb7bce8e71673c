import {
  ChannelRefusal,
  type ConsentChannel,
  type WholeConsent,
} from "#src/channels/consent-channel.ts";
import type { Showing, ShowingAnswer } from "#src/consents/showing.ts";
import { openConsents } from "#src/server/opening/open-consents.ts";
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
        work(openConsents({ database, clock, kinds: await cli.kinds() })),
    });
  } catch (error) {
    if (error instanceof ChannelRefusal) throw new BankRefused(error.message);
    throw error;
  }
}

/** What a customer was shown at one moment, as lines to read. */
const showingLines = ({ step, way, at, shown, shownHash, answer }: Showing): string[] => [
  `    ${step}  ${wayWords[way]}${at === null ? "" : `  ${at}`}`,
  `      shown    ${shown ? JSON.stringify(shown) : "not kept"}`,
  `      SHA-256  ${shownHash}`,
  ...(answer === null ? [] : [`      answer   ${answerText(answer)}`]),
];

const wayWords = { page: "on a page", app: "in the app", provider: "at the bank's provider" };

const answerText = ({ at, decision, accountIds, method, amr = [] }: ShowingAnswer): string =>
  [
    at,
    decision ?? "approve",
    ...(accountIds ? [`chose ${accountIds.join(", ")}`] : []),
    ...(method ? [`by ${method} (${amr.join(", ")})`] : []),
  ].join("  ");

/** A consent with its history, as lines to read. */
export const consentLines = (consent: WholeConsent): string[] => [
  `${consent.consentId}  ${consent.kind}  ${consent.statusText} (${consent.status})`,
  `  TPP        ${consent.clientName}  ${consent.clientId}`,
  `  customer   ${consent.customerId ?? "none"}`,
  `  accounts   ${consent.accountIds.join(", ") || "none"}`,
  `  given      ${consent.authorisedAt ?? "never"}`,
  `  expires    ${consent.expiresAt ?? "never"}`,
  ...(consent.endedAt === null ? [] : [`  ended      ${consent.endedAt}`]),
  ...consent.authorisations.flatMap(({ authorisedAt, method, amr, showings }) => [
    `  approved   ${authorisedAt}  by ${method ?? "unknown"} (${amr.join(", ")})`,
    ...showings.flatMap(showingLines),
  ]),
  ...consent.attempts.flatMap(({ endedAt, ending, customerId, showings }) => [
    `  ${ending}  ${endedAt}  by ${customerId}`,
    ...showings.flatMap(showingLines),
  ]),
  ...consent.signatures.flatMap(({ orderId, customerId, signedAt, method, amr, showings }) => [
    `  signed     ${signedAt}  ${orderId}  by ${customerId}, ${method ?? "unknown"} (${amr.join(", ")})`,
    ...showings.flatMap(showingLines),
  ]),
  "  history",
  ...consent.history.map(({ at, status, by, channel }) => {
    const how = channel ? `: ${channel.actor} (${channel.name}): ${channel.reason}` : "";
    return `    ${at}  ${status}  by ${by}${how}`;
  }),
];
