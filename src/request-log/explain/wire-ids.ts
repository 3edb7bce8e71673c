/** An id that the bank or a TPP puts on the wire, and what an explanation makes of it. */
type WireId = {
  /** Its name on the wire. */
  name: string;
  /** What the explanation of such an id is about; null if the bank cannot tell. */
  subject: string | null;
  /** Why the bank cannot tell, and what to ask instead; null if it can. */
  instead: string | null;
  /** What such an id looks like, if the bank can see it. */
  form?: RegExp;
  /** The members of the APIs that have it, if they are not called like it. */
  members?: RegExp;
};

const told = (name: string, subject: string, members?: RegExp): WireId => ({
  name,
  subject,
  instead: null,
  ...(members ? { members } : {}),
});
const untold = (name: string, instead: string, form?: RegExp): WireId => ({
  name,
  subject: null,
  instead,
  ...(form ? { form } : {}),
});

const ofAccount = "It is unique only within its account: explain the AccountId.";
const ofOrder = "It is a reference inside an order: explain the id of the order.";
const ofProduct = "It is a detail of a product: explain the ProductId.";
const secret = (call: string): string =>
  `It is secret and works once, so the bank does not look for it: explain the interaction id of ${call}.`;

/** Every id on the wire. The first `form` that fits says what an unknown id may be. */
export const wireIds: readonly WireId[] = [
  told("x-fapi-interaction-id", "request"),
  told("ConsentId", "consent"),
  told("the id of an order", "order", /^(Domestic|International|File)\w+Id$/),
  told("AccountId", "account"),
  told("BeneficiaryId", "account data"),
  told("DirectDebitId", "account data"),
  told("OfferId", "account data"),
  told("PartyId", "account data"),
  told("ProductId", "account data"),
  told("StandingOrderId", "account data"),
  told("ScheduledPaymentId", "account data"),
  told("EventSubscriptionId", "subscription"),
  told("CallbackUrlId", "subscription"),
  told("jti of an event", "event"),
  told("client_id", "client"),
  told("software_id", "software"),
  told("auth_req_id", "approval request"),
  untold("TransactionId", ofAccount),
  untold("StatementId", ofAccount),
  untold("PaymentTransactionId", ofOrder),
  untold("ReferencePaymentOrderId", ofOrder),
  untold("SecondaryProductId", ofProduct),
  untold("MarketingStateId", ofProduct),
  untold("FundsConfirmationId", "Explain the ConsentId under which it was asked."),
  untold("x-idempotency-key", "Only its client knows it: list the client's requests."),
  untold("approvalId", "It is of the sandbox's app: GET /sandbox/v1/approvals lists what waits."),
  untold("request_uri", secret("the call of /request"), /^urn:/),
  untold("a JWT", "Give it to `./aldgate judge`.", /^eyJ/),
  untold(
    "an authorization code, access token or refresh token",
    secret("the call that used it"),
    /^[\w-]{40,}$/,
  ),
];

/** Why the log has no request to show. */
export const whyNotLogged = (id: string): string =>
  `The log has no request with the id ${id}: it was never sent, or it is so old that it has been ` +
  `deleted. If it is the id of anything else, ask ./aldgate explain ${id}.`;

/** Why nothing can be said about an id. */
export function whyUnknown(id: string): string {
  const likely = wireIds.find(({ form }) => form?.test(id));
  const first = `Nothing has the id ${id}, or it is older than the log.`;
  if (likely) return `${first} It may be ${likely.name}. ${likely.instead}`;
  const others = wireIds.filter(({ subject, form }) => subject === null && !form);
  return `${first} The bank cannot look for these: ${others.map(({ name }) => name).join(", ")}.`;
}
