import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";
import { type Browser, chromium, type Page } from "playwright-core";
import { closeAfterTests } from "./close-after.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.resolve("@sparticuz/chromium")));
const packageText = readFileSync(join(packageFolder, "package.json"), "utf8");
const { version } = JSON.parse(packageText) as { version: string };

// one folder per user, because only its owner can run the binary
const home = join(tmpdir(), `aldgate-chromium-${version}-${process.getuid?.() ?? 0}`);

/** A host name that the browser resolves to this machine, like a rebound DNS name. */
export const reboundHost = "rebound.example";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
  // the browser can reach only this machine
  `--host-resolver-rules=MAP ${reboundHost} 127.0.0.1, MAP * ~NOTFOUND, ` +
    "EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/**
 * Starts the Chromium that npm installed, headless, with its own font and libraries. It does not
 * need root, and needs only a C library of the system. Close it when done. If a failing `before`
 * hook prevents that, it is closed after the tests.
 */
export const openBrowser = (): Promise<Browser> => closeAfterTests(launch());

async function launch(): Promise<Browser> {
  await unpack();
  return chromium.launch({
    executablePath: join(home, "chromium"),
    args: flags,
    env: {
      ...process.env,
      LD_PRELOAD: "", // the browser does not start with libfaketime, so it has the machine's clock
      HOME: home,
      FONTCONFIG_FILE: join(home, "fonts.conf"),
      LD_LIBRARY_PATH: [join(home, "al2023", "lib"), process.env.LD_LIBRARY_PATH]
        .filter((path) => path)
        .join(":"),
    },
  });
}

/** Does what leaves the page, and waits until the next one has loaded. */
export async function toNextPage(page: Page, leave: () => Promise<void>): Promise<void> {
  const next = page.waitForEvent("framenavigated");
  await leave();
  await next;
  await page.waitForLoadState();
}

// Unpacks beside the folder and moves the copy into place in one step. So test processes that start
// together never see half a browser; the second one deletes its own copy.
async function unpack(): Promise<void> {
  if (existsSync(home)) return;
  const folder = await mkdtemp(`${home}-`);
  const before = process.env.TMPDIR;
  try {
    process.env.TMPDIR = folder; // the package unpacks to this folder
    for (const file of ["chromium.br", "fonts.tar.br", "al2023.tar.br"]) {
      await inflate(join(packageFolder, "bin", file));
    }
    await mkdir(join(folder, "cache"));
    await writeFile(join(folder, "fonts.conf"), fontConfiguration);
    await rename(folder, home).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  }
}

const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(home, "fonts")}</dir>
  <cachedir>${join(home, "cache")}</cachedir>
</fontconfig>
`;
