// The packed library, installed in an empty folder: what a developer gets from the registry.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openBank, type TestBank } from "#test/harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

let bank: TestBank;
let folder: string;
before(async () => {
  bank = await openBank();
  folder = mkdtempSync(join(tmpdir(), "aldgate-package-"));
  run("npm", ["pack", "--pack-destination", folder], join(root, "packages/client"));
  const installed = join(folder, "node_modules/@aldgate/client");
  mkdirSync(installed, { recursive: true });
  const [archive = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  run("tar", ["xzf", archive, "--strip-components=1", "-C", installed]);
  // what npm would install beside it, and the types of Node for the compiler
  for (const name of ["jose", "openid-client", "oauth4webapi", "@types", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bank.close();
});

function run(program: string, args: string[], cwd = folder): string {
  const done = spawnSync(program, args, { cwd, encoding: "utf8" });
  assert.equal(done.status, 0, `${program} ${args[0]}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

const program = `
import { connect } from "@aldgate/client";
import { openSandbox } from "@aldgate/client/sandbox";
import type { OBWriteDomesticConsent4 } from "@aldgate/client/types/pisp-v4.0";

const sandbox = openSandbox(String(process.argv[2]));
const bank = await connect(await sandbox.createTpp());
const body: OBWriteDomesticConsent4 = {
  Data: {
    Initiation: {
      InstructionIdentification: "i",
      EndToEndIdentification: "e",
      InstructedAmount: { Amount: "10.00", Currency: "GBP" },
      CreditorAccount: {
        SchemeName: "UK.OBIE.SortCodeAccountNumber",
        Identification: "20202010981789",
        Name: "Dr Foo",
      },
    },
  },
  Risk: {},
};
const payments = bank.payments("domestic-payment");
const consent = await payments.createConsent(body);
const login = await bank.authorise(consent);
const { redirectUrl } = await sandbox.approve(login, { customer: "amara" });
const grant = await bank.finish(login, redirectUrl);
const order = await payments.waitUntilFinal(await payments.submit(consent, grant));
console.log(order.Data.Status);
bank.close();
sandbox.close();
`;

test("the installed library compiles, with every declaration checked, and pays", async () => {
  writeFileSync(join(folder, "pay.ts"), program);
  const compilerOptions = {
    strict: true,
    module: "nodenext",
    target: "es2022",
    types: ["node"],
    // its declarations must hold without the settings of this project
    skipLibCheck: false,
    noEmit: true,
  };
  const settings = JSON.stringify({ compilerOptions, include: ["pay.ts"] });
  writeFileSync(join(folder, "tsconfig.json"), settings);
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]);
  const printed = await runBeside(["pay.ts", bank.publicUrl]);
  assert.equal(printed.trim(), "ACCC");
});

test("the package has its modules, declarations and README, and nothing else", () => {
  const installed = join(folder, "node_modules/@aldgate/client");
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
  const others = files.filter(
    (file) => !/^(?:dist(?:\/.+)?|package\.json|README\.md)$/.test(file) || /\.test\./.test(file),
  );
  assert.deepEqual(others, []);
  assert.ok(files.includes("dist/index.d.ts"));
});

/** Runs a program while this process serves the bank. */
async function runBeside(args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      text += data;
    });
  }
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, text);
  return text;
}
