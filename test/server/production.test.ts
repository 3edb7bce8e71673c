import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import { type Directory, ensureDirectory } from "#src/sandbox/directory/directory.ts";
import { checkProduction } from "#src/server/keys/production-checks.ts";
import { loadCore } from "#src/server/opening/load-bank.ts";
import { openPglite } from "#src/storage/pglite.ts";
import {
  asPkcs1,
  ecKey,
  issueServer,
  issueSigning,
  makeProductionFolder,
  rsaKey,
} from "./production-folder.ts";
import { runCommand } from "./run-command.ts";

const folder = await makeProductionFolder();
after(() => folder.remove());

type Changes = Record<string, string | undefined>;

/** The complete configuration with changes. The value undefined removes a variable. */
function environmentWith(changes: Changes): Record<string, string> {
  const all = Object.entries({ ...folder.environment, ...changes });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Returns the faults that stop the start, one message per fault. */
function faultsOf(changes: Changes): string[] {
  try {
    checkProduction(loadConfig(environmentWith(changes)));
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

const required = [
  "DATABASE_URL",
  "PUBLIC_URL",
  "MTLS_URL",
  "TLS_CERTIFICATE",
  "TLS_KEY",
  "CLIENT_CA",
  "SIGNING_KEY",
  "SIGNING_CERTIFICATE",
  "BANK_MODULE",
  "COOKIE_SECRET",
];
const pem = ["TLS_CERTIFICATE", "TLS_KEY", "CLIENT_CA", "SIGNING_KEY", "SIGNING_CERTIFICATE"];
const files = [...pem, "BANK_MODULE"];

test("a complete production configuration is accepted", () => {
  assert.deepEqual(faultsOf({}), []);
});

test("a core at a URL takes the place of a module", () => {
  const service = { BANK_MODULE: undefined, BANK_URL: "https://core.bank.example/aldgate" };
  assert.deepEqual(faultsOf(service), []);
});

test("a sandbox needs no production setting", () => {
  checkProduction(loadConfig({}));
});

for (const key of required) {
  test(`production refuses to start without ${key}`, () => {
    const [fault = "", ...more] = faultsOf({ [key]: undefined });
    assert.match(fault, new RegExp(`^${key}: production needs`));
    assert.deepEqual(more, []);
  });
}

for (const key of files) {
  test(`production refuses a ${key} that is not a file`, () => {
    const missing = join(folder.path, "nowhere.pem");
    assert.deepEqual(faultsOf({ [key]: missing }), [`${key}: there is no file ${missing}`]);
    if (key === "CLIENT_CA") return; // may be a folder: see trust-anchors.test.ts
    const [fault] = faultsOf({ [key]: folder.path });
    assert.equal(fault, `${key}: there is no file ${folder.path}`, "a folder is not a file");
  });
}

for (const key of pem) {
  test(`production refuses a ${key} that cannot be read`, () => {
    const kind = key.endsWith("KEY") ? "PRIVATE KEY" : "CERTIFICATE";
    const broken = `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;
    for (const text of ["", "no PEM at all", broken]) {
      const [fault = "", ...more] = faultsOf({ [key]: folder.write("broken.pem", text) });
      assert.match(
        fault,
        new RegExp(`^${key}: .* does not contain a readable PEM (certificate|private key)`),
      );
      assert.deepEqual(more, []);
    }
  });
}

const single: [title: string, changes: () => Changes | Promise<Changes>, fault: RegExp][] = [
  ["plain HTTP", () => ({ PUBLIC_TLS: "false" }), /^PUBLIC_TLS: .*plain HTTP/],
  ["plain HTTP by default", () => ({ PUBLIC_TLS: undefined }), /^PUBLIC_TLS: .*plain HTTP/],
  [
    "a core at an http address that is not on this machine",
    () => ({ BANK_MODULE: undefined, BANK_URL: "http://core.bank.example/" }),
    /^BANK_URL: the URL must begin with https/,
  ],
  [
    "a certificate for the core without its key",
    () => ({ BANK_CERTIFICATE: folder.environment.TLS_CERTIFICATE }),
    /^BANK_CERTIFICATE_KEY: the certificate and its key must be set together/,
  ],
  ["an http issuer", () => ({ PUBLIC_URL: "http://bank.example" }), /^PUBLIC_URL: .*https/],
  [
    "a website of the bank on http",
    () => ({ BANK_HOME_URL: "http://www.bank.example/" }),
    /^BANK_HOME_URL: .*https/,
  ],
  [
    "an issuer that is not a URL",
    () => ({ PUBLIC_URL: "https://:443" }),
    /^PUBLIC_URL: .*not a valid URL/,
  ],
  [
    "a key that does not match the certificate",
    () => ({ TLS_KEY: folder.write("other.key.pem", rsaKey()) }),
    /^TLS_KEY: this is not the key of TLS_CERTIFICATE/,
  ],
  [
    "a signing key of 1024 bits",
    () => ({ SIGNING_KEY: folder.write("small.key.pem", rsaKey(1024)) }),
    /^SIGNING_KEY: this RSA key has 1024 bits; it must have at least 2048/,
  ],
  [
    "a TLS key of 1024 bits",
    async () => {
      const [key, root] = [rsaKey(1024), ecKey()];
      return {
        TLS_KEY: folder.write("small-tls.key.pem", key),
        TLS_CERTIFICATE: folder.write("small-tls.pem", await issueServer(key, root)),
      };
    },
    /^TLS_KEY: this RSA key has 1024 bits; it must have at least 2048/,
  ],
  [
    "a signing key that is not RSA",
    () => ({ SIGNING_KEY: folder.write("ec.key.pem", ecKey()) }),
    /^SIGNING_KEY: .*PS256/,
  ],
  [
    "a signing key that is not PKCS #8",
    () => ({ SIGNING_KEY: folder.write("pkcs1.key.pem", asPkcs1(rsaKey())) }),
    /^SIGNING_KEY: .*PKCS #8/,
  ],
  [
    "a certificate of another signing key",
    async () => ({
      SIGNING_CERTIFICATE: folder.write("other.pem", await issueSigning(rsaKey(), ecKey())),
    }),
    /^SIGNING_CERTIFICATE: the first certificate must be the certificate of SIGNING_KEY/,
  ],
  [
    "a certificate chain without the issuer",
    async () => {
      const signing = readFileSync(folder.environment.SIGNING_CERTIFICATE ?? "", "utf8");
      const [leaf = ""] = signing.split(/(?<=END CERTIFICATE-----\n)/);
      const stranger = await issueServer(rsaKey(), ecKey());
      return { SIGNING_CERTIFICATE: folder.write("gap.pem", `${leaf}${stranger}`) };
    },
    /^SIGNING_CERTIFICATE: each certificate must be followed by the certificate of its issuer/,
  ],
  ["a simple secret", () => ({ COOKIE_SECRET: "secret".repeat(6) }), /^COOKIE_SECRET: too simple/],
  [
    "the test name of the trust anchor",
    () => ({ TRUST_ANCHOR: "openbankingtest.org.uk" }),
    /^TRUST_ANCHOR: /,
  ],
  [
    "a host name of a sandbox",
    () => ({ SANDBOX_HOSTS: "bank.test" }),
    /^SANDBOX_HOSTS: .*no sandbox/,
  ],
  [
    "networks for a sandbox's controls",
    () => ({ SANDBOX_CONTROLS_NETWORKS: "10.0.0.0/8" }),
    /^SANDBOX_CONTROLS_NETWORKS: .*no sandbox/,
  ],
  [
    "a token for a sandbox's controls",
    () => ({ SANDBOX_CONTROLS_TOKEN: "x".repeat(24) }),
    /^SANDBOX_CONTROLS_TOKEN: .*no sandbox/,
  ],
  ["the sandbox's own name", () => ({ ORGANISATION_ID: undefined }), /^ORGANISATION_ID: /],
  ["two cores", () => ({ BANK_URL: "https://core.bank.example" }), /^BANK_URL: .*not both/],
  ["half a login", () => ({ BANK_LOGIN_CLIENT_ID: "a" }), /^BANK_LOGIN_CLIENT_ID: /],
];

for (const [title, changes, expected] of single) {
  test(`production refuses ${title}`, async () => {
    const [fault = "", ...more] = faultsOf(await changes());
    assert.match(fault, expected);
    assert.deepEqual(more, []);
  });
}

const plain = "postgres://bank@db.example/bank";
const withRoot = (path: string): string => `${plain}?sslmode=verify-full&sslrootcert=${path}`;
const faultsOfUrl = (DATABASE_URL: string, more: Changes = {}): string[] =>
  faultsOf({ DATABASE_URL, DATABASE_WITHOUT_TLS: undefined, ...more });

const unverified = [plain, ...["disable", "no-verify"].map((mode) => `${plain}?sslmode=${mode}`)];
for (const url of [...unverified, `${plain}?ssl=true`, `${plain}?sslrootcert=/dev/null`]) {
  test(`production refuses ${url}, whose servers TLS does not verify`, () => {
    const [fault = "", ...more] = faultsOfUrl(url);
    assert.match(
      fault,
      /^DATABASE_URL: .*add \?sslmode=verify-full&sslrootcert=.*_WITHOUT_TLS=true/,
    );
    assert.deepEqual(more, []);
  });
}

test("production accepts one or several database servers that TLS verifies", () => {
  const root = folder.write("database-root.pem", folder.caPem);
  assert.deepEqual(faultsOfUrl(withRoot(root)), []);
  assert.deepEqual(faultsOfUrl(withRoot(root).replace("db.example", "a:5433,b")), []);
  assert.deepEqual(faultsOfUrl(`${plain}?sslmode=verify-full`), [], "by a public authority");
});

test("production verifies standbys as it verifies the primary", () => {
  const verifies = `${plain}?sslmode=verify-full`;
  const standbys = (READ_DATABASE_URL: string) => faultsOfUrl(verifies, { READ_DATABASE_URL });
  assert.deepEqual(standbys(verifies), []);
  const [fault = "", ...more] = standbys(plain);
  assert.match(fault, /^READ_DATABASE_URL: production verifies database servers by TLS/);
  assert.deepEqual(more, []);
  const primaries = standbys(`${verifies}&target_session_attrs=primary`);
  assert.match(primaries.join(), /^READ_DATABASE_URL: target_session_attrs must be any, standby/);
});

test("production accepts a database without TLS when DATABASE_WITHOUT_TLS is set", () => {
  for (const url of unverified) {
    assert.deepEqual(faultsOfUrl(url, { DATABASE_WITHOUT_TLS: "true" }), []);
  }
});

const issuer = {
  iss: "OpenBanking Ltd",
  jwksUri: "https://keystore.openbanking.org.uk/keystore/openbanking.jwks",
  environment: "production",
  jwksHosts: ["keystore.openbanking.org.uk"],
};
const issuersWith = (change: object): string =>
  folder.write("issuers.json", JSON.stringify({ issuers: [{ ...issuer, ...change }] }));

test("R-100: production accepts a configured issuer of software statements, with its key URL and hosts", () => {
  assert.deepEqual(faultsOf({ REGISTRATION_ISSUERS: issuersWith({}) }), []);
});

const wrongIssuers: [name: string, change: object][] = [
  ["without hosts", { jwksHosts: [] }],
  ["with a URL as a host", { jwksHosts: ["https://keystore.openbanking.org.uk"] }],
  ["with keys over http", { jwksUri: "http://keystore.openbanking.org.uk/x" }],
  ["with keys in two places", { jwksFile: "keys.json" }],
  ["with an unknown member", { hosts: [] }],
  ["of a sandbox", { iss: "Aldgate Sandbox Directory" }],
  ["of the standard's sandbox", { jwksHosts: ["keystore.openbankingtest.org.uk"] }],
  ["on the bank's own machine", { jwksHosts: ["localhost:8080"] }],
];
for (const [name, change] of wrongIssuers) {
  test(`production refuses an issuer of software statements ${name}`, () => {
    const faults = faultsOf({ REGISTRATION_ISSUERS: issuersWith(change) });
    assert.equal(faults.length, 1, faults.join());
    assert.match(faults[0] ?? "", /^REGISTRATION_ISSUERS: /);
  });
}

test("production accepts an issuer on the bank's own machine only if REGISTRATION_NETWORKS lists it", () => {
  const REGISTRATION_ISSUERS = issuersWith({ jwksHosts: ["localhost:8080"] });
  const faultsIn = (REGISTRATION_NETWORKS: string) =>
    faultsOf({ REGISTRATION_ISSUERS, REGISTRATION_NETWORKS });
  assert.deepEqual(faultsIn("127.0.0.0/8"), []);
  assert.match(faultsIn("10.4.0.0/16").join(), /^REGISTRATION_ISSUERS: /);
});

test("production refuses a DATABASE_URL that cannot be parsed or whose root file is missing", () => {
  const missing = join(folder.path, "no-root.pem");
  assert.deepEqual(faultsOfUrl(withRoot(missing)), [
    `DATABASE_URL: sslrootcert: there is no file ${missing}`,
  ]);
  const [fault = "", ...more] = faultsOfUrl(`${plain}#?sslmode=verify-full`);
  assert.match(fault, /^DATABASE_URL: is not a valid URL: percent-encode/);
  assert.deepEqual(more, []);
});

test("no command of production opens a database that TLS does not verify", async () => {
  const environment = environmentWith({ DATABASE_WITHOUT_TLS: undefined });
  const { code, complained } = await runCommand("migrate", environment);
  assert.equal(code, 2);
  assert.match(complained, /^ {2}DATABASE_URL: production verifies database servers by TLS/m);
});

test("production refuses anything that a sandbox has generated, even copied elsewhere", async () => {
  const sandbox = await makeSandboxKeys();
  const faults = faultsOf({
    TLS_CERTIFICATE: folder.write("copied.pem", sandbox.server.cert),
    TLS_KEY: folder.write("copied-tls.key.pem", sandbox.server.key),
    CLIENT_CA: folder.write("both.pem", `${folder.caPem}${sandbox.caPem}`),
    SIGNING_KEY: folder.write("copied.key.pem", sandbox.signing.privateKeyPem),
    COOKIE_SECRET: sandbox.cookieSecret,
  });
  assert.deepEqual(
    faults.map((fault) => fault.replace(/:.*(sandbox).*/, ": $1")),
    ["COOKIE_SECRET", "TLS_CERTIFICATE", "CLIENT_CA", "TLS_KEY", "SIGNING_KEY"].map(
      (key) => `${key}: sandbox`,
    ),
  );
  const inPlace = faultsOf({
    ALDGATE_DATA: join(folder.path, "nowhere"),
    SIGNING_KEY: join(folder.path, "keys", "bank-signing.key.pem"),
  });
  assert.match(inPlace[0] ?? "", /^SIGNING_KEY: .*generated by a sandbox/);
});

/** Creates the keys of a sandbox that was opened in this data folder before. */
async function makeSandboxKeys(): Promise<Directory> {
  const database = await openPglite({});
  try {
    return await ensureDirectory({
      folder: join(folder.path, "keys"),
      database,
      clock: systemClock,
      publicUrl: "http://localhost:8080",
      hosts: ["localhost"],
    });
  } finally {
    await database.close();
  }
}

test("all configuration faults are reported together, by the command line too, which exits with 2", async () => {
  const { code, complained } = await runCommand("start", { ALDGATE_PROFILE: "production" });
  assert.equal(code, 2);
  for (const key of [...required, "PUBLIC_TLS", "ORGANISATION_ID"]) {
    assert.match(complained, new RegExp(`^ {2}${key}: `, "m"));
  }
});

const refusedCores = {
  "has no createBank": {
    text: "export const nothing = 1;\n",
    fault: / does not export a function createBank$/,
  },
  "makes an empty core": {
    text: "export const createBank = () => ({});\n",
    fault: /these functions are missing: authenticate, .*reserve, execute, ask, release, .*; exch/,
  },
  "makes nothing": {
    text: "export const createBank = () => null;\n",
    fault: /createBank must return an object$/,
  },
  "has a string in place of a function": {
    text: 'export const createBank = () => ({ reserve: "yes", exchangeCurrencies: [1] });\n',
    fault: /must be functions: reserve; exchangeCurrencies must be an array of currency codes$/,
  },
  "attaches data to consents that it does not assess": {
    text: "export const createBank = () => ({ attachesData: true, readsContext: 1 });\n",
    fault: /readsContext must be true or false; attachesData needs the function assess$/,
  },
  "fails to make its core": {
    text: 'export const createBank = async () => { throw new Error("no line"); };\n',
    fault: / failed in createBank: no line$/,
  },
  "cannot be read": { text: "export const = 1;\n", fault: / cannot be loaded: / },
};

for (const [what, { text, fault }] of Object.entries(refusedCores)) {
  test(`a core module that ${what} is refused at start, by name`, async () => {
    const BANK_MODULE = folder.write(`${what.replaceAll(" ", "-")}.mjs`, text);
    const config = loadConfig(environmentWith({ BANK_MODULE }));
    const context = { database: null as never, clock: null as never }; // never reached
    const log = { error: () => undefined, warn: () => undefined };
    await assert.rejects(loadCore(config, context, log), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.ok(error.message.startsWith(`BANK_MODULE: ${BANK_MODULE} `), error.message);
      assert.match(error.message, fault);
      return true;
    });
  });
}
