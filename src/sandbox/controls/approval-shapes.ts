import Type, { type Static } from "typebox";

const closed = { additionalProperties: false };
const fact = Type.Object(
  { label: Type.String(), value: Type.String() },
  { title: "ApprovalFact", ...closed },
);
/** The schema of what the customer is told about the payee's name. */
export const payeeWarning = Type.Union(
  [
    Type.Object({ title: Type.String(), text: Type.String() }, { title: "PayeeWarning" }),
    Type.Null(),
  ],
  { description: "What the customer was told about the payee's name; null if nothing." },
);

/** What the customer is told about the payee's name. */
export type PayeeWarning = Static<typeof payeeWarning>;

/** The schema of a request that waits for a customer's answer in the app. */
export const approval = Type.Object(
  {
    approvalId: Type.String({ description: "The identifier of the request." }),
    customer: Type.String({ description: "The login of the customer who is asked." }),
    facts: Type.Array(fact, { description: "What the app shows; nothing for a login." }),
    digits: Type.Union([Type.String(), Type.Null()], {
      description: "The digits on the bank's page, which the app asks for; null if no page waits.",
    }),
    bindingMessage: Type.Union([Type.String(), Type.Null()], {
      description:
        "The `binding_message` of a TPP that waits without a page; null if it sent none.",
    }),
    warning: payeeWarning,
    expiresAt: Type.String({ format: "date-time" }),
  },
  { title: "Approval" },
);
/** The schema of an answer in the app. */
export const appAnswer = Type.Object(
  {
    decision: Type.Enum(["approve", "decline", "expire"], {
      type: "string",
      description: "What the customer does in the app; expire lets the request end unanswered.",
    }),
    digits: Type.Optional(
      Type.String({
        pattern: "^\\d{2}$",
        description: "Needed to approve if a page waits: those on the page.",
      }),
    ),
    accountIds: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description:
          "If no page waits: the accounts that the customer chooses in the app. By default, the " +
          "first that can pay, or all that can be shared.",
      }),
    ),
  },
  closed,
);

/** The schema of a customer who shows an identifier to a TPP. */
export const identifierRequest = Type.Object(
  { customer: Type.String({ description: "The customer's login." }) },
  closed,
);

/** The schema of an identifier that a customer shows to a TPP. */
export const shownIdentifier = Type.Object(
  {
    identifier: Type.String({ description: "What the TPP sends as `ephemeral_sub`, once." }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { title: "ShownIdentifier" },
);

/** The schema of a consent's id that a customer scans in the app. */
export const scanRequest = Type.Object(
  {
    customer: Type.String({ description: "The customer's login." }),
    consentId: Type.String({ description: "The consent's id, which the TPP shows." }),
  },
  closed,
);

type ShownApproval = Static<typeof approval>;

type AppAnswer = Static<typeof appAnswer>;

/** The app of the sandbox bank's customers. */
export type AppControls = {
  /** Lists the requests that wait for an answer, the newest first. */
  list(): Promise<ShownApproval[]>;
  /** Shows an identifier with which a TPP can ask for an approval. Throws SandboxRefusal. */
  identify(request: Static<typeof identifierRequest>): Promise<Static<typeof shownIdentifier>>;
  /** Scans the id of a consent for which a TPP waits. Throws SandboxRefusal. */
  scan(request: Static<typeof scanRequest>): Promise<void>;
  /**
   * Answers as the customer does. Returns the warning about the payee's name that the app has shown
   * on the way, if no page shows it. Throws SandboxRefusal.
   */
  answer(approvalId: string, answer: AppAnswer): Promise<PayeeWarning>;
};
