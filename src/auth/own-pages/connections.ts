import type { BankAccount } from "#src/bank/port.ts";
import { endOf, loadGiven, periodText, statusText } from "#src/channels/given-consents.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import type { AccessSummary, FundsSummary } from "#src/pages/consent-summary.ts";
import type { NamedAccount } from "#src/pages/journey-parts.ts";
import type { ListedConnection } from "#src/pages/own-bank.ts";
import type { SharedAccount } from "#src/pages/own-connections.ts";
import { dateText, notOpenText } from "#src/pages/wording.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { accountText } from "./own-payments.ts";

/** A connection with everything that its page shows. */
export type AccessConnection = {
  kind: ConsentKind;
  connection: ListedConnection;
  accounts: SharedAccount[];
  summary: AccessSummary | FundsSummary;
  granted: string;
};

/**
 * Lists a customer's access consents, the active ones first. Consents that ended more than 400 days
 * ago are left out. Consents to several payments have separate pages (permissions.ts).
 */
export async function listConnections(
  deps: OwnPagesDeps,
  customerId: string,
): Promise<AccessConnection[]> {
  const { bank, accessKinds } = deps;
  const now = deps.clock.now();
  const choice = sql`order by c."authorisedAt" desc, c."consentId"`;
  const [rows, accounts] = await Promise.all([
    loadGiven(deps, customerId, { kinds: accessKinds, scope: "accounts", choice }),
    bank.listAccounts(customerId),
  ]);
  const texts = accounts.map((account) => ({
    accountId: account.accountId,
    ...sharedText(account),
  }));
  const connections = rows.flatMap((row): AccessConnection[] => {
    const kind = kindNamed(row.kind, accessKinds);
    const summary = kind.summarise(row, now);
    if (summary.type === "payment") return [];
    const status = statusText(row, now);
    const endedAt = endOf(row, now);
    const canWithdraw = status === "Active" && row.accountIds.length > 1;
    const shared = texts.filter(({ accountId }) => row.accountIds.includes(accountId));
    const chosen = shared.map((text) => ({ ...text, canWithdraw }));
    const granted = row.authorisedAt ? dateText(row.authorisedAt) : "";
    return [
      {
        kind,
        connection: {
          consentId: row.consentId,
          type: summary.type,
          clientName: row.clientName,
          active: status === "Active",
          status,
          accounts: chosen.map(({ label }) => label).join(", "),
          period: periodText(row, endedAt, summary.until),
        },
        accounts: chosen,
        summary: endedAt === null ? summary : { ...summary, ends: `On ${dateText(endedAt)}` },
        granted,
      },
    ];
  });
  return connections.sort((a, b) => Number(b.connection.active) - Number(a.connection.active));
}

// A connection through which the TPP can no longer read is shown as ended.
function sharedText(account: BankAccount): NamedAccount {
  const { label, number } = accountText(account);
  const why = notOpenText(account.status);
  return { label: why === null ? label : `${label} (${why})`, number };
}
