import Type, { type Static, type TObject } from "typebox";
import type { AccountChange } from "#src/events/event-resource.ts";
import { reasonTexts, type SandboxReasonCode } from "#src/sandbox/bank/reasons.ts";
import { eventTypes } from "#src/standard/shared/events/event-types.ts";
import type { AccountState } from "./account-states.ts";
import type { PayeeWarning } from "./approval-shapes.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

/** What an act is done to. */
export type ActObject = "payment" | "consent" | "account" | "customer" | "request";

/** What the acts call: each returns the status of the object afterwards. */
export type Acts = {
  advance(orderId: string): Promise<string>;
  refuse(orderId: string, code: SandboxReasonCode): Promise<string>;
  delay(orderId: string, by: Temporal.Duration): Promise<string>;
  giveBack(orderId: string, code: SandboxReasonCode): Promise<string>;
  revoke(consentId: string): Promise<string>;
  expire(consentId: string): Promise<string>;
  pause(consentId: string, isPaused: boolean): Promise<string>;
  setState(accountId: string, state: AccountState): Promise<string>;
  payIn(accountId: string, given: PaidInRequest): Promise<string>;
  stateNow(accountId: string): Promise<string>;
  failCode(login: string): Promise<string>;
  fire(objectId: string, event: FiredRequest): Promise<string>;
  /** What its customer does with a TPP's request without a browser. */
  decide(authReqId: string, decision: RequestDecision): Promise<Decided>;
  /** What has that id or login; null if nothing has. */
  find(id: string): Promise<ActObject | null>;
};

/** The status after a decision, and what the customer was told of the payee's name on the way. */
type Decided = { status: string; warning: PayeeWarning };

/** What becomes of a TPP's request without a browser. */
type RequestDecision = "allow" | "deny" | "time-out";

const closed = { additionalProperties: false };
const codes = Object.keys(reasonTexts) as SandboxReasonCode[];
const reasonCode = Type.Optional(
  Type.Union(
    codes.map((code) => Type.Literal(code)),
    { description: "An ISO 20022 reason. The default is AC04." },
  ),
);
const refusal = Type.Object({ reason: reasonCode }, closed);
const nothing = Type.Object({}, closed);
const delay = Type.Object(
  { by: Type.String({ description: "An ISO 8601 duration, such as PT1H or P1D." }) },
  closed,
);
const paidIn = Type.Object(
  {
    amount: Type.String({
      pattern: String.raw`^\d{1,13}(\.\d{1,5})?$`,
      description: "In the account's currency, such as 25.00.",
    }),
    name: Type.Optional(Type.String({ maxLength: 70, description: "Who pays." })),
    reference: Type.Optional(Type.String({ maxLength: 35 })),
  },
  closed,
);

/** The body of an act that pays money into an account. */
type PaidInRequest = Static<typeof paidIn>;

const eventCodes = eventTypes.map(({ code }) => code);
const accountChanges = ["closed", "switched", "blocked", "open", "withdrawn"] as const;
const fired = Type.Object(
  {
    type: Type.Optional(
      Type.Union(
        eventCodes.map((code) => Type.Literal(code)),
        {
          description:
            "The default is UK.OBIE.Resource-Update, and for an account the type that its consents " +
            "have.",
        },
      ),
    ),
    change: Type.Optional(
      Type.Union(
        accountChanges.map((change) => Type.Literal(change)),
        {
          description: "For an account: what the event says has happened. The default is closed.",
        },
      ),
    ),
  },
  closed,
);

/** The body of an act that fires an event. */
type FiredRequest = { type?: string; change?: AccountChange };

/** One act, from which come its route, its command and its button. */
export type ActRow = {
  /** `object` stands for any consent, order or account. */
  on: ActObject | "object";
  /** The last part of its path, and the name of its command. */
  act: string;
  operationId: string;
  /** The text of its button. */
  label: string;
  summary: string;
  request: TObject;
  /** `body` matches `request`. */
  run(acts: Acts, id: string, body: never): Promise<string | Decided>;
};

const paths: Record<ActRow["on"], string> = {
  payment: "payments/:orderId",
  consent: "consents/:consentId",
  account: "accounts/:accountId",
  customer: "customers/:login",
  request: "backchannel-requests/:authReqId",
  object: "objects/:objectId",
};

/** The acts on one kind of object. */
export const actsOn = (on: ActObject | null): ActRow[] =>
  actRows.filter((row) => row.on === on || (row.on === "object" && on && !isWithoutEvents(on)));

const isWithoutEvents = (on: ActObject): boolean => on === "customer" || on === "request";

/** The path of an act, with a parameter for the id. */
export const actPath = ({ on, act }: Pick<ActRow, "on" | "act">): string => `/${paths[on]}/${act}`;

type Refusal = { reason?: SandboxReasonCode };

/** The acts on one payment order, consent, account or customer. */
export const actRows: readonly ActRow[] = [
  {
    on: "payment",
    act: "advance",
    operationId: "advancePayment",
    label: "Advance",
    summary:
      "Takes the next step now: makes a waiting payment, ends a review, or gets the scheme's answer.",
    request: nothing,
    run: (acts, id) => acts.advance(id),
  },
  {
    on: "payment",
    act: "refuse",
    operationId: "refusePayment",
    label: "Refuse",
    summary: "Refuses the payments that are not settled, and refunds a debtor who was debited.",
    request: refusal,
    run: (acts, id, { reason = "AC04" }: Refusal) => acts.refuse(id, reason),
  },
  {
    on: "payment",
    act: "delay",
    operationId: "delayPayment",
    label: "Delay",
    summary: "Delays the date of a waiting payment, the end of a review, or the scheme's answer.",
    request: delay,
    run: (acts, id, { by }: Static<typeof delay>) => acts.delay(id, durationOf(by)),
  },
  {
    on: "payment",
    act: "return",
    operationId: "returnPayment",
    label: "Return",
    summary:
      "Sends the money of settled payments back to the debtor, as new transactions; their status " +
      "does not change.",
    request: refusal,
    run: (acts, id, { reason = "AC04" }: Refusal) => acts.giveBack(id, reason),
  },
  {
    on: "consent",
    act: "revoke",
    operationId: "revokeConsent",
    label: "Revoke",
    summary: "Withdraws a consent on behalf of its customer, as the bank's own pages do.",
    request: nothing,
    run: (acts, id) => acts.revoke(id),
  },
  {
    on: "consent",
    act: "expire",
    operationId: "expireConsent",
    label: "Expire",
    summary: "Ends a consent that the customer has authorised, as if it had expired.",
    request: nothing,
    run: (acts, id) => acts.expire(id),
  },
  {
    on: "consent",
    act: "suspend",
    operationId: "suspendConsent",
    label: "Suspend",
    summary: "Pauses the payments under a consent to variable recurring payments.",
    request: nothing,
    run: (acts, id) => acts.pause(id, true),
  },
  {
    on: "consent",
    act: "resume",
    operationId: "resumeConsent",
    label: "Resume",
    summary: "Allows payments under a suspended consent again.",
    request: nothing,
    run: (acts, id) => acts.pause(id, false),
  },
  accountAct(
    "block",
    "blocked",
    "Block",
    "Blocks an account: it is missing from responses until it is opened again.",
  ),
  accountAct("close", "closed", "Close", "Closes an account."),
  accountAct(
    "switch",
    "switched",
    "Switch",
    "Closes a current account that has moved to another bank, and sets its SwitchStatus.",
  ),
  accountAct("reopen", "open", "Open again", "Opens an account again."),
  {
    on: "account",
    act: "pay-in",
    operationId: "payIntoAccount",
    label: "Pay in",
    summary: "Pays money from another bank into an account.",
    request: paidIn,
    run: (acts, id, body: PaidInRequest) => acts.payIn(id, body),
  },
  {
    on: "account",
    act: "statement",
    operationId: "makeStatement",
    label: "Make a statement",
    summary:
      "Creates a statement of an account up to now. It replaces an earlier interim statement, and the " +
      "regular monthly statement replaces it.",
    request: nothing,
    run: (acts, id) => acts.stateNow(id),
  },
  {
    on: "customer",
    act: "fail-code",
    operationId: "failNextCode",
    label: "Fail the next code",
    summary:
      "Refuses the next code that a customer enters, even if the code is right. A new code works.",
    request: nothing,
    run: (acts, id) => acts.failCode(id),
  },
  decision(
    "allow",
    "Allow",
    "Approves a TPP's request without a browser in the bank's app, with the usual accounts.",
  ),
  decision("deny", "Deny", "Declines a TPP's request without a browser in the bank's app."),
  decision(
    "time-out",
    "Time out",
    "Ends the time of a TPP's request without a browser, as if the customer had not answered.",
  ),
  {
    on: "object",
    act: "fire-event",
    operationId: "fireEvent",
    label: "Fire an event",
    summary:
      "Sends the TPP an event about a consent, an order or an account, although nothing has changed.",
    request: fired,
    run: (acts, id, event: FiredRequest) => acts.fire(id, event),
  },
];

function accountAct(act: string, state: AccountState, label: string, summary: string): ActRow {
  const operationId = `${act}Account`;
  const run: ActRow["run"] = (acts, id) => acts.setState(id, state);
  return { on: "account", act, operationId, label, summary, request: nothing, run };
}

function decision(act: RequestDecision, label: string, summary: string): ActRow {
  const operationId = { allow: "allow", deny: "deny", "time-out": "timeOut" }[act];
  const run: ActRow["run"] = (acts, id) => acts.decide(id, act);
  const named = { act, operationId: `${operationId}BackchannelRequest` };
  return { on: "request", ...named, label, summary, request: nothing, run };
}

function durationOf(text: string): Temporal.Duration {
  let found: Temporal.Duration | null = null;
  try {
    const start = Temporal.PlainDateTime.from("2027-01-01T00:00:00");
    found = start.until(start.add(Temporal.Duration.from(text)), { largestUnit: "hours" });
  } catch {
    // answered below
  }
  if (found === null || found.sign <= 0) {
    throw new SandboxRefusal(400, "`by` must be an ISO 8601 duration, such as PT1H or P1D.");
  }
  return found;
}
