import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import { environment, root } from "#test/cli/installed-package.ts";
import { type Running, startProgram } from "#test/cli/running-bank.ts";

const base = process.env.ALDGATE_TEST_IMAGE_BASE;

/** Why no image can be built and run here; null if one can. */
export function whyNoImage(): string | null {
  if (base === undefined) return "ALDGATE_TEST_IMAGE_BASE is not set: an image with Node 26";
  const isFound = spawnSync("podman", ["image", "exists", base]).status === 0;
  return isFound ? null : `podman has no image ${base}`;
}

/** Runs podman, and returns its output. */
export const podman = (...line: string[]): string =>
  execFileSync("podman", line, { encoding: "utf8" });

/**
 * Builds an image with the commands of docs/containers.md, on the base that the environment names.
 * Returns the image's name.
 */
export function buildImage(name: "bank" | "sandbox"): string {
  const page = readFileSync(join(root, "docs/containers.md"), "utf8");
  const block = present(/```sh\n(npm pack[\s\S]*?)```/.exec(page)?.[1], "the page's commands");
  const image = `localhost/aldgate-test-${name}`;
  const changed = {
    "npm pack": `npm pack ${root}`,
    "cp package-lock.json": `cp ${join(root, "package-lock.json")}`,
    ...(name === "sandbox" ? { " --omit=optional": "" } : {}),
    "--tag aldgate:0.2.0": `--build-arg BASE=${base} --tag ${image}`,
  };
  const script = Object.entries(changed).reduce((text, [written, actual]) => {
    if (!text.includes(written)) throw new Error(`the page's commands have no ${written}`);
    return text.replace(written, actual);
  }, block);
  const folder = mkdtempSync(join(tmpdir(), "aldgate-image-"));
  try {
    execFileSync("sh", ["-euc", script], { cwd: folder, env: environment, stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return image;
}

/** The options with which the page runs an image: nothing but `/tmp` can be written. */
const confined = ["--rm", "--network=host", "--read-only", "--tmpfs=/tmp", "--cap-drop=all"];

/**
 * Starts a command of the image as its own user. `folders` can be read, and `data` can be written
 * too.
 */
export function startInImage(
  image: string,
  line: readonly string[],
  settings: Record<string, string>,
  { folders = [], data = [] }: { folders?: readonly string[]; data?: readonly string[] },
): Running {
  // the tests have written the files as another user than the image's
  for (const folder of folders) execFileSync("chmod", ["-R", "a+rX", folder]);
  const variables = Object.entries(settings).map(([name, value]) => `--env=${name}=${value}`);
  const mounts = [
    ...folders.map((folder) => `--volume=${folder}:${folder}:ro`),
    ...data.map((volume) => `--volume=${volume}`),
  ];
  const all = ["run", ...confined, ...mounts, ...variables, image, ...line];
  return startProgram("podman", all, { env: process.env });
}
