import Type, { type Static } from "typebox";

const text = Type.String();
// with an offset, so that it names one instant
const time = Type.String({
  format: "date-time",
  pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$",
  description: "When the customer has confirmed it, in this journey, such as 2026-11-29T10:15:00Z.",
});
const textOrNull = Type.Union([text, Type.Null()]);
const closed = { additionalProperties: false };
const said = (description: string) => Type.String({ description });

/** The schema of the authorization request that a phone has opened in the app. */
export const beginRequest = Type.Object(
  {
    authorizationUrl: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: "The URL that the phone has opened in the app, unchanged.",
    }),
  },
  closed,
);

const ending = Type.Object({ title: text, text }, { title: "JourneyEnding" });

/** The schema of a challenge in the app, and of what an answer to it does. */
export const appChallenge = Type.Object(
  {
    challengeId: said("The core's id of the challenge."),
    state: Type.Enum(["open", "answered", "ended"], {
      type: "string",
      description:
        "open while an answer counts, answered once an approval has counted, ended if no answer " +
        "counts any more.",
    }),
    ending: Type.Union([ending, Type.Null()], {
      description:
        "How the journey has ended, or that the challenge was replaced, in words for the customer; " +
        "null while it goes on, or if there is none.",
    }),
  },
  { title: "AppChallenge" },
);

/** The schema of a journey as the app shows it. */
export const appJourney = Type.Object(
  {
    journeyId: said("The identifier of the journey: only the bank's app can continue it."),
    outcome: Type.Union([text, Type.Null()], {
      description: "How the journey has ended, such as approved; null while it goes on.",
    }),
    ending: Type.Union([ending, Type.Null()], {
      description: "What the customer reads at the end, in the words of the bank's pages.",
    }),
    clientName: said("The TPP as customers know it."),
    consentId: text,
    kind: said("The kind of consent, such as domestic-payment."),
    expiresAt: Type.String({ format: "date-time", description: "Until when it can be decided." }),
    summary: Type.Object(
      {},
      {
        title: "AppSummary",
        additionalProperties: true,
        description: "The request in the customer's words, as the bank's pages show it.",
      },
    ),
    warning: Type.Union(
      [Type.Object({ title: text, text }, { title: "PayeeWarning" }), Type.Null()],
      { description: "What the customer must read about the payee's name; null if it is right." },
    ),
    stepUp: Type.Union([text, Type.Null()], {
      description:
        "Why the core asks the customer to confirm once more, for the customer to read; null if " +
        "it does not. The next decision needs another authentication.",
    }),
    facts: Type.Array(Type.Object({ label: text, value: text }, { title: "ShownFact" }), {
      description: "What the customer confirms, and must be shown.",
    }),
    accountChoice: Type.Enum(["one", "many"], {
      type: "string",
      description: "Whether the customer chooses one account, or one or more.",
    }),
    shown: Type.Object(
      {},
      {
        title: "AppShown",
        additionalProperties: true,
        description: "What the customer is shown now, of which `shownHash` is the hash.",
      },
    ),
    shownHash: said("The SHA-256 of `shown` as canonical JSON; the decision repeats it."),
  },
  { title: "AppJourney" },
);

/** The schema of the answer to a request or a decision. */
export const appAnswer = Type.Object(
  {
    journey: Type.Union([appJourney, Type.Null()], {
      description: "The journey, or null if the request has ended before it began.",
    }),
    redirectTo: Type.Union([text, Type.Null()], {
      description:
        "The TPP's redirect URI with the answer, for the app to open. It is returned once: null " +
        "before the end, and after that.",
    }),
  },
  { title: "AppJourneyResult" },
);

/** The schema of the accounts of a customer, for one journey. */
export const appAccounts = Type.Object(
  {
    ends: Type.Union([text, Type.Null()], {
      description: "How the journey would end, because no account fits; null if one does.",
    }),
    accounts: Type.Array(
      Type.Object(
        {
          accountId: text,
          label: text,
          number: text,
          balance: textOrNull,
          unavailable: Type.Union([text, Type.Null()], {
            description: "Why the account cannot be chosen; null if it can.",
          }),
          isFixed: Type.Boolean({ description: "Whether it is chosen already." }),
        },
        { title: "AppAccount" },
      ),
    ),
  },
  { title: "AppAccounts" },
);

/** The schema of a customer's decision in the app. */
export const decisionRequest = Type.Object(
  {
    decision: Type.Enum(["approve", "cancel"], {
      type: "string",
      description:
        "What the customer has decided. A cancellation needs only `customerId`, once a customer is known.",
    }),
    customerId: Type.Optional(said("The core's id of the customer who has decided.")),
    accountIds: Type.Optional(
      Type.Array(text, { maxItems: 100, description: "The accounts that were chosen." }),
    ),
    shownHash: Type.Optional(said("The hash of what the app has shown.")),
    authentication: Type.Optional(
      Type.Object(
        {
          amr: Type.Array(Type.String({ pattern: "^[a-z]{2,10}$" }), {
            minItems: 1,
            maxItems: 10,
            description: "The methods that were really used (RFC 8176), such as hwk and face.",
          }),
          at: time,
        },
        { ...closed, title: "AppAuthentication" },
      ),
    ),
  },
  closed,
);

const customerId = said("The core's id of the customer.");

/** The schema of the consent whose id a customer has scanned. */
export const scanRequest = Type.Object(
  { consentId: said("The consent's id, which the TPP shows as a QR code."), customerId },
  closed,
);

/** The schema of a request for an identifier that a customer shows to a TPP. */
export const identifierRequest = Type.Object({ customerId }, closed);

/** The schema of an identifier that a customer shows to a TPP. */
export const customerIdentifier = Type.Object(
  {
    identifier: said("What the TPP sends as `ephemeral_sub`. It works once."),
    expiresAt: Type.String({ format: "date-time", description: "Until when it can be used." }),
  },
  { title: "CustomerIdentifier" },
);

/** A journey as the app shows it. */
export type AppJourney = Static<typeof appJourney>;

/** A challenge in the app, and what an answer to it does. */
export type AppChallenge = Static<typeof appChallenge>;

/** A customer's decision in the app. */
export type AppDecision = Static<typeof decisionRequest>;

/** The other face of the journey, for the bank's app. Each function throws ChannelRefusal. */
export type AppJourneys = {
  /** Begins the journey of an authorization request that a phone has opened in the app. */
  begin(request: Static<typeof beginRequest>): Promise<Static<typeof appAnswer>>;
  /** Joins the customer who has scanned the id of a consent for which a TPP waits. */
  scan(request: Static<typeof scanRequest>): Promise<Static<typeof appAnswer>>;
  /** Makes an identifier with which a TPP can name the customer. */
  identify(request: Static<typeof identifierRequest>): Promise<Static<typeof customerIdentifier>>;
  show(journeyId: string): Promise<AppJourney>;
  /** Lists the accounts of a customer, and which of them can be chosen. */
  listAccounts(journeyId: string, customerId: string): Promise<Static<typeof appAccounts>>;
  decide(journeyId: string, decision: AppDecision): Promise<Static<typeof appAnswer>>;
  /** Says whether an answer to a challenge counts, and how its journey has ended. */
  readChallenge(challengeId: string): Promise<AppChallenge>;
};
