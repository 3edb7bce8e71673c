// The package that `npm pack` makes, installed into an empty folder and used as a stranger would.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort } from "#test/free-port.ts";
import { testFirstHour } from "./first-hour.ts";
import { environment, installAldgate, type Packed, root } from "./installed-package.ts";
import { type Running, startProgram } from "./running-bank.ts";

const skip =
  process.env.ALDGATE_TEST_DATABASE === "postgres" ? "it uses the embedded database" : false;

describe("the package", { skip }, () => {
  let folder: string;
  let packed: Packed;
  let bank: Running | undefined;
  let publicUrl = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "aldgate-package-"));
    packed = installAldgate(folder);
  });
  after(() => {
    bank?.child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  test("contains what runs, and neither tests nor sources nor pictures", () => {
    const own = packed.files.map(({ path }) => path).filter((one) => !/^node_modules\//.test(one));
    const folders = new Set(own.map((path) => path.replace(/\/.*/, "/")));
    assert.deepEqual([...folders].sort(), [
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "deploy/",
      "dist/",
      "docs/",
      "examples/",
      "migrations/",
      "node/",
      "package.json",
      "packages/",
      "scripts/",
    ]);
    assert.deepEqual(
      own.filter((path) => /\.(png|test\.js)$|(?<!\.d)\.ts$/.test(path)),
      ["examples/banks/bank.ts", "examples/banks/formance.ts"], // cores to copy
    );
    // with this, a new data folder need not be made from nothing
    assert.ok(own.includes("dist/schema.tar.zst"));
    const unread = [
      /\/lib\/.*\.map$|\.test\.js$|\/(tests?|benchmarks?|docs)\/.*\.js$/,
      // files beside a package.json are kept: among them are three tests of types
      /(?<!\.d|\.test-d)\.[cm]?ts$|\/esnext\//,
    ];
    assert.deepEqual(
      packed.files.filter(
        ({ path }) => /^node_modules/.test(path) && unread.some((one) => one.test(path)),
      ),
      [],
    );
    // one user may install what another one runs
    const unreadable = packed.files.filter(({ mode }) => (mode & 0o444) !== 0o444);
    assert.deepEqual(unreadable, []);
    assert.ok(packed.size < 13_000_000, `${packed.size} bytes`);
  });

  test("contains every page to which one of its pages links", () => {
    const paths = new Set(packed.files.map(({ path }) => path));
    const folders = new Set([...paths].flatMap((path) => [`${dirname(path)}/`, dirname(path)]));
    const dead = [...paths]
      .filter((path) => path.endsWith(".md") && !path.startsWith("node_modules/"))
      .flatMap((path) => {
        const links = readFileSync(join(root, path), "utf8").matchAll(/\]\(([^)\s#]+)/g);
        return [...links]
          .map(([, link = ""]) => link)
          .filter((link) => !/^[a-z]+:|\.png$/.test(link))
          .filter((link) => {
            const target = normalize(join(dirname(path), link));
            return !paths.has(target) && !folders.has(target);
          })
          .map((link) => `${path}: ${link}`);
      });
    assert.deepEqual(dead, []);
  });

  test("brings every package in the version of the lock file", () => {
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const wanted = Object.entries<{ version: string; dev?: boolean }>(lock.packages).filter(
      ([place, { dev }]) => place !== "" && !dev,
    );
    assert.ok(wanted.length > 100);
    for (const [place, { version }] of wanted) {
      const alone = place === "node_modules/@electric-sql/pglite";
      const installed = join(folder, alone ? "" : "node_modules/aldgate", place, "package.json");
      assert.equal(JSON.parse(readFileSync(installed, "utf8")).version, version, place);
    }
  });

  test("opens a bank in an empty folder, against which the demo makes a settled payment", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const ports = {
      PUBLIC_PORT: String(await freePort()),
      MTLS_PORT: String(await freePort()),
      MANAGEMENT_PORT: "0",
      LOG_LEVEL: "error",
    };
    const program = join(folder, "node_modules/.bin/aldgate");
    const options = { cwd: place, env: { ...environment, ...ports } };
    bank = startProgram(process.execPath, [program], options);
    await bank.untilSaid(/Ctrl-C closes the bank/);
    assert.match(bank.said(), new RegExp(`${join(place, "data")}`));
    const settings = `PUBLIC_PORT=${ports.PUBLIC_PORT} MTLS_PORT=${ports.MTLS_PORT}`;
    assert.match(bank.said(), new RegExp(`Next: ${settings} npx aldgate demo`));
    assert.deepEqual(readdirSync(place), ["data"]);
    // git ignores the folder, wherever it is
    assert.equal(readFileSync(join(place, "data/.gitignore"), "utf8"), "*\n");
    const demo = startProgram(process.execPath, [program, "demo"], options);
    assert.equal(await demo.ended, 0, demo.said());
    assert.match(demo.said(), /Done: the payment settled/);
    publicUrl = `http://localhost:${ports.PUBLIC_PORT}`;
  });

  testFirstHour(() => publicUrl);

  test("the bank closes at a signal to the command, which passes it on", async () => {
    // npm and terminals end a program so
    assert.ok(bank);
    bank.child.kill("SIGTERM");
    assert.equal(await bank.ended, 0, bank.said());
  });

  test("has the types that a bank's module needs, for a strict compiler that checks libraries", () => {
    writeFileSync(join(folder, "core.ts"), core);
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: "esnext",
      module: "nodenext",
      types: [],
    };
    const config = JSON.stringify({ compilerOptions, files: ["core.ts"] });
    writeFileSync(join(folder, "tsconfig.json"), config);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const compiled = spawnSync(process.execPath, [compiler], { cwd: folder, encoding: "utf8" });
    assert.equal(compiled.stdout, "");
    const run = spawnSync(process.execPath, ["core.js"], { cwd: folder, encoding: "utf8" });
    assert.equal(run.stdout, "retry\n", run.stderr);
  });

  test("opens banks for tests, with types: the page about testing has examples that compile", () => {
    const page = readFileSync(join(root, "docs/testing.md"), "utf8");
    const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);
    const files = examples.map((text, index) => {
      writeFileSync(join(folder, `shop-${index}.test.mts`), text);
      return `shop-${index}.test.mts`;
    });
    assert.ok(files.length > 0);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const wanted = ["--strict", "--target", "esnext", "--lib", "esnext", "--module", "nodenext"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types"), "--noEmit"];
    const line = [compiler, ...wanted, ...types, "--ignoreConfig", ...files];
    const env = { ...environment, XDG_CACHE_HOME: join(folder, "cache") };
    const options = { cwd: folder, encoding: "utf8", env } as const;
    assert.equal(spawnSync(process.execPath, line, options).stdout, "");
    const run = spawnSync(process.execPath, ["--test", "shop-0.test.mts"], options);
    assert.match(run.stdout, /pass 1\n/, run.stdout);
  });

  test("lets nothing be imported but its public modules", () => {
    for (const name of ["aldgate", "aldgate/dist/main.js", "aldgate/package.json"]) {
      const line = ["--input-type=module", "--eval", `await import("${name}")`];
      const { stderr } = spawnSync(process.execPath, line, { cwd: folder, encoding: "utf8" });
      assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/, name);
    }
  });
});

const core = `
import {
  type AccountChanges,
  type Bank,
  type BankContext,
  BankError,
  type Challenge,
  type Money,
  type PaymentInstruction,
  type PaymentOutcome,
  type TestCustomer,
} from "aldgate/port";

export const testCustomers: TestCustomer[] = [];

type Part = Pick<Bank, "execute" | "challenge" | "confirmFunds">;

export async function createBank({ clock, feed }: BankContext): Promise<Part> {
  const changes: AccountChanges = { removed: { holders: [] } };
  await feed.apply(changes);
  return {
    execute: async (payments: PaymentInstruction[]): Promise<PaymentOutcome[]> =>
      payments.map(({ amount }) =>
        amount.amountMinor > 0n ? { state: "settled", posted: true } : { state: "unknown" }),
    challenge: async (): Promise<Challenge> => {
      throw new BankError("retry", \`no challenge at \${clock.now().toString()}\`);
    },
    confirmFunds: async (_accountId: string, { amountMinor }: Money) => amountMinor < 100n,
  };
}

// @ts-expect-error the port has no such outcome
new BankError("later", "");
declare const console: { log(text: string): void };
console.log(new BankError("retry", "busy").outcome);
`;
