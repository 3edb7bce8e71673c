import type { ActForms } from "#src/pages/acts.ts";
import { explanationPage } from "#src/pages/explanation.ts";
import { requestPage } from "#src/pages/request.ts";
import { requestsPage } from "#src/pages/requests.ts";

const bankName = "Aldgate Bank";

const explained = (name: string) => ({
  id: name,
  summary: name,
  faults: [
    {
      code: "U015",
      meaning: name,
      message: name,
      where: "x-jws-signature",
      expected: name,
      found: "eyJhbGciOiJQUzI1NiIsImtpZCI6IjEi".repeat(5),
      rules: ["P-040", "P-041"],
      sections: ["RFC 7515 section 5.1"],
      next: "Sign the exact bytes that you send.",
    },
  ],
  signature: {
    isValid: false,
    header: { alg: "PS256", kid: name },
    keyNamed: name,
    keysKnown: [name, "2"],
    verified: {
      bytes: 812,
      sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      signingInput: "eyJhbGciOiJQUzI1NiIsImtpZCI6IjEi".repeat(80),
      bodyBytes: 402,
      bodySha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    difference: { form: name, at: 8, received: '{"Data": {"Initiation', signed: '{"Data":{"Init' },
    mistake: name,
  },
  facts: [{ name: "granted by", value: name }],
  history: [
    { at: "2026-11-24T09:12:40Z", what: name, by: "the TPP", interactionId: "93bac548" },
    { at: "2026-11-24T09:13:40Z", what: name, by: "the customer", interactionId: null },
  ],
  next: name,
});

/** The pages of the log of requests. */
export function requestPages(name: string): Record<string, string> {
  const path = "/api/open-banking/v4.0/pisp/domestic-payment-consents";
  const one = {
    logId: "118.3",
    at: "2026-11-24T09:12:40.118Z",
    milliseconds: 4.12,
    interactionId: "93bac548-d2de-4546-b106-880a5018460d",
    method: "POST",
    path,
    operation: "CreateDomesticPaymentConsents",
    status: 400,
    codes: ["U015"],
    clientId: name,
    consentId: "consent-8f2k3m1q7x9w4t6y0z5a8b2c3d",
    resourceId: name,
  };
  const served = { ...one, logId: "118.2", status: 201, codes: [] };
  const list = { bankName, fault: null, requests: [one, served], next: "118.2" };
  const headers = {
    accept: "application/json",
    "x-jws-signature": "eyJhbGciOiJQUzI1NiJ9..x".repeat(9),
  };
  return {
    requests: requestsPage({ ...list, filter: {} }),
    filteredRequests: requestsPage({ ...list, filter: { status: "4xx", path: name } }),
    noRequests: requestsPage({ ...list, filter: {}, requests: [], next: null }),
    wrongFilter: requestsPage({
      ...list,
      filter: { status: name },
      fault: { parameter: "status", message: name },
    }),
    explanation: explanationPage({
      bankName,
      id: one.interactionId,
      explained: explained(name),
      unknown: name,
      forms: actSample(name),
    }),
    explainNothing: explanationPage({
      bankName,
      id: "",
      explained: null,
      unknown: "",
      forms: null,
    }),
    request: requestPage({
      ...one,
      bankName,
      bankTime: "2027-01-24T09:12:40.118Z",
      api: "pisp-v4.0",
      checks: [
        { name: "token", result: "passed", milliseconds: 1.2 },
        { name: "body", result: "refused", milliseconds: 0.4 },
        { name: "schema", result: "not reached", milliseconds: null },
      ],
      idempotency: {
        key: name,
        isReplay: true,
        firstSeen: { logId: "117.0", at: one.at, interactionId: one.interactionId, status: 201 },
      },
      bodies: {
        query: "",
        requestHeaders: headers,
        request: JSON.stringify({ Data: { Reference: name } }),
        requestBytes: 40,
        answerHeaders: headers,
        answer: null,
        answerBytes: 0,
      },
      sameInteraction: [served],
      linked: {
        consent: { consentId: one.consentId, kind: "domestic-payment", status: "AUTH" },
        order: { orderId: name, kind: "domestic-payment", status: "ACSC" },
        events: [{ jti: name, occurredAt: one.at, state: "accepted", types: [name] }],
        ledger: [
          {
            at: one.at,
            purpose: "payment",
            debitAccountId: name,
            creditAccountId: name,
            amount: "12.34",
            currency: "GBP",
          },
        ],
      },
    }),
  };
}

/** Everything that can be done to something, with this text in each place. */
const actSample = (text: string): ActForms => ({
  on: "payment",
  id: text,
  said: { text, isRefusal: false },
  acts: ["refuse", "advance"].map((act) => ({
    act,
    label: text,
    summary: text,
    fields: [
      { name: "reason", hint: text, isRequired: act === "refuse", value: text, options: null },
      { name: "type", hint: text, isRequired: false, value: "", options: [text] },
    ],
  })),
});
