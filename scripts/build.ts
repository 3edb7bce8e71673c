// Makes the JavaScript of the package in dist/, because Node does not strip types below
// node_modules. Usage: npm run build; `npm pack` runs it too (docs/decisions/0045-the-package.md).
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { archive } from "#src/storage/archived-files.ts";
import { migrate } from "#src/storage/migrate.ts";
import { openPglite } from "#src/storage/pglite.ts";
import { root } from "./source-files.ts";

/** What messages and pages tell a reader to do, in a clone and after the package is installed. */
const commands: readonly (readonly [clone: string, installed: string])[] = [
  ["./aldgate", "npx aldgate"],
  ["npm start", "npx aldgate"],
  ["npm run demo", "npx aldgate demo"],
  [
    "run `npm ci --omit=dev` in the folder of Aldgate",
    "install Aldgate again without --omit=optional",
  ],
];

const target = join(root, "dist");

/** Makes dist/: the modules, the declarations that the public ones need, and the pages' assets. */
function build(): void {
  rmSync(target, { recursive: true, force: true });
  compile();
  keepDeclarations(publicDeclarations());
  for (const path of listBuilt(".js")) nameInstalledCommands(path);
  const assets = "pages/assets";
  cpSync(join(root, "src", assets), join(target, assets), { recursive: true });
  // the nearest package.json says what `#src/` means: here, the built modules
  const scope = { type: "module", imports: { "#src/*.ts": "./*.js" } };
  writeFileSync(join(target, "package.json"), JSON.stringify(scope));
}

// An exported value has a type that cannot be written as a declaration. Only values inside the
// package have such types: keepDeclarations fails if a public declaration needs one.
const unwritable = /error TS(4023|4094|7056):/;

function compile(): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const line = [compiler, "-p", "tsconfig.build.json"];
  const { stdout } = spawnSync(process.execPath, line, { cwd: root, encoding: "utf8" });
  const errors = stdout.split("\n").filter((one) => one !== "" && !unwritable.test(one));
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

const listBuilt = (ending: string): string[] =>
  readdirSync(target, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(target, path));

/** The declarations that package.json exports. */
function publicDeclarations(): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.values<{ types: string }>(exports).map(({ types }) => join(root, types));
}

/** Deletes every declaration that the given ones do not import, themselves or through others. */
function keepDeclarations(needed: readonly string[]): void {
  const kept = new Set(needed);
  for (const path of kept) {
    if (!existsSync(path)) throw new Error(`${relative(root, path)} was not written`);
    const imports = readFileSync(path, "utf8").matchAll(/(?:from|import\() ?"([#.][^"]+)\.ts"/g);
    for (const [, name = ""] of imports) {
      const from = name.startsWith("#src/")
        ? join(target, name.slice(5))
        : join(dirname(path), name);
      kept.add(`${from}.d.ts`);
    }
  }
  for (const path of listBuilt(".d.ts")) if (!kept.has(path)) rmSync(path);
}

function nameInstalledCommands(path: string): void {
  const text = readFileSync(path, "utf8");
  const changed = commands.reduce(
    (all, [clone, installed]) => all.replaceAll(clone, installed),
    text,
  );
  if (changed !== text) writeFileSync(path, changed);
}

const unread = ["*.map", "*.test.*", "*.spec.*", "*.bench.js", "*.yml"];
// sources, whose JavaScript is there too; the package's own declarations need those of others
const unreadSources = ["*.ts", "!*.d.ts", "*.mts", "!*.d.mts", "*.cts", "!*.d.cts"];
// builds that only a bundler chooses
const unreadBuilds = ["/esm/", "/esnext/"];
const unreadFolders = /^(?:\.github|\.yarn|__tests__|bench|benchmarks?|docs|examples?|tests?)$/;

/**
 * Tells npm which files of the bundled packages no program reads: a fifth of all files, and a
 * third of the bytes. npm lets only the packages themselves say so, in a file of each folder.
 */
function leaveOutUnread(): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  for (const [place, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    if (place === "" || dev || !existsSync(join(root, place))) continue;
    for (const entry of readdirSync(join(root, place), { withFileTypes: true })) {
      if (!entry.isDirectory() || entry.name === "node_modules") continue;
      const isTracing = place === "node_modules/@opentelemetry/api" && entry.name === "build";
      const lines = unreadFolders.test(entry.name)
        ? ["*"]
        : [...unread, ...unreadSources, ...(isTracing ? unreadBuilds : [])];
      writeFileSync(join(root, place, entry.name, ".npmignore"), `${lines.join("\n")}\n`);
    }
  }
}

/** Writes the database with which a new data folder begins (src/storage/pglite.ts). */
async function writeSchema(): Promise<void> {
  const database = await openPglite({});
  await migrate(database);
  const packed = join(target, "schema.tar.zst");
  await archive(database.engine, packed);
  // an archive of a bank's data is its owner's alone; whoever runs the package must read this one
  chmodSync(packed, 0o644);
  await database.close();
}

build();
leaveOutUnread();
await writeSchema();
