// Runs on any Node from version 20 and needs no installation: it installs what is missing, then
// starts the pinned Node. Usage: node scripts/run.mjs
// <test|check|format|build|bench|walk|soak|schema|conformance|sbom|published|client-types|node-releases|
// picture> [arguments], or any command of the CLI
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPackages, root, run, runBank, takePinned, takeSuitable } from "./launch.mjs";

const marker = join(root, "node_modules", ".aldgate-install");

function wantedInstall() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return createHash("sha256").update(lock).update(process.platform).digest("hex");
}

function isInstalled(isRunning) {
  if (existsSync(marker) && readFileSync(marker, "utf8") === wantedInstall()) return true;
  return isRunning && hasRunningPackages();
}

/** Whether the settings are a bank's, which needs none of the packages of a sandbox. */
function isProduction() {
  const { ALDGATE_PROFILE: profile, ALDGATE_CONFIG: file } = process.env;
  if (profile !== undefined || file === undefined) return profile === "production";
  try {
    return JSON.parse(readFileSync(file, "utf8")).ALDGATE_PROFILE === "production";
  } catch {
    return false; // the command then says what is wrong with the file
  }
}

/** Whether npm has installed the packages that running the bank needs, with or without the rest. */
function hasRunningPackages() {
  const lockOf = (...parts) => JSON.parse(readFileSync(join(root, ...parts), "utf8")).packages;
  const written = join("node_modules", ".package-lock.json");
  if (!existsSync(join(root, written))) return false;
  const installed = lockOf(written);
  const isBank = isProduction();
  return Object.entries(lockOf("package-lock.json")).every(
    ([place, { version, dev, optional, devOptional }]) =>
      place === "" ||
      dev ||
      devOptional ||
      (optional && isBank) ||
      installed[place]?.version === version,
  );
}

const turn = join(root, "node", ".installing");

/**
 * Waits until no other command installs, because npm deletes what another npm has installed. The
 * turn is a file with the id of its process, which stays behind if the process is killed.
 */
function takeTurn() {
  for (let isTold = false; ; isTold = true) {
    try {
      writeFileSync(turn, String(process.pid), { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (dropLeftBehind()) continue;
    if (!isTold) {
      console.error(
        "Another command is installing. Waiting for it … If there is none, delete " +
          `${turn} and run the same command again.`,
      );
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

/** Removes the turn of a process that has ended; returns whether there may be none any more. */
function dropLeftBehind() {
  const own = `${turn}-${process.pid}`;
  try {
    const holder = readFileSync(turn, "utf8");
    if (isAlive(holder)) return false;
    // only one command can rename it, and it may be a new turn already
    renameSync(turn, own);
    if (readFileSync(own, "utf8") === holder) rmSync(own);
    else renameSync(own, turn);
    return true;
  } catch (error) {
    if (error.code === "ENOENT") return true;
    throw error;
  }
}

function isAlive(holder) {
  if (holder === "") return true; // it is being written
  try {
    return process.kill(Number(holder), 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

function install(isRunning) {
  takeTurn();
  // another command may have installed meanwhile
  const isDone = isInstalled(isRunning) || installMissing(isRunning);
  rmSync(turn, { force: true });
  if (!isDone) process.exit(1);
}

function installMissing(isRunning) {
  console.error("Installing what Aldgate needs (once, about half a minute) …");
  // tests and checks need the development packages, a running bank does not; a bank in production
  // does not need the optional packages either, which are the sandbox's
  const which = isRunning ? ["--omit=dev"] : [];
  which.push(isRunning && isProduction() ? "--omit=optional" : "--include=optional");
  if (!installPackages(root, which)) {
    console.error(
      "\nThe installation failed: see npm's message above. Check that your npm registry is " +
        "reachable, and run the same command again.",
    );
    return false;
  }
  if (!isRunning) writeFileSync(marker, wantedInstall());
  return true;
}

/** Runs all test lanes, or what the arguments name. */
async function test(args) {
  // loaded here, because an older Node may run this file
  const { runAll, runNamed } = await import("./lanes.mjs");
  return args.length === 0 ? runAll(node) : runNamed(node, args);
}

const tsc = "node_modules/typescript/bin/tsc";
const biome = "node_modules/@biomejs/biome/bin/biome";

/** Runs the checks at the same time, and prints each one's output in one piece. */
async function check() {
  const steps = [
    [node, tsc, "-p", "."],
    [node, biome, "check", "--error-on-warnings", "."],
    [node, "scripts/imports.ts"],
    [node, "scripts/tables.ts"],
    [node, "scripts/migrations.ts"],
    [node, "scripts/sources.ts"],
    [node, "scripts/tidy.ts"],
    [node, "scripts/expressions.ts"],
    [node, "scripts/unknown-texts.ts"],
    [node, "scripts/node-releases.ts"],
    [node, "scripts/descriptions.ts"],
  ];
  const codes = await Promise.all(steps.map(runQuietly));
  return codes.find((code) => code !== 0) ?? 0;
}

/** Runs a program, prints its output when it has ended, and returns its exit code. */
function runQuietly([program, ...args]) {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...colours },
    });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => output.push(chunk));
    }
    child.on("error", (error) => output.push(Buffer.from(`${program}: ${error.message}\n`)));
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

const [command = "start", ...args] = process.argv.slice(2);
const commands = {
  test: () => test(args),
  check,
  format: () => run(node, [biome, "check", "--write", "."]),
  build: () => run(node, ["scripts/build.ts"]),
  "node-releases": () => run(node, ["scripts/node-releases.ts", "--refresh", ...args]),
  picture: () => {
    process.env.ALDGATE_PICTURE = "docs/images/journey.png";
    return test(["test/pages/readme-picture.test.ts"]);
  },
  bench: () => run(node, ["bench/run.ts", ...args]),
  walk: () => run(node, ["scripts/walk.ts", ...args]),
  soak: () => run(node, ["test/soak/run.ts", ...args]),
  schema: () => run(node, ["scripts/schema.ts", ...args]),
  sbom: () => run(node, ["scripts/sbom.ts"]),
  conformance: () => run(node, ["scripts/conformance.ts", ...args]),
  published: () => run(node, ["scripts/extract-published.ts", ...args]),
  "client-types": () => run(node, ["scripts/client-types.ts"]),
};
// any other command is one of the bank's
const isRunning = !Object.hasOwn(commands, command);
if (!isInstalled(isRunning)) install(isRunning);
const node = isRunning ? takeSuitable() : takePinned();
process.exitCode = await (commands[command]?.() ??
  runBank(node, "src/main.ts", [command, ...args]));
