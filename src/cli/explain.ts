import type { Explanation } from "#src/request-log/explain/explanation.ts";
import type { ExaminedSignature } from "#src/request-log/explain/signature.ts";
import { type Command, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { BankRefused } from "./sandbox-client.ts";
import { withRequests } from "./with-requests.ts";

/** `./aldgate explain` */
export const command: Command = {
  name: "explain",
  summary: "says why a request was rejected, or how a consent or an order came to its status",
  usage: [
    "  ./aldgate explain ID [--json]",
    "ID is the interaction id of a request (x-fapi-interaction-id), or the id of a consent, an",
    "order or a grant. `./aldgate logs` lists the requests.",
  ].join("\n"),
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { json: { type: "boolean" } });
    const [id, ...more] = rest;
    if (id === undefined || more.length > 0) throw new UsageError("Give one id.");
    return withRequests(cli, async (requests) => {
      const explained = await requests.explain(id);
      if (!explained)
        throw new BankRefused(`Nothing has the id ${id}, or it is older than the log.`);
      if (values.json) cli.print(JSON.stringify(explained, null, 2));
      else for (const line of explanationLines(explained)) cli.print(line);
      return 0;
    });
  },
};

const explanationLines = (explained: Explanation): string[] => [
  explained.summary,
  ...explained.faults.flatMap((fault) => [
    "",
    `${fault.code}  ${fault.meaning ?? ""}`.trimEnd(),
    ...fact("where", fault.where),
    ...fact("expected", fault.expected),
    ...fact("found", fault.found),
    ...fact("rule", fault.rules.join(", ")),
    ...fact("see", fault.sections.join("; ")),
    ...fact("next", fault.next),
  ]),
  ...(explained.signature ? ["", ...signatureLines(explained.signature)] : []),
  ...explained.facts.flatMap(({ name, value }) => fact(name, value)),
  ...explained.history.map(
    ({ at, what, by, interactionId }) =>
      `  ${at}  ${what}, by ${by}${interactionId === null ? "" : ` (${interactionId})`}`,
  ),
  "",
  `Next: ${explained.next}`,
];

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
  ...fact("body", `${one.verified.bodyBytes} bytes, SHA-256 ${one.verified.bodySha256}`),
];
