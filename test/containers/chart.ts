import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { present } from "#src/lib/assert.ts";
import { root } from "#test/cli/installed-package.ts";

/** The folder of the Helm chart. */
export const chart = "deploy/helm/aldgate";

/** The values with which docs/containers.md installs the chart. */
export const example = present(
  /```yaml\n(image:[\s\S]*?)```/.exec(readFileSync(join(root, "docs/containers.md"), "utf8"))?.[1],
  "the page's values",
);

/** Why Helm cannot render the chart here; false if it can. */
export const whyNoHelm: string | false =
  spawnSync("helm", ["version"]).status === 0 ? false : "helm is absent";

/** Renders the chart with the values of its page, and with others. */
export function render(...options: string[]): string {
  const all = ["template", "bank", chart, "--kube-version", "1.34.0", "-f", "-", ...options];
  const run = spawnSync("helm", all, { cwd: root, input: example, encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout;
}

/** The settings of the pods in which the values of the chart cannot be those of a test. */
const ports = ["PUBLIC_PORT", "MTLS_PORT", "MANAGEMENT_PORT"];

/**
 * Lists the variables that a bank with these settings has in a pod of the chart: those that the
 * chart renders, and the others from its Secret. Only the ports are the test's own.
 */
export function variablesOfPod(settings: Record<string, string>): Record<string, string> {
  const { properties } = JSON.parse(readFileSync(join(root, chart, "values.schema.json"), "utf8"));
  const isValue = (name: string): boolean => properties.settings.propertyNames.enum.includes(name);
  const values = Object.entries(settings).filter(([name]) => isValue(name));
  const given = JSON.stringify(Object.fromEntries(values));
  const rendered = render("--set-json", `settings=${given}`);
  const pod = present(/^kind: Deployment$[\s\S]*?^---$/m.exec(rendered)?.[0], "the Deployment");
  const variables = [
    ...pod.matchAll(/\{ name: ([A-Z_]+), value: (.*) \}|name: ([A-Z_]+)\n +value: (.*)/g),
  ].map(([, short, inBraces, name = short, text = inBraces ?? ""]) => [
    String(name),
    text.startsWith('"') ? String(JSON.parse(text)) : text,
  ]);
  const fromSecret = Object.entries(settings).filter(
    ([name]) => !isValue(name) && name !== "ALDGATE_DATA",
  );
  const own = fromSecret.filter(([name]) => ports.includes(name));
  return Object.fromEntries([...fromSecret, ...variables, ...own]);
}
