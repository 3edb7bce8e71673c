import type { LogReader } from "#src/request-log/reader.ts";

type Found = NonNullable<Awaited<ReturnType<LogReader["show"]>>>;

/** One request in lines of text. */
export const requestLines = (found: Found): string[] => [
  `${found.method} ${found.path}`,
  `  status        ${found.status} ${found.codes.join(", ")}`,
  `  answered      ${found.at} in ${found.milliseconds} ms; the bank's time was ${found.bankTime}`,
  `  interaction   ${found.interactionId}`,
  ...fact("operation", found.operation && `${found.api ?? ""} ${found.operation}`.trim()),
  ...fact("client", found.clientId),
  ...fact("consent", found.consentId),
  ...fact("resource", found.resourceId),
  ...keyLines(found),
  ...found.checks.map(
    ({ name, result, milliseconds }) =>
      `  check         ${name.padEnd(16)} ${result}${milliseconds === null ? "" : ` (${milliseconds} ms)`}`,
  ),
  ...linkedLines(found),
  ...bodyLines(found),
  ...found.sameInteraction.map(
    ({ at, method, path, status }) => `  same id       ${at} ${status} ${method} ${path}`,
  ),
];

const fact = (name: string, value: string | null): string[] =>
  value === null ? [] : [`  ${name.padEnd(12)}  ${value}`];

function keyLines({ idempotency }: Found): string[] {
  if (idempotency === null) return [];
  const { key, isReplay, firstSeen } = idempotency;
  const first = firstSeen ? `, first seen ${firstSeen.at} (${firstSeen.interactionId})` : "";
  return [`  idempotency   ${key}: ${isReplay ? "a repeated request" : "not repeated"}${first}`];
}

const linkedLines = ({ linked: { consent, order, events, ledger } }: Found): string[] => [
  ...(consent ? [`  consent       ${consent.kind} is now ${consent.status}`] : []),
  ...(order ? [`  order         ${order.kind} is now ${order.status}`] : []),
  ...events.map(
    ({ jti, occurredAt, state, types }) =>
      `  event         ${occurredAt} ${types.join("+")} ${state} ${jti}`,
  ),
  ...ledger.map(
    ({ at, purpose, amount, currency, debitAccountId, creditAccountId }) =>
      `  ledger        ${at} ${purpose} ${amount} ${currency} ${debitAccountId} -> ${creditAccountId}`,
  ),
];

function bodyLines({ bodies }: Found): string[] {
  if (bodies === null) return [];
  const headers = (some: Readonly<Record<string, string>>) =>
    Object.entries(some).map(([name, value]) => `    ${name}: ${value}`);
  const body = (text: string | null, bytes: number) =>
    text === null ? (bytes === 0 ? [] : [`    (${bytes} bytes, not kept)`]) : [`    ${text}`];
  return [
    `  request${bodies.query === "" ? "" : `       ?${bodies.query}`}`,
    ...headers(bodies.requestHeaders),
    ...body(bodies.request, bodies.requestBytes),
    "  answer",
    ...headers(bodies.answerHeaders),
    ...body(bodies.answer, bodies.answerBytes),
  ];
}
