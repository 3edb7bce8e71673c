import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { JudgedText } from "#src/request-log/explain/judged-text.ts";
import type { ExaminedSignature } from "#src/request-log/explain/signature.ts";

/** An explanation or a judgement, in lines of text. */
export const explanationLines = (explained: Explanation | JudgedText): string[] => [
  explained.summary,
  ...("checks" in explained ? checkLines(explained.checks) : []),
  ...explained.faults.flatMap((fault) => [
    "",
    `${fault.code}  ${fault.meaning ?? ""}`.trimEnd(),
    ...fact("where", fault.where),
    ...fact("message", fault.message),
    ...fact("expected", fault.expected),
    ...fact("found", fault.found),
    ...fact("rule", fault.rules.join(", ")),
    ...fact("see", fault.sections.join("; ")),
    ...fact("next", fault.next),
  ]),
  ...(explained.signature ? ["", ...signatureLines(explained.signature)] : []),
  ...explained.facts.flatMap(({ name, value }) => fact(name, value)),
  ...("history" in explained ? historyLines(explained.history) : []),
  "",
  `Next: ${explained.next}`,
];

const checkLines = (all: JudgedText["checks"]): string[] =>
  all.flatMap(({ name, result }, index) => [
    ...(index === 0 ? [""] : []),
    `  ${result.padEnd(12)} ${name}`,
  ]);

const historyLines = (all: Explanation["history"]): string[] =>
  all.map(
    ({ at, what, by, interactionId }) =>
      `  ${at}  ${what}, by ${by}${interactionId === null ? "" : ` (${interactionId})`}`,
  );

const fact = (name: string, value: string | null): string[] =>
  value === null || value === "" ? [] : [`  ${name.padEnd(18)} ${value}`];

/** A detached signature, examined, in lines of text. */
const signatureLines = (one: ExaminedSignature): string[] => [
  `The signature is ${one.isValid ? "valid" : "not valid"}.`,
  ...fact("likely mistake", one.mistake),
  ...fact("header", one.header && JSON.stringify(one.header)),
  ...fact("key named", one.keyNamed),
  ...fact("keys known", one.keysKnown.join(", ")),
  ...(one.difference === null
    ? []
    : [
        ...fact("first difference", `byte ${one.difference.at}`),
        ...fact("received", one.difference.received),
        ...fact("signed", one.difference.signed),
      ]),
  ...fact("bytes verified", `${one.verified.bytes}, SHA-256 ${one.verified.sha256}`),
  ...fact("which begin", one.verified.begin),
  ...fact("all of them", "--json prints them as signature.verified.signingInput"),
  ...fact("body", `${one.verified.bodyBytes} bytes, SHA-256 ${one.verified.bodySha256}`),
];
