import type { BankAccount } from "#src/bank/port.ts";
import type { Consent } from "#src/consents/consent.ts";
import type { AccessSummary } from "#src/pages/consent-summary.ts";
import type { NamedAccount } from "#src/pages/journey-parts.ts";
import type { OwnConnection } from "#src/pages/own-bank.ts";
import type { SharedAccount } from "#src/pages/own-connections.ts";
import { dateText, notOpenText } from "#src/pages/wording.ts";
import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import type { OwnPagesDeps } from "./deps.ts";
import { accountText } from "./own-payments.ts";

type Row = Consent & { clientName: string; deletedAt: Temporal.Instant | null };

/** A connection with all that its own page shows. */
export type Connection = {
  connection: OwnConnection;
  accounts: SharedAccount[];
  summary: AccessSummary;
  granted: string;
};

/** Every account access that a customer ever granted, living ones first. */
export async function listConnections(
  { database, bank, clock, accessKind }: OwnPagesDeps,
  customerId: string,
): Promise<Connection[]> {
  const now = clock.now();
  const [rows, accounts] = await Promise.all([
    selectConnections(database, customerId, now.subtract({ hours: historyHours })),
    bank.listAccounts(customerId),
  ]);
  const texts = new Map(accounts.map((account) => [account.accountId, sharedText(account)]));
  const connections = rows.flatMap((row): Connection[] => {
    const summary = accessKind.summarise(row, now);
    if (summary.type !== "access") return [];
    const status = statusText(row, now);
    const canWithdraw = status === "Active" && row.accountIds.length > 1;
    const chosen = row.accountIds.flatMap((accountId) => {
      const text = texts.get(accountId);
      return text ? [{ accountId, ...text, canWithdraw }] : [];
    });
    const granted = row.authorisedAt ? dateText(row.authorisedAt) : "";
    return [
      {
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

// What a TPP cannot read any more is said to be so.
function sharedText(account: BankAccount): NamedAccount {
  const { label, number } = accountText(account);
  const why = notOpenText(account.status);
  return { label: why === null ? label : `${label} (${why})`, number };
}

// 13 months and a bit: how long ended connections are shown.
const historyHours = 400 * 24;

const selectConnections = (on: Queryable, customerId: string, since: Temporal.Instant) =>
  on.query<Row>(sql`
    select c.consent_id as "consentId", c.kind, c.api_version as "apiVersion",
      c.client_id as "clientId", c.status,
      c.status_reason as "statusReason", c.created_at as "createdAt",
      c.status_updated_at as "statusUpdatedAt", c.expires_at as "expiresAt", c.body, c.terms,
      c.permissions, c.transactions_from as "transactionsFrom",
      c.transactions_to as "transactionsTo", c.customer_id as "customerId",
      c.account_ids as "accountIds", c.grant_id as "grantId", c.authorised_at as "authorisedAt",
      c.deleted_at as "deletedAt", s.name as "clientName"
    from consent c join client cl on cl.client_id = c.client_id
      join software s on s.software_id = cl.software_id
    where c.customer_id = ${customerId} and c.kind = 'account-access'
      and c.authorised_at is not null
      and (c.status = 'AUTH' and c.deleted_at is null or c.status_updated_at >= ${since}
        or c.deleted_at >= ${since})
    order by c.authorised_at desc, c.consent_id`);

function statusText(row: Row, now: Temporal.Instant): string {
  if (row.deletedAt) return `Ended by ${row.clientName}`;
  if (row.status === "CANC") return "Stopped by you";
  if (row.status === "EXPD") return "Expired";
  if (row.expiresAt && Temporal.Instant.compare(row.expiresAt, now) <= 0) return "Expired";
  return row.status === "AUTH" ? "Active" : "Ended";
}
