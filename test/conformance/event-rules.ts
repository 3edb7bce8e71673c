import { type RuleRow, vrp } from "./rule.ts";

const delivery = "not yet: events are polled, and real-time delivery follows";

/** The rules of Event Notifications v4.0. */
export const eventRules: readonly RuleRow[] = [
  ["EV-01", "a setErrs entry without description or with a long err is 400; an unknown jti is not"],
  ["EV-02", "an event subscription replaces its TPP's callback URL; a TPP has one registration"],
  ["EV-03", "a CallbackUrl is https and ends with its version and event-notifications"],
  ["EV-04", "Version selects the SET's format and newest sub; rlk lists every version's link"],
  [
    "EV-05",
    "Version 3.1.1 or older, callback URLs and resource-update alone: a revocation is an update",
  ],
  ["EV-06", "txn is the interaction id of the causing call, or the jti if there was no call"],
  [
    "EV-07",
    "an account that joins or leaves a consent is told by its AccountId",
    "not yet: no such event",
  ],
  ["EV-08", "a subscription can be limited to the older shape of pushes", delivery],
  ["EV-09", "a subscription can be changed by PUT and ended by DELETE"],
  [
    "EV-10",
    "a push is repeated with back-off after no answer and 5xx, up to published limits",
    delivery,
  ],
  ["EV-11", "SETs may be encrypted", "optional: TPPs do not ask for it"],
  ["EV-12", "a customer's revocation at the bank is notified"],
  ["EV-13", "an account that a VRP consent cannot use any more is notified", vrp],
  ["EV-14", "the err codes of the draft and of the RFCs are accepted, and unknown ones too"],
  ["EV-15", "Links.Self of a subscription has no slash at its end"],
  ["EV-16", "the poll {} returns events, and the same ones again until they are acknowledged"],
  ["EV-17", "the bank publishes event types, intervals and limits", "nothing on the wire"],
  ["EV-18", "an order whose last signatory has signed or refused is notified"],
  ["EV-19", "the TPP is told of a cancellation in real time", delivery],
  ["EV-20", "polling is offered"],
  ["EV-21", "an event is not lost and not doubled when a process dies or several run"],
  [
    "EV-22",
    "an operator can send events again with the same jti and bytes",
    "not yet: a command follows",
  ],
  ["EV-23", "the portal shows each delivery", delivery],
  ["EV-24", "a client credentials token with any of the three scopes is needed"],
  ["EV-25", "requests and responses about subscriptions are signed; polls are not"],
  ["EV-26", "event types are accepted as code and as URN and echoed; others are 400 U024"],
  ["EV-27", "a second registration is 409 U029"],
  ["EV-28", "an unknown id is 400 U011 and another TPP's is 403"],
  ["EV-29", "a SET has iss, iat, jti, aud, sub, txn, toe and events, and the bank's signature"],
  ["EV-30", "maxEvents limits a response, 0 acknowledges only, and moreAvailable is always there"],
  ["EV-31", "ack and setErrs end the delivery of the TPP's own events only"],
  ["EV-32", "a poll waits for an event unless it asks for an immediate response"],
  ["EV-33", "a TPP's own calls make no events, and no TPP gets another one's"],
  ["EV-34", "only subscribed types are sent, and only changes after the subscription"],
];
