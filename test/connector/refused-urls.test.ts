import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ConfigError, loadConfig } from "#src/config/config.ts";
import { systemClock } from "#src/lib/clock.ts";
import { loadCore } from "#src/server/opening/load-bank.ts";

const folder = mkdtempSync(join(tmpdir(), "aldgate-urls-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const noKey = join(folder, "key.pem");
writeFileSync(noKey, "no PEM at all");

const BANK_URL = "http://127.0.0.1:1";
const refused: [what: string, settings: Record<string, string>, fault: RegExp][] = [
  [
    "beside a module",
    { BANK_URL, BANK_MODULE: "core.mjs" },
    /^BANK_URL: the core is either a module \(BANK_MODULE\) or a service, not both$/,
  ],
  [
    "where nothing listens",
    { BANK_URL },
    /^BANK_URL: the core at http:\/\/127\.0\.0\.1:1 cannot be used: GET \/about .*ECONNREFUSED/,
  ],
  ["on another machine over plain HTTP", { BANK_URL: "http://core.example" }, /^BANK_URL: .*https/],
  [
    "with a password",
    { BANK_URL: "https://ada:secret@core.example" },
    /^BANK_URL: the URL must not have a user or a password, which Aldgate would not send$/,
  ],
  ["with a signing key that is none", { BANK_URL, BANK_SIGNING_KEY: noKey }, /^BANK_SIGNING_KEY: /],
  [
    "with a client certificate that is none",
    { BANK_URL: "https://127.0.0.1:1", BANK_CERTIFICATE: noKey, BANK_CERTIFICATE_KEY: noKey },
    /^BANK_URL: the core at .* cannot be used/,
  ],
];

for (const [what, settings, fault] of refused) {
  test(`a core at a URL ${what} is refused at start, with the setting`, async () => {
    const context = { database: null as never, clock: systemClock }; // the database is not reached
    const log = { error: () => undefined, warn: () => undefined };
    await assert.rejects(loadCore(loadConfig(settings), context, log), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, fault);
      return true;
    });
  });
}
