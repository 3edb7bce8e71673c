import type { Bank } from "#src/bank/port.ts";
import type { Config } from "#src/config/config.ts";
import { coveredAccounts } from "#src/consents/consent-account.ts";
import type { FundsVersion } from "#src/funds/versions/funds-version.ts";
import { type AccessRow, type AccessSql, accessFacts } from "#src/http/access/access.ts";
import { compileSchema } from "#src/http/body/validate.ts";
import { defineOperation, type Operation, type OperationReply } from "#src/http/operation.ts";
import { consentOfToken } from "#src/http/refusal/id-words.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import { type Money, parseAmount } from "#src/lib/money.ts";
import { plainText } from "#src/lib/plain-text.ts";
import {
  type FundsConfirmationRequest,
  fundsConfirmationRequest,
  fundsConfirmationResponse,
} from "#src/standard/shared/funds/funds-confirmation.ts";
import type { Database } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import { type FundsConfirmation, storeConfirmation } from "./confirmation-record.ts";
import {
  answerSteps,
  type JudgedQuestion,
  questionOf,
  questionSteps,
} from "./confirmation-steps.ts";

/** The dependencies of the operation. */
export type ConfirmDeps = {
  database: Database;
  bank: Pick<Bank, "confirmFunds" | "loadAccount">;
  config: Pick<Config, "FUNDS_CONFIRMATION_DAILY_LIMIT">;
  /** The SQL of a token's row. */
  accessRow: AccessSql;
};

/** The row of a token, with the account of its consent. */
type FundsRow = AccessRow & { accountId: string | null };

const path = "/funds-confirmations";

/**
 * Answers yes or no to the question whether a consent's account has enough funds for an amount. The
 * bank reserves no funds. Source: C-070…C-090.
 */
export function confirmFundsOperation(
  { api, signed }: Pick<FundsVersion, "api" | "signed">,
  deps: ConfirmDeps,
): Operation {
  const schema = compileSchema(fundsConfirmationRequest, {
    characters: plainText,
    words: { ConsentId: consentOfToken("/funds-confirmation-consents") },
  });
  const load = prepare(
    ({ tokenHash }: { tokenHash: string | null }) => sql`
    select ${accessFacts} as access, covered.account_id as "accountId"
    from (${deps.accessRow(tokenHash)}) access
    left join lateral ${coveredAccounts(sql`access.consent_id`)} covered on true`,
  );
  return defineOperation({
    api,
    operationId: "CreateFundsConfirmations",
    summary: "Create Funds Confirmations",
    tag: "Funds Confirmations",
    method: "POST",
    path,
    grant: "authorization_code",
    load: ({ credentials }) => ({
      statement: load(credentials),
      read: ({ accountId }: FundsRow) => ({ accountId }),
    }),
    signed,
    idempotent: false,
    request: fundsConfirmationRequest,
    success: { status: 201, schema: fundsConfirmationResponse },
    refusals: { 400: ["U002", "U004", "U005", "U011", "U013", "U023"], 403: ["U011"], 429: [] },
    steps: [...questionSteps.names, ...answerSteps.names],
    handle: (request) => confirmFunds(deps, { api, schema, request }),
  });
}

async function confirmFunds(
  { database, bank, config }: ConfirmDeps,
  question: JudgedQuestion,
): Promise<OperationReply> {
  questionSteps.run(question, question.request.passed);
  const { request } = question;
  const data = questionOf(question);
  const { ConsentId: consentId, Reference: reference, InstructedAmount } = data;
  const amount = moneyOf(InstructedAmount);
  const { now } = request;
  const accountId = present(request.loaded.accountId, "the account of an authorised consent");
  const [account, isCovered] = await Promise.all([
    bank.loadAccount(accountId),
    bank.confirmFunds(accountId, amount),
  ]);
  const isOtherCurrency = account !== null && account.currency !== amount.currency;
  // a closed or blocked account has no funds. Source: C-085
  const isAvailable = isCovered && account?.status === "Enabled";
  const confirmation: FundsConfirmation = {
    fundsConfirmationId: newId("fc"),
    askedAt: now,
    reference,
    amount,
    isAvailable: isOtherCurrency ? null : isAvailable,
    reason: isOtherCurrency ? "other currency" : null,
  };
  const perDay = config.FUNDS_CONFIRMATION_DAILY_LIMIT;
  const storing = await storeConfirmation(database, consentId, confirmation, perDay);
  answerSteps.run({ confirmation, storing }, request.passed);
  return {
    status: 201,
    body: {
      Data: {
        FundsConfirmationId: confirmation.fundsConfirmationId,
        ConsentId: consentId,
        CreationDateTime: formatInstant(now),
        FundsAvailable: isAvailable,
        Reference: reference,
        InstructedAmount: {
          Amount: InstructedAmount.Amount,
          Currency: InstructedAmount.Currency,
        },
      },
      Links: { Self: `${request.baseUrl}${path}/${confirmation.fundsConfirmationId}` },
      Meta: {},
    },
  };
}

type InstructedAmount = FundsConfirmationRequest["Data"]["InstructedAmount"];

const moneyOf = ({ Amount, Currency: currency }: InstructedAmount): Money => ({
  amountMinor: present(parseAmount(Amount, currency), "a checked amount"),
  currency,
});
