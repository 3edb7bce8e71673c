import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import type { Json } from "#test/payments/answer-check.ts";
import type {
  ArrivedEvent,
  AskedLimits,
  OperationName,
  Operations,
  Settling,
  Use,
} from "./calls.ts";

// What a request to the APIs asks, and what its answer tells, in the words of a history.

/** A request as a client sends it. */
export type SentRequest = {
  method: string;
  url: string;
  token: string | null;
  key: string | null;
  body: unknown;
};

/** What a request asks, and how to read an answer of status 2xx. */
export type ReadRequest = {
  [Name in OperationName]: {
    operation: Name;
    asked: Operations[Name]["asked"];
    tell(body: unknown): Operations[Name]["told"];
  };
}[OperationName];

/** Returns a short hash: histories have no secrets and no long bodies. */
export const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 16);

const hashedToken = (token: string | null): string | null => token && hashOf(token);

/** Reads an amount as pence; null if it is none, or not in pounds. */
function penceOf(amount: { Amount: string; Currency: string } | undefined): number | null {
  if (amount?.Currency !== "GBP") return null;
  const [pounds = "", pence = ""] = amount.Amount.split(".");
  return Number(pounds) * 100 + Number(pence.padEnd(2, "0").slice(0, 2));
}

const amountOf = ({ Data }: Json): number | null =>
  penceOf(Data.Instruction?.InstructedAmount ?? Data.Initiation?.InstructedAmount);

function limitsOf({ Data }: Json): AskedLimits | null {
  const asked = Data.ControlParameters;
  if (!asked) return null;
  const day = (text: string | undefined) => text?.slice(0, 10) ?? null;
  return {
    single: penceOf(asked.MaximumIndividualAmount),
    periods: (asked.PeriodicLimits ?? []).map((limit: Json) => ({
      type: limit.PeriodType,
      alignment: limit.PeriodAlignment,
      amount: penceOf(limit as { Amount: string; Currency: string }) ?? 0,
    })),
    from: day(asked.ValidFromDateTime),
    to: day(asked.ValidToDateTime),
  };
}

function useOf(api: string, kind: string): Use {
  if (api !== "pisp") return "never";
  return kind.includes("vrp") ? "within limits" : "once";
}

/** Reads the claims of an event. */
export function readEvent(set: string): ArrivedEvent {
  const { jti = "", toe, events } = decodeJwt<{ toe: number; events: Record<string, Json> }>(set);
  const subjects = Object.values(events).flatMap(({ subject }) => subject ?? []);
  const subject = String(subjects[0]?.["http://openbanking.org.uk/rid"] ?? "");
  return { jti, subject, toe, body: hashOf(set) };
}

const apiPath =
  /\/open-banking\/v\d\.\d\/(?:(aisp|pisp|cbpii)\/)?([a-z-]+)(?:\/([^/?]+))?(\/[^?]+)?(?:\?.*)?$/;

/** Reads a request; null if the model has no operation for it. */
export function readRequest(sent: SentRequest): ReadRequest | null {
  const [, api = "", resource = "", id, below] = apiPath.exec(sent.url) ?? [];
  const token = hashedToken(sent.token);
  if (api === "") return readEventRequest(sent, resource);
  const name = resource.replace(/-consents$/, "");
  if (name !== resource) {
    if (below !== undefined) return null;
    return id === undefined ? lodging(sent, api, name) : aboutConsent(sent, id, token);
  }
  if (api === "aisp" || (sent.method === "POST" && api === "cbpii")) {
    return { operation: "readData", asked: { resource: sent.url, token }, tell: tellPage };
  }
  if (api !== "pisp" || below !== undefined) return null;
  if (sent.method === "GET" && id !== undefined) {
    const asked = { orderId: id, token };
    return { operation: "readOrder", asked, tell: (body) => ({ status: dataOf(body).Status }) };
  }
  return sent.method === "POST" && id === undefined ? ordering(sent, resource, token) : null;
}

/** Reads the newest transaction of a page. */
export function tellPage(body: unknown): Operations["readData"]["told"] {
  const newest = dataOf(body)?.Transaction?.[0]?.BookingDateTime;
  return newest === undefined ? {} : { newest };
}

const dataOf = (body: unknown): Json => (body as Json).Data;

function lodging({ method, body }: SentRequest, api: string, kind: string): ReadRequest | null {
  if (method !== "POST" || typeof body !== "object") return null;
  const asked = body as Json;
  const ends: string | undefined = asked.Data?.ExpirationDateTime;
  return {
    operation: "lodge",
    asked: {
      kind,
      use: useOf(api, kind),
      amount: amountOf(asked),
      limits: limitsOf(asked),
      ...(ends === undefined ? {} : { ends }),
    },
    tell(told) {
      const { ConsentId, Status, CreationDateTime } = dataOf(told);
      return { consentId: ConsentId, status: Status, created: CreationDateTime };
    },
  };
}

function aboutConsent(
  { method }: SentRequest,
  consentId: string,
  token: string | null,
): ReadRequest | null {
  if (method === "DELETE") {
    return { operation: "revoke", asked: { consentId }, tell: () => ({}) };
  }
  if (method !== "GET") return null;
  const tell = (body: unknown) => ({ status: dataOf(body).Status });
  return { operation: "readConsent", asked: { consentId, token }, tell };
}

function ordering(sent: SentRequest, resource: string, token: string | null): ReadRequest | null {
  if (typeof sent.body !== "object" || sent.key === null) return null;
  const body = sent.body as Json;
  const asked = {
    kind: resource.replace(/s$/, ""),
    consentId: body.Data.ConsentId,
    key: sent.key,
    amount: amountOf(body),
    token,
  };
  return {
    operation: "order",
    asked,
    tell(told) {
      const data = dataOf(told);
      const [, orderId] = Object.entries(data).find(([name]) => /(?<!Consent)Id$/.test(name)) ?? [];
      return { orderId: String(orderId), status: data.Status, created: data.CreationDateTime };
    },
  };
}

function readEventRequest({ method, body }: SentRequest, resource: string): ReadRequest | null {
  if (method !== "POST") return null;
  if (resource === "event-subscriptions" || resource === "callback-urls") {
    return { operation: "subscribe", asked: {}, tell: () => ({}) };
  }
  if (resource !== "events") return null;
  const { ack = [], setErrs = {} } = body as { ack?: string[]; setErrs?: object };
  const settles: Record<string, Settling> = {
    ...Object.fromEntries(ack.map((jti) => [jti, "accepted"])),
    ...Object.fromEntries(Object.keys(setErrs).map((jti) => [jti, "refused"])),
  };
  const tell = (told: unknown) => ({
    events: Object.values((told as { sets: Record<string, string> }).sets).map(readEvent),
  });
  return { operation: "poll", asked: { settles }, tell };
}
