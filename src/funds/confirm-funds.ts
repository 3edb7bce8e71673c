import type { Bank } from "#src/bank/port.ts";
import { coveredAccounts } from "#src/consents/consent-account.ts";
import { notYours } from "#src/http/access/access.ts";
import {
  type AccessRow,
  type AccessSql,
  accessFacts,
  readFacts,
} from "#src/http/access/access-row.ts";
import { ApiError, type Fault, refusal } from "#src/http/api-error.ts";
import { type CompiledSchema, compileSchema, judge } from "#src/http/body/validate.ts";
import type { Operation, OperationReply, OperationRequest } from "#src/http/operation.ts";
import { present } from "#src/lib/assert.ts";
import { formatInstant } from "#src/lib/date-time.ts";
import { newId } from "#src/lib/ids.ts";
import { type Money, parseAmount } from "#src/lib/money.ts";
import { plainText } from "#src/lib/plain-text.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import {
  type FundsConfirmationRequest,
  fundsConfirmationRequest,
  fundsConfirmationResponse,
} from "#src/standard/shared/funds/funds-confirmation.ts";
import type { Database } from "#src/storage/database.ts";
import { prepare } from "#src/storage/prepared.ts";
import { sql } from "#src/storage/sql.ts";
import { type FundsConfirmation, storeConfirmation } from "./confirmation-record.ts";
import type { FundsVersion } from "./funds-versions.ts";

/** The dependencies of the operation. */
export type ConfirmDeps = {
  database: Database;
  bank: Pick<Bank, "confirmFunds" | "loadAccount">;
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
  const schema = compileSchema(fundsConfirmationRequest, { characters: plainText });
  const load = prepare(
    ({ tokenHash }: { tokenHash: string | null }) => sql`
    select ${accessFacts} as access, covered.account_id as "accountId"
    from (${deps.accessRow(tokenHash)}) access
    left join lateral ${coveredAccounts(sql`access.consent_id`)} covered on true`,
  );
  return {
    api,
    operationId: "CreateFundsConfirmations",
    summary: "Create Funds Confirmations",
    tag: "Funds Confirmations",
    method: "POST",
    path,
    grant: "authorization_code",
    access: "loaded",
    load: ({ credentials }) => load(credentials),
    signed,
    idempotent: false,
    request: fundsConfirmationRequest,
    success: { status: 201, schema: fundsConfirmationResponse },
    refusals: { 400: ["U002", "U004", "U005", "U011", "U013", "U023"], 403: ["U011"] },
    steps: ["schema", "consent", "owner", "currency", "reference"],
    handle: (request) => confirmFunds(api, schema, deps, request),
  };
}

async function confirmFunds(
  api: ApiVersion,
  schema: CompiledSchema,
  { database, bank }: ConfirmDeps,
  request: OperationRequest,
): Promise<OperationReply> {
  const { data, amount } = parseQuestion(schema, request.body);
  const { consentId, accountId } = ownConsent(api, request, data.ConsentId);
  const { now } = request;
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
    reference: data.Reference,
    amount,
    isAvailable: isOtherCurrency ? null : isAvailable,
    reason: isOtherCurrency ? "other currency" : null,
  };
  const isStored = await storeConfirmation(database, consentId, confirmation);
  if (isOtherCurrency) throw otherCurrency();
  if (!isStored) throw usedReference();
  return {
    status: 201,
    body: {
      Data: {
        FundsConfirmationId: confirmation.fundsConfirmationId,
        ConsentId: consentId,
        CreationDateTime: formatInstant(now),
        FundsAvailable: isAvailable,
        Reference: data.Reference,
        InstructedAmount: {
          Amount: data.InstructedAmount.Amount,
          Currency: data.InstructedAmount.Currency,
        },
      },
      Links: { Self: `${request.baseUrl}${path}/${confirmation.fundsConfirmationId}` },
      Meta: {},
    },
  };
}

type Question = { data: FundsConfirmationRequest["Data"]; amount: Money };

/** Reads a request; throws an ApiError with all faults. Source: C-072, C-073, C-077, C-078. */
function parseQuestion(schema: CompiledSchema, body: unknown): Question {
  const faults = judge(schema, body);
  if (faults.length > 0) throw new ApiError(400, faults);
  // checked against the schema above
  const { Data: data } = body as FundsConfirmationRequest;
  const { Amount, Currency: currency } = data.InstructedAmount;
  const amountMinor = parseAmount(Amount, currency);
  if (amountMinor === null) throw wrongAmount(`has too many decimal places for ${currency}`);
  if (amountMinor === 0n) throw wrongAmount("must be more than zero");
  return { data, amount: { amountMinor, currency } };
}

const wrongAmount = (message: Fault["message"]): ApiError =>
  refusal("U002", "Data.InstructedAmount.Amount", message);

/**
 * Returns the consent of the token. The request must name the same consent. Source: C-071, C-101,
 * C-102.
 */
function ownConsent(
  api: ApiVersion,
  { loaded, access }: OperationRequest,
  namedId: string,
): { consentId: string; accountId: string } {
  const row = present(loaded, "the row of an admitted caller") as FundsRow; // read by `load`
  const { consentId } = present(access?.consent, "the consent of a customer");
  const lodgedOn = present(readFacts(row.access).consent_api_version, "the version of the consent");
  if (!api.consents.serves.has(lodgedOn)) {
    const message = `The consent cannot be used in this version. Send the request to ${lodgedOn}.`;
    throw refusal("U011", "Data.ConsentId", message);
  }
  if (namedId !== consentId) throw notYours("Data.ConsentId");
  return { consentId, accountId: present(row.accountId, "the account of an authorised consent") };
}

// The message must not reveal anything about the account, so it does not name its currency.
const otherCurrency = (): ApiError =>
  refusal(
    "U023",
    "Data.InstructedAmount.Currency",
    "must be the currency of the account. The bank does not convert amounts.",
  );

const usedReference = (): ApiError =>
  refusal(
    "U013",
    "Data.Reference",
    "has already been used under this consent. Send each request with a new reference.",
  );
