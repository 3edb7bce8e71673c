import { submit } from "#test/journeys/payments.ts";
import { account, amount, initiation } from "./consent-request.ts";
import { type Body, changed, type Mistake, type Place } from "./place.ts";

/** An order with a wrong body, for the authorised consent. */
const order = (name: string, make: (place: Place) => Body, ...says: Mistake["says"]): Mistake => ({
  name: `order: ${name}`,
  send: (place) =>
    place.tpp.call({
      path: "/v4.0/pisp/domestic-payments",
      token: place.authorised.token,
      body: make(place),
    }),
  says,
});

const orderOf = ({ authorised: { lodged } }: Place): Body => ({
  Data: { ConsentId: lodged.consentId, Initiation: lodged.initiation },
  Risk: lodged.risk,
});

export const orderMistakes: readonly Mistake[] = [
  order(
    "another amount",
    (place) => changed(orderOf(place), { [amount]: "99.00" }),
    "U008",
    amount,
    "12.34",
    "consent",
  ),
  order(
    "another payee",
    (place) => changed(orderOf(place), { [`${account}.Name`]: "Someone" }),
    "U008",
    `${account}.Name`,
    "Acme Supplies Ltd",
  ),
  order(
    "a member less",
    (place) => changed(orderOf(place), { [`${initiation}.RemittanceInformation`]: undefined }),
    "U008",
    "RemittanceInformation",
  ),
  order(
    "a member more",
    (place) => changed(orderOf(place), { [`${initiation}.LocalInstrument`]: "UK.OBIE.FPS" }),
    "U008",
    "LocalInstrument",
    /leave it out|Leave it out/,
  ),
  order(
    "another Risk",
    (place) =>
      changed(orderOf(place), { "Risk.PaymentContextCode": "BillingGoodsAndServicesInAdvance" }),
    "U008",
    "Risk.PaymentContextCode",
    "TransferToThirdParty",
  ),
  order(
    "no ConsentId",
    (place) => changed(orderOf(place), { "Data.ConsentId": undefined }),
    "U004",
    "Data.ConsentId",
    "POST /domestic-payment-consents returned",
  ),
  order(
    "a ConsentId of another consent",
    (place) => changed(orderOf(place), { "Data.ConsentId": place.paid.lodged.consentId }),
    "403",
    "U011",
    "ConsentId",
    /If the request is for dpc-\w+, send this id\. If not, use a token/,
  ),
  order(
    "an unknown ConsentId",
    (place) => changed(orderOf(place), { "Data.ConsentId": "none" }),
    "ConsentId",
    "Check the id",
    "POST /domestic-payment-consents returned",
  ),
  {
    name: "order: a consent that an order has used up",
    send: ({ tpp, paid }) => submit(tpp, paid.lodged, paid.token),
    says: [/U009|U029|401/, "COND", "used up", "Create a new consent"],
  },
  {
    name: "order: with client credentials",
    send: ({ tpp, authorised, tokens }) => submit(tpp, authorised.lodged, tokens.payments),
    says: ["403", "authorization_code", "client_credentials"],
  },
  {
    name: "order: the same key with another body",
    send: ({ tpp, paid }) => submit(tpp, { ...paid.lodged, risk: {} }, paid.token, paid.key),
    says: ["U029", "x-idempotency-key", "Use a new key"],
  },
  {
    name: "order: on another kind's path",
    send: ({ tpp, authorised }) =>
      submit(tpp, { ...authorised.lodged, kind: "international-payment" }, authorised.token),
    says: ["U011", "domestic-payment consent", "POST the order to /domestic-payments"],
  },
];

/** A VRP order with changed members. */
const vrpOrder = (
  name: string,
  changes: Record<string, unknown>,
  ...says: Mistake["says"]
): Mistake => ({
  name: `vrp order: ${name}`,
  send: ({ tpp, vrp: { token, body } }) =>
    tpp.call({ path: "/v4.0/pisp/domestic-vrps", token, body: changed(body, changes) }),
  says,
});

const instruction = "Data.Instruction";
export const vrpMistakes: readonly Mistake[] = [
  vrpOrder(
    "no instruction",
    { [instruction]: undefined },
    "U004",
    instruction,
    "CreditorAccount and RemittanceInformation as in the consent",
    // the example is an order that the consent allows
    /such as .*InstructedAmount.*Hawthorne Joinery Ltd.*RemittanceInformation.*Sweeping/,
  ),
  vrpOrder(
    "no VRP type",
    { "Data.VRPType": undefined },
    "U004",
    "Data.VRPType",
    "that the consent allows: UK.OBIE.VRPType.Sweeping.",
  ),
  vrpOrder(
    "another payee",
    { [`${instruction}.CreditorAccount.Identification`]: "08080021325699" },
    "U008",
    "Instruction.CreditorAccount",
  ),
  vrpOrder(
    "above the single limit",
    { [`${instruction}.InstructedAmount.Amount`]: "999999.00" },
    "U014",
    "at most 50.00",
  ),
  vrpOrder(
    "amount as a number",
    { [`${instruction}.InstructedAmount.Amount`]: 1 },
    "U002",
    "Amount",
    "string",
  ),
  vrpOrder(
    "no SCA method",
    { "Data.PSUAuthenticationMethod": undefined },
    "U004",
    "PSUAuthenticationMethod",
    // and not UK.OBIE.SCA, which this consent does not allow
    "that the consent allows: UK.OBIE.SCANotRequired.",
  ),
  vrpOrder(
    "another SCA method",
    { "Data.PSUAuthenticationMethod": "UK.OBIE.Retina" },
    /U0/,
    "PSUAuthenticationMethod",
    "UK.OBIE.SCA",
  ),
  vrpOrder(
    "another currency",
    { [`${instruction}.InstructedAmount.Currency`]: "EUR" },
    /U0/,
    "Currency",
    "GBP",
  ),
];
