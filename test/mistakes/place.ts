import { randomUUID } from "node:crypto";
import type { Config } from "#src/config/config.ts";
import { present } from "#src/lib/assert.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { examplesIn } from "#src/server/examples/examples.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Lodged, lodge, lodgeAccess, order } from "#test/journeys/payments.ts";

/** A bank in the state that the mistakes need. */
export type Place = {
  bank: TestBank;
  /** The request that was sent last, as its reader sees it. */
  sent: { text: string };
  /** FAPI 1, every role. */
  tpp: TppClient;
  other: TppClient;
  /** FAPI 2 Message Signing. */
  fapi2: TppClient;
  /** The client `tpp` with other credentials; close it after its request. */
  changedTpp(credentials: Partial<TppClient["tpp"]>): TppClient;
  /** Client credentials tokens of `tpp`. */
  tokens: { payments: string; accounts: string; fundsconfirmations: string };
  /** An approved account access consent with few permissions. */
  access: { consentId: string; token: string; refresh: string; accountId: string };
  /** An authorised payment consent, and its token. */
  authorised: { lodged: Lodged; token: string };
  /** A payment that has used up its consent. */
  paid: { lodged: Lodged; token: string; orderId: string; key: string };
  /** An authorised consent for variable recurring payments. */
  vrp: { consentId: string; token: string; body: Body };
};

/** A body of JSON. */
export type Body = Record<string, unknown>;

/** A mistake of a TPP, and what the answer must name. */
export type Mistake = {
  /** What is done wrong, and on which call. */
  name: string;
  send(place: Place): Promise<Answer | string>;
  /** What a reader of request and answer needs: code, place, what is allowed, what to do. */
  says: readonly (string | RegExp)[];
};

const today = Temporal.Now.plainDateISO("UTC");

/** The example of a consent of a kind. */
export const sampleConsent = (
  kind: PaymentKindId,
  { day = today, version = "pisp-v4.0" }: { day?: Temporal.PlainDate; version?: ApiVersionId } = {},
): Body => structuredClone(examplesIn(kindNamed(kind, paymentKinds), version).sample(day).consent);

/** The example of an order of a kind. */
export const sampleOrder = (kind: PaymentKindId): Body =>
  structuredClone(examplesIn(kindNamed(kind, paymentKinds), "pisp-v4.0").sample(today).order);

/** A body with other members; `undefined` leaves a member out. Names of members in `a.b` form. */
export function changed(body: Body, changes: Record<string, unknown>): Body {
  const copy = JSON.parse(JSON.stringify(body)) as Body; // a sample may have an object twice
  for (const [path, value] of Object.entries(changes)) {
    const names = path.split(".");
    const last = present(names.pop(), "a name");
    let at = copy;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Body;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return copy;
}

/** Opens the bank, with what the mistakes need. */
export async function openPlace(settings: Partial<Config> = {}): Promise<Place> {
  const bank = await openBank(settings);
  const tpp = await bank.createTpp();
  const other = await bank.createTpp();
  const fapi2 = await bank.createTpp({ profile: "fapi2-message-signing" });
  // wrong requests need not be in the published files
  const sent = { text: "" };
  for (const one of [tpp, other, fapi2]) {
    one.onAnswer = null;
    note(one, sent);
  }
  const token = (scope: "payments" | "accounts" | "fundsconfirmations") => tpp.clientToken(scope);
  const tokens = {
    payments: await token("payments"),
    accounts: await token("accounts"),
    fundsconfirmations: await token("fundsconfirmations"),
  };
  const accessId = await lodgeAccess(tpp, {});
  const granted = await bank.approve(tpp, { scope: "accounts", consentId: accessId, customer });
  const accounts = await tpp.call<{ Data: { Account: { AccountId: string }[] } }>({
    path: "/v3.1/aisp/accounts",
    token: granted.access_token,
  });
  const pay = async () => {
    const lodged = await lodge(tpp);
    const { consentId } = lodged;
    const { access_token } = await bank.approve(tpp, { scope: "payments", consentId, customer });
    return { lodged, token: access_token };
  };
  const authorised = await pay();
  const used = await pay();
  const key = randomUUID();
  const orderId = await order(tpp, used.lodged, used.token, key);
  return {
    bank,
    sent,
    tpp,
    other,
    fapi2,
    changedTpp(credentials) {
      const Client = tpp.constructor as typeof TppClient;
      const client = new Client(tpp.bank, { ...tpp.tpp, ...credentials });
      note(client, sent);
      return client;
    },
    tokens,
    access: {
      consentId: accessId,
      token: granted.access_token,
      refresh: granted.refresh_token ?? "",
      accountId: accounts.body.Data.Account[0]?.AccountId ?? "",
    },
    authorised,
    paid: { ...used, orderId, key },
    vrp: await grantVrp(bank, tpp, tokens.payments),
  };
}

const customer = "amara";

/** Notes each request of a client. */
function note(client: TppClient, sent: { text: string }): void {
  const send = client.send.bind(client);
  client.send = (url, method, body, headers) => {
    const lines = Object.entries(headers).flatMap(([name, value]) =>
      value === null ? [] : [`${name}: ${value}`],
    );
    sent.text = [`${method} ${url}`, ...lines, "", body?.toString() ?? ""].join("\n").trimEnd();
    return send(url, method, body, headers);
  };
}

async function grantVrp(bank: TestBank, tpp: TppClient, token: string): Promise<Place["vrp"]> {
  const answer = await tpp.call<{ Data: { ConsentId: string } }>({
    path: "/v4.0/pisp/domestic-vrp-consents",
    token,
    body: sampleConsent("domestic-vrp"),
  });
  const consentId = answer.body.Data.ConsentId;
  const granted = await bank.approve(tpp, { scope: "payments", consentId, customer });
  const body = changed(sampleOrder("domestic-vrp"), { "Data.ConsentId": consentId });
  return { consentId, token: granted.access_token, body };
}

/** An answer as its reader sees it: status, headers that say something, and body. */
export function shown(answer: Answer | string): string {
  if (typeof answer === "string") {
    const url = new URL(answer);
    const given = new URLSearchParams(url.hash.slice(1) || url.search);
    const response = given.get("response");
    const claims = response?.split(".")[1];
    const said = claims
      ? Buffer.from(claims, "base64url").toString()
      : [...given].map(([name, value]) => `${name}: ${value}`).join("\n");
    return `redirect to ${url.origin}${url.pathname}\n${said}`;
  }
  const headers = ["www-authenticate", "allow", "accept", "retry-after"].flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [`${name}: ${String(value)}`];
  });
  return [String(answer.status), ...headers, answer.raw.toString()].join("\n");
}
