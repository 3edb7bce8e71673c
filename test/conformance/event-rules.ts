import type { RuleRow } from "./rule.ts";

/** The rules of Event Notifications v4.0. */
export const eventRules: readonly RuleRow[] = [
  [
    "EV-01",
    "a setErrs entry without description, or with an err that is too long, is 400; unknown jtis are ignored",
  ],
  ["EV-02", "an event subscription replaces its TPP's callback URL; a TPP has one registration"],
  ["EV-03", "a CallbackUrl is https, and its path ends with the version and event-notifications"],
  [
    "EV-04",
    "Version chooses the format of the SET and the version in its sub; rlk links every version",
  ],
  [
    "EV-05",
    "a subscription up to Version 3.1.1, or to only resource-update, gets a revocation as a resource update",
  ],
  ["EV-06", "txn is the interaction id of the causing call, or the jti if there was no call"],
  [
    "EV-07",
    "if a consent's account is closed, blocked, opened again or withdrawn by the customer, an event names its AccountId",
  ],
  ["EV-08", "requests to callback URLs have the headers that the published file requires"],
  ["EV-09", "a subscription can be changed by PUT and ended by DELETE"],
  ["EV-10", "a push that gets no answer, or 5xx, is retried with back-off, up to published limits"],
  ["EV-11", "SETs may be encrypted", "optional: TPPs do not ask for it"],
  ["EV-12", "the TPP is notified of a customer's revocation at the bank"],
  [
    "EV-13",
    "the TPP is notified if a VRP consent can no longer use an account, or can use it again",
  ],
  ["EV-14", "the err codes of the draft and of the RFCs are accepted, and unknown ones too"],
  ["EV-15", "Links.Self of a subscription has no slash at its end"],
  ["EV-16", "the poll {} returns events, and the same ones again until they are acknowledged"],
  [
    "EV-17",
    "the bank publishes event types, intervals and limits",
    "does not affect requests or responses: [the page on events](events.md) lists them",
  ],
  ["EV-18", "the TPP is notified when an order's last signatory has signed or refused"],
  ["EV-19", "an event is sent to the callback URL in real time; no other TPP can delay it"],
  ["EV-20", "polling is offered"],
  ["EV-21", "no event is lost or duplicated if a process dies or several processes run"],
  ["EV-22", "an operator can send events again with the same jti and bytes"],
  ["EV-23", "operators see the attempts to deliver each event, and the state of each endpoint"],
  ["EV-24", "a client credentials token with any of the three scopes is needed"],
  ["EV-25", "requests and responses about subscriptions are signed; polls are not"],
  [
    "EV-26",
    "event types are accepted as codes and as URNs, and returned as sent; others are 400 U024",
  ],
  ["EV-27", "a second registration is 409 U029"],
  ["EV-28", "an unknown id is 400 U011 and another TPP's is 403"],
  ["EV-29", "a SET has iss, iat, jti, aud, sub, txn, toe and events, and the bank's signature"],
  [
    "EV-30",
    "maxEvents limits a response; with maxEvents 0 a poll only acknowledges; moreAvailable is always present",
  ],
  ["EV-31", "ack and setErrs end the delivery of the TPP's own events only"],
  ["EV-32", "a poll waits for an event unless it asks for an immediate response"],
  ["EV-33", "a TPP's own calls do not cause events, and no TPP gets the events of another TPP"],
  ["EV-34", "only subscribed types are sent, and only changes after the subscription"],
  ["EV-35", "v3.1 has the same operations, but does not show registrations that were made on v4.0"],
];
