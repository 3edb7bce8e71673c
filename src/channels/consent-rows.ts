import Type from "typebox";
import type { InterfaceRow } from "#src/http/interface-row.ts";
import type { ConsentChannel, StopRequest } from "./consent-channel.ts";

/** Where the management listener has these operations. */
export const channelsPath = "/channels/v1";

const text = Type.String();
const time = Type.String({ format: "date-time" });
const said = (description: string) => Type.String({ description });
const status = said("The status, as a code of version 4 of the standard.");
const timeOrNull = Type.Union([time, Type.Null()]);
const closed = { additionalProperties: false };

const channel = {
  name: Type.String({
    minLength: 1,
    maxLength: 35,
    description: "Where the consent is stopped, such as app, branch or call centre.",
  }),
  actor: Type.String({
    minLength: 1,
    maxLength: 70,
    description: "The customer, member of staff or program that stops the consent there.",
  }),
  reason: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "Why the consent is stopped. The TPP is not shown it.",
  }),
};

const consent = {
  consentId: text,
  kind: Type.String({ description: "The kind of consent, such as account-access." }),
  clientId: text,
  clientName: text,
  customerId: Type.String({ description: "The customer who has given the consent." }),
  status,
  statusText: Type.String({ description: "The status as the customer's pages show it." }),
  reasons: Type.Array(
    Type.Object(
      {
        code: said("The code of the reason, such as CUST."),
        text: said("The reason in words."),
      },
      { title: "ConsentReason" },
    ),
    {
      description: "Why the consent has its status, as TPPs are told.",
    },
  ),
  accountIds: Type.Array(text, { description: "The accounts that the consent covers." }),
  permissions: Type.Array(text, {
    description: "The permissions of a consent to account access; none for other kinds.",
  }),
  authorisedAt: Type.String({
    format: "date-time",
    description: "When the customer first gave the consent.",
  }),
  expiresAt: timeOrNull,
  endedAt: Type.Union([time, Type.Null()], {
    description: "When the consent ended, or null while it is in use.",
  }),
  deletedAt: Type.Union([time, Type.Null()], {
    description: "When the TPP deleted the consent, or null if it has not.",
  }),
  canStop: Type.Boolean({ description: "Whether the consent can be stopped now." }),
};
const listed = Type.Object(consent, { title: "ChannelConsent" });
const change = Type.Object(
  {
    at: Type.String({ format: "date-time", description: "When it changed, by the bank's clock." }),
    status,
    by: Type.Enum(["tpp", "customer", "bank", "clock", "unknown"], {
      type: "string",
      description: "Who made the change; clock means that a time had passed.",
    }),
    interactionId: Type.Union([text, Type.Null()]),
    channel: Type.Union([Type.Object(channel, { title: "StoppedThrough" }), Type.Null()], {
      description: "Where and by whom the consent was stopped, or null for any other change.",
    }),
  },
  { title: "ConsentChange" },
);
const answer = Type.Object(
  {
    at: Type.String({ format: "date-time", description: "When the customer answered." }),
    decision: Type.Union([Type.Enum(["continue", "approve"], { type: "string" }), Type.Null()], {
      description: "Whether the customer went on or approved; null for an earlier release.",
    }),
    accountIds: Type.Optional(
      Type.Array(text, { description: "The accounts that the customer chose." }),
    ),
    method: Type.Optional(
      Type.Union([text, Type.Null()], {
        description: "How the customer confirmed it, if it took a second factor.",
      }),
    ),
    acr: Type.Optional(said("The level of the customer's authentication.")),
    amr: Type.Optional(
      Type.Array(text, { description: "The methods that the customer has used so far." }),
    ),
    challengeId: Type.Optional(said("The identifier of the question for a second factor.")),
  },
  { title: "ShowingAnswer" },
);
const showing = Type.Object(
  {
    step: said("The step that has shown it, such as review, or payee check."),
    way: Type.Enum(["page", "app", "provider"], {
      type: "string",
      description: "Where: on a page of the bank, in its app, or at its own OpenID provider.",
    }),
    at: Type.Union([time, Type.Null()], {
      description: "When it was made for the customer; null for one by an earlier release.",
    }),
    shown: Type.Union(
      [Type.Object({}, { title: "ShownContent", additionalProperties: true }), Type.Null()],
      { description: "What was shown; null if an earlier release has kept only its hash." },
    ),
    shownHash: said("The SHA-256 of `shown` as canonical JSON (RFC 8785)."),
    subjectHash: said("The hash of the subject, which passkeys sign and apps return."),
    factsHash: Type.Optional(
      said("The hash of the facts, whatever the words; absent for one by an earlier release."),
    ),
    answer: Type.Union([answer, Type.Null()], {
      description: "What the customer answered; null if nothing was asked.",
    }),
  },
  { title: "Showing" },
);
const showings = Type.Array(showing, {
  description: "All that the customer was shown on the way, in its order, with each answer.",
});
const authorisation = Type.Object(
  {
    customerId: said("The customer who authorised the consent."),
    authorisedAt: Type.String({ format: "date-time", description: "When it was authorised." }),
    method: Type.Union([text, Type.Null()], {
      description:
        "How the customer confirmed it: code, passkey, decoupled or app (in the bank's app) or " +
        "redirect (at its own login). Null for one by an earlier release.",
    }),
    answeredAt: Type.Union([time, Type.Null()], {
      description: "When the customer confirmed it; null for one by an earlier release.",
    }),
    acr: said("The level of the customer's authentication, as the TPP was told."),
    amr: Type.Array(text, { description: "The methods that were used, as the TPP was told." }),
    showings,
    endedAt: Type.Union([time, Type.Null()], {
      description: "When it ended, or null while it is in use.",
    }),
    ending: Type.Union([text, Type.Null()], { description: "Why it ended, if it has." }),
  },
  { title: "Authorisation" },
);
const attempt = Type.Object(
  {
    customerId: said("The customer who was asked."),
    endedAt: Type.String({ format: "date-time", description: "When it ended." }),
    ending: said("How it ended, such as cancelled, timed_out, locked or not_owned."),
    showings,
  },
  { title: "ApprovalAttempt" },
);
const signature = Type.Object(
  {
    orderId: said("The order that the customer has signed."),
    customerId: said("The customer who has signed it."),
    signedAt: Type.String({ format: "date-time", description: "When it was signed." }),
    method: Type.Union([text, Type.Null()], {
      description: "How the customer confirmed it; null for one by an earlier release.",
    }),
    acr: said("The level of the customer's authentication."),
    amr: Type.Array(text, { description: "The methods that the customer has used." }),
    showings,
  },
  { title: "OrderSignature" },
);
const whole = Type.Object(
  {
    ...consent,
    customerId: Type.Union([text, Type.Null()], {
      description: "The customer who has given the consent; null if nobody has.",
    }),
    authorisedAt: Type.Union([time, Type.Null()], {
      description: "When the customer first gave the consent; null if nobody has.",
    }),
    sent: Type.Object(
      {},
      {
        title: "SentConsent",
        additionalProperties: true,
      },
    ),
    authorisations: Type.Array(authorisation, {
      description: "The authorisations of the consent with their evidence, the oldest first.",
    }),
    attempts: Type.Array(attempt, {
      description: "What customers were shown who did not approve the consent, the oldest first.",
    }),
    signatures: Type.Array(signature, {
      description:
        "The further signatures of the consent's orders with their evidence, the oldest first.",
    }),
    history: Type.Array(change, { description: "The changes of the consent, the oldest first." }),
  },
  { title: "WholeConsent" },
);
const stopRequest = Type.Object(
  {
    by: Type.Enum(["customer", "bank"], {
      type: "string",
      description: "Who has decided to stop the consent. The TPP is told this.",
    }),
    channel: Type.Object(channel, { ...closed, title: "StopChannel" }),
  },
  closed,
);

/** The operations of the bank's own channels on consents. */
export const consentRows: readonly InterfaceRow<ConsentChannel>[] = [
  {
    route: ["GET", "/consents"],
    operationId: "listConsents",
    summary:
      "Lists the consents that a customer has given, the newest first: those in use, and those " +
      "that ended within 400 days.",
    query: { customerId: "The core's id of the customer. A sandbox also takes a login." },
    needsQuery: true,
    response: {
      status: 200,
      schema: Type.Object({ consents: Type.Array(listed) }, { title: "ListConsentsResult" }),
    },
    handle: async (consents, _body, { customerId = "" }) => ({
      consents: await consents.list(customerId),
    }),
  },
  {
    route: ["GET", "/consents/:consentId"],
    operationId: "readConsent",
    summary:
      "Returns a consent that a customer has given, with what the TPP sent, the evidence of " +
      "its authorisations, and its history.",
    response: { status: 200, schema: whole },
    handle: (consents, _body, { consentId = "" }) => consents.show(consentId),
  },
  {
    route: ["POST", "/consents/:consentId/stop"],
    operationId: "stopConsent",
    summary:
      "Stops a consent for its customer or for the bank. Its tokens no longer work, and the TPP is " +
      "notified.",
    request: stopRequest,
    response: { status: 200, schema: whole },
    handle: (consents, body: StopRequest, { consentId = "" }) => consents.stop(consentId, body),
  },
];
