import type { BankAccount } from "#src/bank/port.ts";
import { type ClientName, clientName, clientText } from "#src/clients/client-name.ts";
import type { ConsentKind } from "#src/consents/kind.ts";
import { type SharedAccess, sharedAccess } from "#src/consents/shared-access.ts";
import { checkKind, kindNamed, type Stored } from "#src/consents/stored-kind.ts";
import type { AccessSummary, FundsSummary } from "#src/pages/consent-summary.ts";
import type { NamedAccount } from "#src/pages/journey-parts.ts";
import type { OwnConnection } from "#src/pages/own-bank.ts";
import type { SharedAccount } from "#src/pages/own-connections.ts";
import { dateText, notOpenText } from "#src/pages/wording.ts";
import type { KindId } from "#src/standard/kind-id.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { accountText } from "./own-payments.ts";

type Row = SharedAccess & { clientName: string };

/** A connection with everything that its page shows. */
export type Connection = {
  kind: ConsentKind;
  connection: OwnConnection;
  accounts: SharedAccount[];
  summary: AccessSummary | FundsSummary;
  granted: string;
};

/** Every access of a customer that is active or ended in the past 13 months, active ones first. */
export async function listConnections(
  { database, bank, clock, accessKinds }: OwnPagesDeps,
  customerId: string,
): Promise<Connection[]> {
  const now = clock.now();
  const since = now.subtract({ hours: historyHours });
  const [rows, accounts] = await Promise.all([
    selectConnections(
      database,
      customerId,
      accessKinds.map(({ id }) => id),
      since,
    ),
    bank.listAccounts(customerId),
  ]);
  const texts = accounts.map((account) => ({
    accountId: account.accountId,
    ...sharedText(account),
  }));
  const connections = rows.flatMap((row): Connection[] => {
    const kind = kindNamed(row.kind, accessKinds);
    const summary = kind.summarise(row, now);
    if (summary.type === "payment") return [];
    const status = statusText(row, now);
    const canWithdraw = status === "Active" && row.accountIds.length > 1;
    const shared = texts.filter(({ accountId }) => row.accountIds.includes(accountId));
    const chosen = shared.map((text) => ({ ...text, canWithdraw }));
    const granted = row.authorisedAt ? dateText(row.authorisedAt) : "";
    return [
      {
        kind,
        connection: {
          consentId: row.consentId,
          clientName: row.clientName,
          active: status === "Active",
          status,
          accounts: chosen.map(({ label }) => label).join(", "),
          period: `Since ${granted}, ${summary.until}`,
        },
        accounts: chosen,
        summary,
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

/** How long ended connections are shown: 13 months and a bit. */
export const historyHours = 400 * 24;

const selectConnections = async (
  on: Queryable,
  customerId: string,
  kinds: readonly KindId[],
  since: Temporal.Instant,
): Promise<Row[]> => {
  const rows = await on.query<Stored<SharedAccess & ClientName>>(sql`
    select c.*, n."softwareName", n."onBehalfOf"
    from ${sharedAccess(customerId, kinds, since)} c
      cross join lateral (${clientName(sql`c."clientId"`)}) n
    order by c."authorisedAt" desc, c."consentId"`);
  // consents to several payments are not listed here: they have their own pages (permissions.ts)
  return rows.map((row) => ({
    ...checkKind<SharedAccess>(row),
    clientName: clientText(row, "accounts"),
  }));
};

/** Whether a TPP can still use a consent, or how it ended. */
export function statusText(row: Row, now: Temporal.Instant): string {
  if (row.deletedAt) return `Ended by ${row.clientName}`;
  if (row.status === "CANC") {
    const isByBank = row.statusReason.some(({ StatusReasonCode: code }) => code === "TKSP");
    return isByBank ? "Stopped by us" : "Stopped by you";
  }
  if (row.status === "EXPD") return "Expired";
  if (row.expiresAt && Temporal.Instant.compare(row.expiresAt, now) <= 0) return "Expired";
  return row.status === "AUTH" ? "Active" : "Ended";
}
