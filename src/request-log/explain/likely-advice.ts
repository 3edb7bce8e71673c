import { idempotencyHeader } from "#src/http/headers/request-headers.ts";
import { type RefusalReason, refusals, type Texts } from "#src/http/refusal/refusals.ts";
import { ps256Form } from "#src/http/signature/other-padding.ts";
import { adviceOn } from "./advice.ts";
import type { Advice } from "./advice-row.ts";
import type { ExplainedFault } from "./explanation.ts";

type Quoted = Readonly<Record<string, string>>;

/** Reads what stands in a message where a text has a name in braces; null if they do not fit. */
function readQuoted(text: string, message: string): Quoted | null {
  // by turns words and names, and words at both ends
  const [start = "", ...parts] = text.split(/\{(\w+)\}/);
  if (!message.startsWith(start)) return null;
  const quoted: Record<string, string> = {};
  let at = start.length;
  for (let index = 0; index < parts.length; index += 2) {
    const [name = "", words = ""] = parts.slice(index, index + 2);
    const isLast = index + 2 === parts.length;
    const end = isLast ? message.length - words.length : message.indexOf(words, at);
    if (end < at || !message.startsWith(words, end)) return null;
    quoted[name] = message.slice(at, end);
    at = end + words.length;
  }
  return at === message.length ? quoted : null;
}

/** The values that a message quotes, by the names that the text of its reason has for them. */
export function quotedIn(reason: string, message: string): Quoted {
  if (!Object.hasOwn(refusals, reason)) return {};
  const texts: Texts = refusals[reason as RefusalReason];
  const forms = typeof texts === "string" ? [texts] : [texts.sandbox, texts.production];
  for (const form of forms) {
    const quoted = readQuoted(form, message);
    if (quoted !== null) return quoted;
  }
  return {};
}

/** What a message quotes as the value at a place. */
export const quotedAt = (where: string, quoted: Quoted): string | null => {
  const name = where.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const names = [name, "detail", "status", "problem", "usages", "subject", "certificate"];
  const known = names.find((one) => quoted[one] !== undefined);
  return known === undefined ? null : (quoted[known] ?? null);
};

/** What to do about a token of the wrong grant, by the grant that the operation needs. */
const nextOfGrant = [
  [
    /needs (an access token from the grant )?client_credentials/,
    "Get a token with the grant client_credentials, and use it here.",
  ],
  [
    /needs (an access token from the grant )?authorization_code/,
    "Use the token of the customer's approval: exchange the code that /auth has returned.",
  ],
] as const;

/** The advice on a reason, which names what its message asks for; null if there is none. */
export function adviceOnReason(reason: string, message: string): Advice | null {
  const advice = adviceOn(reason);
  if (advice === null) return null;
  const { scope } = quotedIn(reason, message);
  if (reason === "tokenScope" && scope) {
    return { ...advice, next: `Get a token with the scope ${scope}.` };
  }
  const next = reason === "tokenGrant" && nextOfGrant.find(([says]) => says.test(message))?.[1];
  return next ? { ...advice, next } : advice;
}

type Said = Pick<ExplainedFault, "code" | "where" | "message" | "found">;

/** Mistakes that the place, the message or what was found shows: a code can have many causes. */
const mistakes: readonly { fits(said: Said): boolean; next(said: Said): string }[] = [
  {
    fits: ({ where, found }) => /(^|\/)(exp|iat|nbf)$/.test(where ?? "") && Number(found) > 1e11,
    next: ({ where }) => `Send ${where} in seconds: this is a time in milliseconds. Sign again.`,
  },
  {
    fits: ({ where, found }) => where === "b64" || (where === "crit" && /"b64"/.test(found ?? "")),
    next: () => "Leave b64 out, of the header and of crit, and sign header.base64url(body).",
  },
  {
    // U029, and U006 on Payment Initiation v3.1
    fits: ({ where, message }) =>
      where === idempotencyHeader && /used with another body/.test(message ?? ""),
    next: () =>
      "Use a new key for a new request. To repeat the first one, send its body unchanged.",
  },
  {
    fits: ({ message }) => (message ?? "").includes(ps256Form),
    next: () => ps256Form,
  },
  {
    fits: ({ code, message }) => code === "U029" && /registration/.test(message ?? ""),
    next: () => "Change the registration that exists, or delete it first.",
  },
  {
    fits: ({ code, message }) => code === "U010" && /more than|at most/.test(message ?? ""),
    next: () => "Keep to the limits that the message names, and send the request again.",
  },
  {
    fits: ({ code, where }) => code === "U021" && /Agent\b/.test(where ?? ""),
    next: () => "Send the BIC of the bank: 8 or 11 capital letters and digits.",
  },
];

/** What to do about a mistake that is plain from what was found; null if none is. */
export const likelyNext = (said: Said): string | null =>
  mistakes.find(({ fits }) => fits(said))?.next(said) ?? null;
