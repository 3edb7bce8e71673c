import { inShell } from "#src/config/shown-commands.ts";
import type { Caller, ShownOperation } from "./api-document.ts";
import type { Block } from "./blocks.ts";

/**
 * A call that can be pasted into a shell: at a sandbox as its ready TPP, which needs no setup. The
 * lines of all pages use the same variables, so that those of one page run after those of another.
 */
export function curlOf(operation: ShownOperation, sample: object | null, caller: Caller): Block {
  const { method, parameters, needsCustomer } = operation;
  const has = (name: string): boolean => parameters.some((one) => one.name === name);
  const isSandbox = caller.profiles !== null;
  const ids = sample ? emptyIds(sample) : [];
  const file = ids.length > 0 ? "request.json" : "body.json";
  const headers = [
    ...(needsCustomer === null ? [] : [`"Authorization: Bearer $${tokenOf(operation)}"`]),
    ...(sample ? ["'Content-Type: application/json'"] : []),
    ...(has("x-idempotency-key") ? ['"x-idempotency-key: $(openssl rand -hex 16)"'] : []),
    ...(has("x-jws-signature") && sample ? [signature(caller, file)] : []),
  ];
  const lines = [
    `curl -s ${method === "GET" ? "" : `-X ${method} `}"${addressOf(operation, caller)}"`,
    ...(isSandbox || needsCustomer === null ? [] : ["--cert transport.pem --key transport.key"]),
    ...headers.map((header) => `-H ${header}`),
    ...(sample ? [`--data-binary @${file}`] : []),
  ];
  const before = [
    ...(isSandbox ? tokenLines(operation, shellOf(caller)) : []),
    ...(ids.length > 0 ? [fillLine(ids)] : []),
  ];
  return {
    is: "code",
    language: "sh",
    title: titleOf(operation, ids, sample !== null),
    text: [...before, lines.join(" \\\n  ")].join("\n"),
  };
}

const shellOf = ({ shell }: Caller): NonNullable<Caller["shell"]> =>
  shell ?? { command: (command) => command, tppFolder: "data/keys/tpps/explorer" };

const signature = (caller: Caller, file: string): string =>
  caller.profiles !== null
    ? `"x-jws-signature: $(${shellOf(caller).command(`./aldgate tpp sign $TPP ${file}`)})"`
    : '"x-jws-signature: $SIGNATURE"';

/** The names of the ids that a sample leaves empty, because an earlier answer has them. */
function emptyIds(sample: object): string[] {
  const found = new Set<string>();
  JSON.stringify(sample, (name, value: unknown) => {
    if (value === "" && name.endsWith("Id")) found.add(name);
    return value;
  });
  return [...found];
}

/** Says what the reader prepares: variables with the ids of earlier answers, and the body. */
function titleOf(operation: ShownOperation, ids: readonly string[], hasBody: boolean): string {
  const { path, needsCustomer } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const names = [
    ...(needsCustomer ? ["ConsentId"] : []),
    ...inPath,
    ...queryOf(operation),
    ...ids,
  ].map(variableOf);
  const variables = [...new Set(names)].map((name) => `\`$${name}\``).join(", ");
  const prepared = [
    ...(variables === "" ? [] : [`${variables} set`]),
    ...(hasBody ? ["the request body in `body.json`"] : []),
  ];
  return prepared.length === 0 ? "curl" : `curl, with ${prepared.join(" and ")}`;
}

/** Fills the ids of a body. */
function fillLine(ids: readonly string[]): string {
  const filled = ids.map((id) => `s/\\"${id}\\": *\\"\\"/\\"${id}\\": \\"$${variableOf(id)}\\"/`);
  return `sed "${filled.join("; ")}" body.json > request.json`;
}

/** The variable with the token: the TPP's own, or the one that the customer's approval gives. */
const tokenOf = ({ needsCustomer }: ShownOperation): string => (needsCustomer ? "ACCESS" : "TOKEN");

/** Lines that get the token. A consent is approved once, and its token is kept for it. */
function tokenLines(
  { needsCustomer, scopes: [scope = ""] }: ShownOperation,
  { command, tppFolder }: NonNullable<Caller["shell"]>,
): string[] {
  if (needsCustomer === null) return [];
  const authorise = `./aldgate tpp authorise $TPP $CONSENT ${scope} --customer amara --token`;
  const token = needsCustomer
    ? [
        '[ "$APPROVED" = "$CONSENT" ] ||',
        `  ACCESS=$(${command(authorise)}) &&`,
        "  APPROVED=$CONSENT",
      ]
    : [`TOKEN=$(${command(`./aldgate tpp token $TPP ${scope}`)})`];
  return [`TPP=${inShell(tppFolder)}`, ...token];
}

/** The address, with a shell variable for each parameter of the path. */
function addressOf(operation: ShownOperation, caller: Caller): string {
  const { path, needsCustomer } = operation;
  const isOpen = caller.profiles !== null || needsCustomer === null;
  const query = queryOf(operation)
    .map((name) => `${name}=$${variableOf(name)}`)
    .join("&");
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  return `${isOpen ? caller.publicUrl : caller.mtlsUrl}${filled}${query === "" ? "" : `?${query}`}`;
}

/** The parameters that a call cannot do without. */
const queryOf = ({ parameters }: ShownOperation): string[] =>
  parameters.filter((one) => one.in === "query" && one.required).map(({ name }) => name);

/** `DomesticPaymentId` as a shell's variable: `DOMESTIC_PAYMENT_ID`; a consent's is `CONSENT`. */
const variableOf = (name: string): string =>
  name === "ConsentId" ? "CONSENT" : name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
