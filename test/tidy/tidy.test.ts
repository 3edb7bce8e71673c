import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, SourceFile } from "#scripts/source-files.ts";
import { tidy } from "#scripts/tidy.ts";

const clean: SourceFile = {
  path: "src/payments/order.ts",
  text: '/** An order. */\nexport const order = 1;\nimport { a } from "#src/lib/a.ts";\nrun(order);\n',
};

// each file of the product is used by another one
const user = (path: string): SourceFile => ({
  path: "test/user.ts",
  text: `import { a, order } from "#${path}";\n`,
});

const findingsOf = (path: string, text: string): Finding[] =>
  tidy([{ path, text }, ...(path.startsWith("src/") ? [user(path)] : [])]);

const wide = "x".repeat(101);

const bad: [title: string, path: string, text: string][] = [
  ["an import climbs out of its folder", "src/bank/a.ts", 'import "../lib/b.ts";\n'],
  ["an import within a folder uses #src/", "src/bank/a.ts", 'import "#src/bank/b.ts";\n'],
  ["an import has no file ending", "src/bank/a.ts", 'import "./b";\n'],
  [
    "a module is started from a file that the package lacks",
    "src/bank/a.ts",
    'run(new URL("./b.ts", import.meta.url));\n',
  ],
  ["a file has 401 lines", "src/bank/a.ts", "\n".repeat(401)],
  ["a line has 101 characters", "src/bank/a.ts", `// ${wide}\n`],
  ["an export has no doc comment", "src/bank/a.ts", "export const a = 1;\nrun(a);\n"],
  ["an export of a library has no doc comment", "packages/a/src/index.ts", "export const a = 1;\n"],
  [
    "no other file of a library imports an export",
    "packages/a/src/b.ts",
    "/** B. */\nexport const b = 1;\n",
  ],
  ["a module of a library keeps a variable", "packages/a/src/b.ts", "let last = 0;\n"],
  ["no other file imports an export", "src/bank/a.ts", "/** B. */\nexport const b = 1;\nrun(b);\n"],
  ["a name is too general", "src/bank/a.ts", "const paymentManager = 1;\n"],
  ["a file's name is too general", "src/bank/helper.ts", "\n"],
  [
    "a plural does not follow its number",
    "src/bank/a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    "say(`${all.length} pages`);\n",
  ],
  [
    "a plural is chosen by hand",
    "src/bank/a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    'say(`${count} ${count === 1 ? "try" : "tries"}`);\n',
  ],
  ["SQL shouts", "src/bank/a.ts", "sql`SELECT a FROM b`;\n"],
  ["a statement does not list its columns", "src/bank/a.ts", "sql`select * from b`;\n"],
  [
    "a command reads the file of a setting itself",
    "src/cli/a.ts",
    'const text = readFileSync(config.CLIENT_CA, "utf8");\n',
  ],
  ["a file answers failures itself", "src/auth/a.ts", "scope.setErrorHandler(render);\n"],
  ["a private type has a word of the glossary", "src/auth/a.ts", "type Posting = string;\n"],
  ["a type of a function has such a word", "src/auth/a.ts", "  type Row = { id: string };\n"],
  ["a private class has a type of the glossary", "src/auth/a.ts", "class Connection {}\n"],
  ["a surface has a second renderer", "src/auth/a.ts", "  answerFailures(scope, render);\n"],
  ["a file takes the interaction id", "src/auth/a.ts", "run(headers[interactionHeader]);\n"],
  ["a kind's id is compared", "src/auth/a.ts", 'if (kind === "file-payment") run();\n'],
  ["a version's id is compared", "src/auth/a.ts", 'if ("aisp-v3.1" !== api.id) run();\n'],
  ["a switch branches on a kind's id", "src/auth/a.ts", 'case "domestic-standing-order":\n'],
  [
    "a version's id is compared by its prefix",
    "src/http/a.ts",
    'api.id.startsWith("pisp-v4.0");\n',
  ],
  ["SQL compares a kind's id", "src/consents/a.ts", "sql`kind <> 'account-access'`;\n"],
  ["a kind is compared with a named row", "src/auth/a.ts", "if (kind === domesticVrp) run();\n"],
  ["a version's id is compared with a row's", "src/http/a.ts", "if (pispV40.id !== id) run();\n"],
  [
    "SQL compares a kind with the id of a named row",
    "src/consents/a.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    "sql`kind <> ${fundsConfirmationKind.id}`;\n",
  ],
  [
    "a regular expression matches kinds' ids",
    "src/config/a.ts",
    "/^(domestic-payment|other)$/.test(kind);\n",
  ],
  ["a version's id is split", "src/events/a.ts", "const number = api.id.slice(5);\n"],
  ["a path is searched for a version's API", "src/sandbox/a.ts", 'url.includes("/pisp/");\n'],
  ["a kind's id is searched", "src/auth/a.ts", 'if (kindId.endsWith("vrp")) run();\n'],
  [
    "versions are ordered by their ids",
    "src/events/a.ts",
    "sort((a, b) => (a.id < b.id ? -1 : 1));\n",
  ],
  [
    "the version of a specification is compared",
    "src/registration/a.ts",
    'if (settings.version === "3.4") run();\n',
  ],
  [
    "a migration compares a kind's id",
    "migrations/0005_payments.sql",
    "update payment_order set amount_minor = 1 where kind = 'file-payment';\n",
  ],
  [
    "a migration lists kinds",
    "migrations/0002_consents.sql",
    "create type kind as enum ('account-access');\n",
  ],
  ["a benchmark compares a kind's id", "bench/a.ts", 'if (kind === "domestic-vrp") run();\n'],
  ["a list names a kind", "src/cli/a.ts", 'const shown = ["file-payment"];\n'],
  ["a map has a kind as its key", "src/pages/a.ts", '  "domestic-payment": "Pay",\n'],
  ["a module keeps a cache", "src/http/a.ts", "const seen = new Map<string, number>();\n"],
  ["a module keeps a variable", "src/http/a.ts", "let last = 0;\n"],
  [
    "a reader of payments writes a path itself",
    "src/payments/formats/a.ts",
    'const name = textAt(body, "Data.Initiation.CreditorAccount.Name");\n',
  ],
  [
    "SQL asks for the family of an order",
    "src/payments/execution/a.ts",
    "sql`select order_id from payment_order where family = 'file'`;\n",
  ],
  [
    "code asks for the family of an order",
    "src/payments/submission/a.ts",
    'if (order.family === "standingOrder") run();\n',
  ],
  ["code asks for the shape of a kind", "src/auth/a.ts", "if (kind.shape === ofFile) run();\n"],
  [
    "code asks how often a consent can be used",
    "src/consents/a.ts",
    'const what = course.use === "within limits" ? "payments" : "access";\n',
  ],
  [
    "SQL asks how often the consent of an order can be used",
    "src/payments/execution/a.ts",
    "sql`select order_id from payment_order where consent_use = $1`;\n",
  ],
  [
    "SQL names a use of consents",
    "src/payments/limits/a.ts",
    "const limited = sql`'within limits'`;\n",
  ],
  [
    "a predicate asks for the family of an order",
    "src/payments/execution/a.ts",
    "const one = isSingle(work.orderFamily);\n",
  ],
  [
    "a page takes the words of files",
    "src/auth/a.ts",
    'import { a } from "#src/payments/files/file-summary.ts";\n',
  ],
  ["something is unfinished", "src/bank/a.ts", `// ${"TO"}DO later\n`],
  ["the compiler is silenced", "src/bank/a.ts", `// @ts-${"ignore"}\n`],
  [
    "a test waits for a load that the page before may have ended",
    "test/a.test.ts",
    "await page.waitForLoadState();\n",
  ],
  [
    "a test expects nothing after a shown time",
    "test/a.test.ts",
    "assert.match(body, /locked until \\d\\d:\\d\\d</);\n",
  ],
  [
    "a test looks at a page right after a click that may leave it",
    "test/a.test.ts",
    'await page.click("a");\nassert.match(await customer.text(), /Done/);\n',
  ],
  [
    "a test reads the address right after a key that may leave the page",
    "test/a.test.ts",
    '  await button.press("Enter");\n  assert.equal(page.url(), home);\n',
  ],
  [
    "a test changes only the last character of a token",
    "test/a.test.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    "const forged = `${token.slice(0, -1)}A`;\n",
  ],
  ["a test takes a port that others may have", "test/a.test.ts", "server.listen(8080);\n"],
  ["a test takes digits for a secret", "test/a.test.ts", "assert.doesNotMatch(text, /a|4712/);\n"],
  ["a test is skipped without a reason", "test/a.test.ts", `test("a", { skip: ${"true"} });\n`],
];

test("a clean file has no findings", () => {
  assert.deepEqual(findingsOf(clean.path, clean.text), []);
});

for (const [title, path, text] of bad) {
  test(`the structure check fails when ${title}`, () => {
    assert.equal(findingsOf(path, text).length, 1);
  });
}

test("a row may be looked up by an id, and a room of one kind may name its row", () => {
  const lookups = [
    ["src/auth/a.ts", "if (consent.kind !== kind.id) run();\n"],
    ["src/http/a.ts", "if (apiVersion === version.id) run();\n"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    ["src/funds/a.ts", "sql`kind <> ${fundsConfirmationKind.id}`;\n"],
  ] as const;
  for (const [path, text] of lookups) assert.deepEqual(findingsOf(path, text), []);
});

test("state inside a function and module constants are allowed", () => {
  const text = "const codes = new Set([1, 2]);\nfunction f() {\n  const seen = new Map();\n}\n";
  assert.deepEqual(findingsOf("src/http/a.ts", text), []);
});

test("a test may look at a page that it has waited for, or that a click does not leave", () => {
  const texts = [
    'await toNextPage(page, () => page.click("a"));\nassert.match(await customer.text(), /a/);\n',
    'await summary.click();\nassert.equal(await details.getByText("a").isVisible(), true);\n',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
    "const forged = `${token.slice(0, -8)}AAAAAAAA`;\nserver.listen(0);\n",
  ];
  for (const text of texts) assert.deepEqual(findingsOf("test/a.test.ts", text), []);
});

test("a kind's row may name kinds", () => {
  for (const row of ["src/payments/kinds/a.ts", "src/accounts/consent/account-access-kind.ts"]) {
    assert.deepEqual(findingsOf(row, 'if (kind === "file-payment") run();\n'), []);
  }
});

test("a benchmark may name the kind that it uses", () => {
  assert.deepEqual(findingsOf("bench/a.ts", 'const kind = "domestic-vrp";\n'), []);
});

test("the structure check fails when src/lib has eleven files", () => {
  const files = Array.from({ length: 11 }, (_, index) => ({
    path: `src/lib/leaf-${index}.ts`,
    text: "\n",
  }));
  assert.equal(tidy(files).length, 1);
});

test("the structure check fails when two rooms export a type of one name", () => {
  const files = ["src/bank/a.ts", "src/http/a.ts", "src/standard/aisp-v4.0/a.ts"].map((path) => ({
    path,
    text: "/** A. */\nexport type A = 1;\n",
  }));
  const users = files.map(({ path }, index) => ({
    path: `test/user-${index}.ts`,
    text: `import type { A } from "#${path}";\n`,
  }));
  assert.equal(tidy([...files, ...users]).length, 1);
});
