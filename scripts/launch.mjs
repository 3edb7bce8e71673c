// Starts the bank's commands in a Node that is new enough. It runs on any Node from version 20, in a
// clone (run.mjs) and in the installed package (aldgate.mjs).
import { spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { availableParallelism, homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the clone or of the installed package. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (...place) => JSON.parse(readFileSync(join(...place), "utf8"));
const nodeOptions = read(root, "scripts/node-options.json");

// The pinned Node, one package per platform, has a lock file of its own. So it is installed only
// where it is needed, and it is not the `node` of a project into which Aldgate is installed.
const pinnedFiles = ["package.json", "package-lock.json"];
const wantedPackages = read(root, "node/package.json").optionalDependencies;

const isWindows = process.platform === "win32";
const platform = `-${isWindows ? "win" : process.platform}-${process.arch}`;
const supported = Object.entries(wantedPackages).find(([name]) => name.endsWith(platform));

/** The package of the pinned Node for this platform, and its version. */
const [pinnedPackage, pinned] = supported ?? ["", "for no known platform"];

/**
 * Where the pinned Node is installed. All packages of a user share it: npm replaces the folder of a
 * package at each installation, and the folder may belong to somebody else.
 */
const nodeFolder = existsSync(join(root, "scripts/run.mjs"))
  ? join(root, "node")
  : join(cacheFolder(), `node-${pinned}`);

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const ofSystem = { darwin: "Library/Caches", win32: "AppData/Local" }[process.platform];
  const own = join(homedir(), ofSystem ?? ".cache");
  return join(XDG_CACHE_HOME || LOCALAPPDATA || own, "aldgate");
}

const pinnedPlace = join("node_modules", pinnedPackage);

/** Finds the program of the pinned Node for this platform; null if it is not installed. */
export function findPinned() {
  if (!supported) return null;
  const folder = join(nodeFolder, pinnedPlace);
  const program = join(folder, "bin", isWindows ? "node.exe" : "node");
  return existsSync(program) && read(folder, "package.json").version === pinned ? program : null;
}

/** Finds the program of the pinned Node, and installs it first if it is not installed. */
export function takePinned() {
  const found = findPinned();
  if (found !== null) return found;
  if (supported)
    console.error(`Installing Node ${pinned} into ${nodeFolder} (once, about 60 MB) …`);
  mkdirSync(join(nodeFolder, "node_modules"), { recursive: true });
  // Two commands may install at once, and the first bank may run before the second has finished. So
  // each installs into a folder of its own, and a rename puts the whole package in its place.
  const own = mkdtempSync(join(nodeFolder, "node_modules", ".new-"));
  for (const file of pinnedFiles) copyFileSync(join(root, "node", file), join(own, file));
  const isDone = installPackages(own, ["--include=optional"]);
  if (existsSync(join(own, pinnedPlace))) putInPlace(own);
  rmSync(own, { recursive: true, force: true });
  const installed = findPinned();
  if (installed !== null) return installed;
  // npm continues without an optional package that it cannot load, or whose hash is not in the lock
  console.error(
    `\nThe pinned Node for ${process.platform}-${process.arch} is not installed${
      isDone ? "" : ": see npm's message above"
    }. node/package.json lists the supported platforms under optionalDependencies. If yours is ` +
      "listed, npm could not download the package or write to this folder, or its hash " +
      `differs from node/package-lock.json. Run the same command again, or install Node ${oldest} or ` +
      "newer yourself.",
  );
  process.exit(1);
}

/** Moves the pinned Node from the folder of its installation to its place, unless one is there. */
function putInPlace(own) {
  const [from, to] = [join(own, pinnedPlace), join(nodeFolder, pinnedPlace)];
  // a third of the package: only compilers of native modules need it
  rmSync(join(from, "include"), { recursive: true, force: true });
  try {
    renameSync(from, to);
  } catch (error) {
    if (findPinned() !== null) return; // another command was first
    if (!existsSync(to)) throw error;
    renameSync(to, join(own, "replaced")); // of another version
    renameSync(from, to);
  }
}

/** Lets npm install the packages of a folder's lock file; returns whether it could. */
export function installPackages(folder, which) {
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error", ...which];
  const options = { cwd: folder, stdio: ["ignore", "ignore", "inherit"] };
  // on Windows, npm is a script that only a shell can run; nothing in this line needs quotes
  const { status } =
    process.platform === "win32"
      ? spawnSync(["npm", ...args].join(" "), { ...options, shell: true })
      : spawnSync("npm", args, options);
  return status === 0;
}

/** The oldest major version of Node that runs the bank. */
const { oldest } = nodeOptions;

/** The Node that runs a command of the bank: this one if it is new enough, else the pinned one. */
export const takeSuitable = () =>
  Number.parseInt(process.versions.node, 10) >= oldest ? process.execPath : takePinned();

// modules load faster from a cache of compiled code, above all in processes that tests start
export const compileCache = { NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "aldgate") };

/**
 * Runs a command of the bank, and returns its exit code. The options keep the bank below 300 MB: a
 * small young generation, an old generation that is collected when it has grown by 40%, and a
 * malloc with two arenas instead of one per thread, which returns free memory. On a PostgreSQL
 * server, the database's memory is not the bank's. There the young generation may be as large as
 * what concurrent requests allocate; otherwise their objects are copied for nothing. A compile
 * cache that exists before the first module saves memory too, because node then does not load its
 * TypeScript compiler. There are as many signing threads as cores: more would only delay the main
 * thread, fewer would leave cores idle. docs/performance.md has the measurements.
 */
export function runBank(node, main, args) {
  const environment = {
    UV_THREADPOOL_SIZE: String(availableParallelism()),
    ...compileCache,
    ...nodeOptions.environment,
    ...process.env,
  };
  const young = process.env.DATABASE_URL ? nodeOptions.server : nodeOptions.embedded;
  // commands resolve folders from the caller's directory
  return run(node, [...young, join(root, main), ...args], environment, process.cwd());
}

/** Runs a program in this terminal, passes signals on, and returns its exit code. */
export function run(program, args, environment = {}, folder = root) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: folder,
      stdio: "inherit",
      env: { ...process.env, ...environment, ...searchPath(program) },
    });
    // the terminal sends its signals to the child too, so only signals sent to this process are
    // passed on
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.on(signal, () => {
        if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
      });
    }
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 143)));
    endWithNpm(child);
  });
}

/** The search path, which Windows calls Path: first the running Node and the packages' programs. */
function searchPath(program) {
  const name = Object.keys(process.env).find((one) => one.toUpperCase() === "PATH") ?? "PATH";
  const own = [dirname(program), join(root, "node_modules", ".bin")];
  return { [name]: [...own, process.env[name] ?? ""].join(delimiter) };
}

/**
 * Ends the child when npm has ended. npm passes a signal only to the shell between it and this
 * process, and the shell ends without passing it on.
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) child.kill("SIGTERM");
  }, 500);
  child.on("exit", () => clearInterval(timer));
}
