// The checks of a question are made in the order that `./aldgate routes --steps` prints.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import {
  changedToken,
  checkOrder,
  printedSteps,
  type StepFault,
  type TokenChanges,
} from "#test/http/step-order.ts";
import { CardIssuer, confirmations, named } from "./card-issuer.ts";
import { versions } from "./versions.ts";

type Consent = { token: string; consentId: string };

/** A question before it is sent. */
type Draft = {
  consent: Consent;
  token: TokenChanges;
  headers: Record<string, string>;
  data: { ConsentId?: string; Reference?: string; InstructedAmount: Record<string, string> };
  /** Follows the JSON of the body. */
  suffix: string;
};

let bank: TestBank;
let issuer: CardIssuer;
let account: object;
let newer: Consent;
before(async () => {
  bank = await openBank();
  issuer = new CardIssuer(bank, await bank.createTpp(), "");
  account = named((await bank.currentAccounts("amara"))[0]?.identification ?? null);
  newer = await issuer.through("/v4.0/cbpii").authorised("amara", account);
});
after(() => bank?.close());

const usedReference = "Used";
let drafts = 0;

const faults: Record<string, StepFault<Draft>> = {
  token: { add: ({ token }) => Object.assign(token, { isExpired: true }), refusal: /^401/ },
  grant: {
    add: ({ token }) => Object.assign(token, { kind: "client_credentials" }),
    refusal: /^403 .* Authorization .*grant/,
  },
  scope: {
    add: ({ token }) => Object.assign(token, { scope: "openid payments" }),
    refusal: /^403 .* Authorization .*scope/,
  },
  accept: {
    add: ({ headers }) => Object.assign(headers, { accept: "image/png" }),
    refusal: /^406/,
  },
  "content-type": {
    add: ({ headers }) => Object.assign(headers, { "content-type": "text/plain" }),
    refusal: /^415/,
  },
  "interaction-id": {
    add: ({ headers }) => Object.assign(headers, { "x-fapi-interaction-id": "a".repeat(200) }),
    refusal: /^400 .* x-fapi-interaction-id/,
  },
  "auth-date": {
    add: ({ headers }) => Object.assign(headers, { "x-fapi-auth-date": "never" }),
    refusal: /^400 .* x-fapi-auth-date/,
  },
  body: {
    add: (draft) => Object.assign(draft, { suffix: "}" }),
    refusal: /^400 .*JSON/,
  },
  schema: {
    add: ({ data }) => delete data.Reference,
    refusal: /^400 .* Data\.Reference .*missing/,
  },
  amount: {
    add: ({ data }) => Object.assign(data.InstructedAmount, { Amount: "0.00" }),
    refusal: /^400 .* Data\.InstructedAmount\.Amount/,
  },
  consent: {
    add: (draft) => Object.assign(draft, { consent: newer }),
    refusal: /^400 .* Data\.ConsentId/,
  },
  owner: {
    add: ({ data }) => Object.assign(data, { ConsentId: "fcc-other" }),
    refusal: /^403 .* Data\.ConsentId/,
  },
  currency: {
    add: ({ data }) => Object.assign(data.InstructedAmount, { Currency: "USD" }),
    refusal: /^400 .* Data\.InstructedAmount\.Currency/,
  },
  reference: {
    add: ({ data }) => Object.assign(data, { Reference: usedReference }),
    refusal: /^400 .* Data\.Reference .*used/,
  },
};

const faultless = {
  "rate-limit": "this bank has none",
  "daily-limit": "test/funds/daily-limit.test.ts uses up an allowance",
};

for (const { path, isV4 } of versions) {
  test(`a question with two faults gets the error of the step that is printed first (${path})`, async () => {
    const front = issuer.through(path);
    const own = await front.authorised("amara", account);
    assert.equal((await front.ask(own, "1.00", { reference: usedReference })).status, 201);
    const operations = listOperations([]).filter(({ api }) => api.basePath.endsWith(path));
    const { consent, ...others } = faults;
    const pairs = await checkOrder<Draft>({
      printed: printedSteps(operations, "CreateFundsConfirmations"),
      faults: isV4 || !consent ? others : faults,
      faultless: isV4 ? { ...faultless, consent: "v4.0 serves the consents of v3.1" } : faultless,
      draft: () => ({
        consent: own,
        token: {},
        headers: {},
        data: {
          ConsentId: own.consentId,
          Reference: `Purchase ${++drafts}`,
          InstructedAmount: { Amount: "1.00", Currency: "GBP" },
        },
        suffix: "",
      }),
      send: async (draft) => {
        // a TPP names the consent of its token, unless another fault is wanted
        const { ConsentId } = draft.data;
        if (ConsentId === own.consentId) draft.data.ConsentId = draft.consent.consentId;
        const token = await changedToken(bank.database, draft.consent.token, draft.token);
        const body = JSON.stringify({ Data: draft.data }) + draft.suffix;
        return front.call(confirmations, { token, body, headers: draft.headers });
      },
    });
    assert.equal(pairs, isV4 ? 78 : 91);
  });
}
