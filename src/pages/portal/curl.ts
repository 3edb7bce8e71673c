import type { Caller, ShownOperation } from "./api-document.ts";
import type { Block } from "./blocks.ts";

/** A call that can be pasted into a shell: at a sandbox as its ready TPP, which needs no setup. */
export function curlOf(operation: ShownOperation, sample: object | null, caller: Caller): Block {
  const { method, parameters, needsCustomer } = operation;
  const has = (name: string): boolean => parameters.some((one) => one.name === name);
  const isSandbox = caller.profiles !== null;
  const headers = [
    ...(needsCustomer === null ? [] : ['"Authorization: Bearer $TOKEN"']),
    ...(sample ? ["'Content-Type: application/json'"] : []),
    ...(has("x-idempotency-key") ? ['"x-idempotency-key: $(openssl rand -hex 16)"'] : []),
    ...(has("x-jws-signature") && sample ? [signature(isSandbox)] : []),
  ];
  const lines = [
    `curl -s ${method === "GET" ? "" : `-X ${method} `}"${addressOf(operation, caller)}"`,
    ...(isSandbox || needsCustomer === null ? [] : ["--cert transport.pem --key transport.key"]),
    ...headers.map((header) => `-H ${header}`),
    ...(sample ? ["--data-binary @body.json"] : []),
  ];
  const before = isSandbox ? tokenLines(operation) : [];
  return {
    is: "code",
    language: "sh",
    title: sample ? "curl, with the request body in `body.json`" : "curl",
    text: [...before, lines.join(" \\\n  ")].join("\n"),
  };
}

const signature = (isSandbox: boolean): string =>
  isSandbox
    ? '"x-jws-signature: $(./aldgate tpp sign $TPP body.json)"'
    : '"x-jws-signature: $SIGNATURE"';

function tokenLines({ needsCustomer, scopes: [scope = ""] }: ShownOperation): string[] {
  if (needsCustomer === null) return [];
  const token = needsCustomer
    ? `TOKEN=$(./aldgate tpp authorise $TPP $CONSENT ${scope} --customer amara --token)`
    : `TOKEN=$(./aldgate tpp token $TPP ${scope})`;
  return ["TPP=data/keys/tpps/explorer", token];
}

/** The address, with a shell variable for each parameter of the path. */
function addressOf({ path, needsCustomer }: ShownOperation, caller: Caller): string {
  const isOpen = caller.profiles !== null || needsCustomer === null;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  return `${isOpen ? caller.publicUrl : caller.mtlsUrl}${filled}`;
}

/** `DomesticPaymentId` as a shell's variable: `DOMESTIC_PAYMENT_ID`; a consent's is `CONSENT`. */
const variableOf = (name: string): string =>
  name === "ConsentId" ? "CONSENT" : name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
