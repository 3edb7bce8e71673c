import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { servedDocuments } from "./served-documents.ts";

// Clients that common generators make from the bank's own documents.

const root = fileURLToPath(new URL("../../", import.meta.url));
const names = [...servedDocuments().keys()];

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "aldgate-client-"));
  run(process.execPath, [join(root, "test/standard/generate-types.ts"), folder]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

type Options = { cwd?: string; env?: NodeJS.ProcessEnv };
function run(program: string, args: string[], { cwd = root, env }: Options = {}): void {
  const done = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 1e8,
  });
  assert.equal(
    done.status,
    0,
    `${program} ${args[0]}: ${done.stdout}${done.stderr}`.slice(0, 4000),
  );
}

// What a TPP's developer writes with the generated types. A type that is missing or wrong fails.
const uses = `
import type { paths as Payments, components as Bodies } from "./pisp-v4.0.ts";
import type { paths as Events } from "./events-v4.0.ts";
import type { components as Sandbox } from "./sandbox-v1.ts";

type HeadersOf<Operation extends { parameters: { header?: unknown } }> =
  Operation["parameters"]["header"];
type Answer<Operation extends { responses: Record<number, unknown> }, Status extends number> =
  Operation["responses"][Status] extends { content: { "application/json": infer Body } }
    ? Body
    : never;

// the token is not a header of each call: the security scheme sends it
export const reading: HeadersOf<Payments["/domestic-payments/{DomesticPaymentId}"]["get"]> = {};
export const polling: HeadersOf<Events["/events"]["post"]> = {};
type Signed = HeadersOf<Payments["/file-payment-consents"]["post"]>;
export const signed: Signed = { "x-idempotency-key": "key", "x-jws-signature": "a..b" };

type FileConsent = Bodies["schemas"]["OBWriteFileConsent3"];
export const type: NonNullable<FileConsent["Data"]["Authorisation"]>["AuthorisationType"] =
  "Multiple";

type Details = Payments["/domestic-vrps/{DomesticVRPId}/payment-details"]["get"];
export const linkOf = (details: Answer<Details, 200>): string | undefined => details.Links?.Self;

type File = Payments["/file-payment-consents/{ConsentId}/file"];
type Upload = NonNullable<File["post"]["requestBody"]>["content"];
export const inJson: Upload["application/json"] = { Data: { DomesticPayments: [] } };
export const inXml: Upload["text/xml"] = "<Document/>";

export const nameOf = (tpp: Sandbox["schemas"]["Tpp"]): string => tpp.name;
export const refusalOf = ({ message, faults }: Sandbox["schemas"]["Refusal"]): string[] => [
  message,
  ...faults,
];
export const nicknames = ({ accounts }: Sandbox["schemas"]["Customer"]): (string | null)[] =>
  accounts.map(({ nickname }) => nickname);
`;

test("TypeScript types are generated from every document, and a client that uses them compiles", () => {
  writeFileSync(join(folder, "uses.ts"), uses);
  const options = { strict: true, noEmit: true, allowImportingTsExtensions: true, types: [] };
  const compilerOptions = { ...options, module: "nodenext", target: "esnext" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const files = ["uses.ts", ...names.map((name) => `${name}.ts`)];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", folder]);
});

test("every object in the document of the sandbox's interface is a named schema", () => {
  const { paths, components } = servedDocuments().get("sandbox-v1") as {
    paths: object;
    components: { schemas: Record<string, { properties: object }> };
  };
  const members = Object.values(components.schemas).map(({ properties }) => properties);
  assert.ok(members.length > 50);
  assert.doesNotMatch(JSON.stringify([paths, members]), /"properties":/);
});

// Go and its modules are not npm packages, so these tests run only where both are installed.
const library = "github.com/oapi-codegen/runtime@v1.8.0";
const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
// no network: the library must be in Go's cache
const offline = { GOFLAGS: "-mod=mod", GOPROXY: "off", GOSUMDB: "off" };

function whyWithoutGo(): string | false {
  const succeeds = (program: string, ...args: string[]): boolean =>
    spawnSync(program, args, { env: { ...process.env, ...offline } }).status === 0;
  if (!succeeds("go", "version")) return "Go is not installed";
  if (!succeeds("oapi-codegen", "-version")) {
    return `oapi-codegen is not installed: run go install ${generator}`;
  }
  if (succeeds("go", "mod", "download", library)) return false;
  return `Go's cache lacks a library: run go get ${library} in a folder with a go.mod`;
}

describe("a Go client", () => {
  const skip = whyWithoutGo();
  for (const name of names) {
    test(`a Go client is generated from ${name}, and it compiles`, { skip }, () => {
      const cwd = join(folder, `go-${name}`);
      mkdirSync(cwd);
      const required = library.replace("@", " ");
      writeFileSync(join(cwd, "go.mod"), `module client\n\ngo 1.24\n\nrequire ${required}\n`);
      const args = ["-generate", "types,client", "-package", "client", "-o", "client.go"];
      run("oapi-codegen", [...args, join(folder, `${name}.json`)], { cwd });
      run("go", ["vet", "./..."], { cwd, env: offline });
    });
  }
});
