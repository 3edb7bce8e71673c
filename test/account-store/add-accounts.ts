import type { Queryable } from "#src/storage/database.ts";
import { sql } from "#src/storage/sql.ts";
import { givenRows } from "#test/given-rows.ts";

/** An account to store, without the feed. Brackets contain the value of an absent member. */
export type GivenAccount = {
  accountId: string;
  /** [`Personal`] */
  accountType?: string;
  /** [`CurrentAccount`] */
  accountSubType?: string;
  /** [`GBP`] */
  currency?: string;
  nickname?: string;
  /** [`Ann Example`] */
  holderName?: string;
  /** [`2020-01-01`] */
  openedOn?: string;
  /** [now] */
  statusUpdatedAt?: Temporal.Instant;
  sortCodeAccountNumber?: string | null | undefined;
  iban?: string;
  maskedPan?: string | undefined;
  /** [1] */
  signatoriesRequired?: number;
};

/** Stores accounts, in the given order. */
export const addAccounts = (on: Queryable, given: readonly GivenAccount[]): Promise<unknown> =>
  on.query(sql`
    insert into account (account_id, account_type, account_sub_type, currency, nickname,
      holder_name, opened_on, status_updated_at, sort_code_account_number, iban, masked_pan,
      signatories_required)
    select "accountId", coalesce("accountType", 'Personal'),
      coalesce("accountSubType", 'CurrentAccount'),
      coalesce(currency, 'GBP'), nickname, coalesce("holderName", 'Ann Example'),
      coalesce("openedOn", '2020-01-01'), coalesce("statusUpdatedAt", now()),
      "sortCodeAccountNumber", iban, "maskedPan", coalesce("signatoriesRequired", 1)
    from json_to_recordset(${givenRows(given)}::json) as g("accountId" text, "accountType" text,
      "accountSubType" text, currency text, nickname text, "holderName" text, "openedOn" date,
      "statusUpdatedAt" timestamptz, "sortCodeAccountNumber" text, iban text, "maskedPan" text,
      "signatoriesRequired" integer)`);
