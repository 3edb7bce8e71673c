import { allowanceUsed } from "#src/consents/unattended-access.ts";
import { otherConsent } from "#src/http/access/access.ts";
import { ApiError, type Fault, refusal } from "#src/http/api-error.ts";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import type { OperationRequest } from "#src/http/operation.ts";
import { stepsFrom } from "#src/http/steps.ts";
import { present } from "#src/lib/assert.ts";
import { parseAmount, tooManyDecimals } from "#src/lib/money.ts";
import { type ApiVersion, basePathOf } from "#src/standard/api-version.ts";
import type { FundsConfirmationRequest } from "#src/standard/shared/funds/funds-confirmation.ts";
import type { FundsConfirmation, Storing } from "./confirmation-record.ts";

/** A question about the funds of an account, to check. */
export type JudgedQuestion = {
  api: ApiVersion;
  schema: CompiledSchema;
  request: OperationRequest<{ accountId: string | null }>;
};

/** A question that has been stored with the bank's answer, or that could not be stored. */
type StoredQuestion = {
  confirmation: FundsConfirmation;
  storing: Storing;
};

/** Returns the members of a question that has passed the check of its schema. */
export const questionOf = ({ request }: JudgedQuestion): FundsConfirmationRequest["Data"] =>
  (request.body as FundsConfirmationRequest).Data;

/** The checks of a question, in order, before the bank answers it. */
export const questionSteps = stepsFrom<JudgedQuestion>()
  // Source: C-072, C-073
  .add({
    name: "schema",
    check({ schema, request: { body } }) {
      const faults = judge(schema, body);
      if (faults.length > 0) throw new ApiError(400, faults);
    },
  })
  // Source: C-077, C-078
  .add({
    name: "amount",
    check(question) {
      const { Amount, Currency } = questionOf(question).InstructedAmount;
      const amountMinor = parseAmount(Amount, Currency);
      if (amountMinor === null) throw wrongAmount(tooManyDecimals(Currency));
      if (amountMinor === 0n) throw wrongAmount("The amount must be more than zero.");
    },
  })
  // Source: C-101, C-102
  .add({
    name: "consent",
    check({ api, request: { access } }) {
      const lodgedOn = present(access.consent?.apiVersion, "the version of a customer's consent");
      if (api.consents.serves.has(lodgedOn)) return;
      const message =
        "The consent cannot be used in this version. " +
        `Send the request to ${basePathOf(lodgedOn)}.`;
      throw refusal("U011", "Data.ConsentId", message);
    },
  })
  // Source: C-071
  .add({
    name: "owner",
    check(question) {
      const { consentId } = present(question.request.access.consent, "the consent of a customer");
      const { ConsentId: named } = questionOf(question);
      if (named !== consentId) throw otherConsent("Data.ConsentId", consentId, named);
    },
  })
  .of(undefined);

/**
 * The checks that need the bank's answer and the statement that stores it, in order. A question in
 * another currency is stored without an answer. Source: C-074, C-075, C-087.
 */
export const answerSteps = stepsFrom<StoredQuestion>()
  .add({
    name: "daily-limit",
    check({ confirmation, storing }) {
      if (storing === "allowance used") throw allowanceUsed(confirmation.askedAt);
    },
  })
  .add({
    name: "currency",
    check({ confirmation }) {
      if (confirmation.reason !== "other currency") return;
      // the message must not reveal anything about the account, so it does not name its currency
      const message =
        "The currency must be the currency of the account. The bank does not convert amounts.";
      throw refusal("U023", "Data.InstructedAmount.Currency", message);
    },
  })
  .add({
    name: "reference",
    check({ storing }) {
      if (storing === "stored") return;
      const message =
        "The reference has already been used under this consent. Send each request with a new one.";
      throw refusal("U013", "Data.Reference", message);
    },
  })
  .of(undefined);

const wrongAmount = (message: Fault["message"]): ApiError =>
  refusal("U002", "Data.InstructedAmount.Amount", message);
