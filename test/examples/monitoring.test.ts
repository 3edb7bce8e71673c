import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestBank } from "#test/harness.ts";
import {
  openOver,
  type SecondBank,
  startSecondBank,
  tellingPath,
} from "#test/second-bank/second-bank.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

type Metric = { type: string; labels: Set<string> };

let second: SecondBank;
let bank: TestBank;
let metrics: Map<string, Metric>;
before(async () => {
  second = await startSecondBank();
  bank = await openOver(second, { BANK_MODULE: tellingPath });
  await fetch(`${bank.publicUrl}/health/ready`);
  const text = await (await fetch(`${bank.managementUrl}/metrics`)).text();
  metrics = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [
      name,
      { type, labels: new Set(["le", "quantile"]) },
    ]),
  );
  for (const [, name = "", given = ""] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    for (const [, label = ""] of given.matchAll(/(\w+)="/g)) familyOf(name)?.labels.add(label);
  }
});
after(async () => {
  await bank?.close();
  await second?.close();
});

/** The metric to which a time series belongs: a histogram has several. */
function familyOf(series: string): Metric | undefined {
  const stem = series.replace(/_(bucket|count|sum)$/, "");
  const found = metrics.get(series);
  return found ?? (metrics.get(stem)?.type === "histogram" ? metrics.get(stem) : undefined);
}

type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };

const expressions = (): [where: string, text: string][] => {
  const { panels } = JSON.parse(read("examples/monitoring/dashboard.json")) as {
    panels: Panel[];
  };
  const shown = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  );
  const alerts = read("examples/monitoring/alerts.yaml").split("- alert: ").slice(1);
  return [
    ...shown,
    ...alerts.map((text): [string, string] => [
      text.split("\n", 1)[0] ?? "",
      text.slice(text.indexOf("expr:"), text.indexOf("annotations:")),
    ]),
  ];
};

test("every metric of the alerts and the dashboard exists, and a counter is read as a rate", () => {
  const all = expressions();
  assert.ok(all.length > 30, `${all.length} expressions`);
  for (const [where, text] of all) {
    const named = [...text.matchAll(/(rate\()?\b(aldgate_\w+)/g)];
    assert.ok(named.length > 0, where);
    for (const [, rate, name = ""] of named) {
      const family = familyOf(name);
      assert.ok(family, `${where}: the bank has no metric ${name}`);
      assert.equal(rate !== undefined, ["counter", "histogram"].includes(family.type), name);
    }
  }
});

test("every metric of an alert is raised by a test", () => {
  const tests = globSync("test/**/*.test.ts", { cwd: root })
    .filter((path) => !path.endsWith("monitoring.test.ts"))
    .map(read);
  for (const [where, text] of expressions()) {
    if (!where.startsWith("Aldgate")) continue;
    const [, name = ""] = /\b(aldgate_\w+?)(?:_count|_bucket)?\b/.exec(text) ?? [];
    assert.ok(
      tests.some((one) => one.includes(name)),
      `${where}: no test looks at ${name}`,
    );
  }
});

test("every label by which the alerts and the dashboard select and group exists", () => {
  // these series appear with their first event
  const atFirstEvent = new Set(["status", "api", "cause", "code", "source", "cluster", "way"]);
  for (const [where, text] of expressions()) {
    const [, name = ""] = /\b(aldgate_\w+)/.exec(text) ?? [];
    const labels = [
      ...[...text.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list = ""]) => list.split(/, ?/)),
      ...[...text.matchAll(/[{,](\w+)=/g)].map(([, label = ""]) => label),
    ];
    for (const label of labels) {
      const isKnown = familyOf(name)?.labels.has(label) || atFirstEvent.has(label);
      assert.ok(isKnown, `${where}: ${name} has no label ${label}`);
    }
  }
});

test("each alert says what is wrong, and names a page that exists", () => {
  const alerts = read("examples/monitoring/alerts.yaml").split("- alert: ").slice(1);
  assert.ok(alerts.length > 10);
  for (const text of alerts) {
    assert.match(text, /summary: [A-Z{].*\.\n/, text);
    const [, page = ""] = /page: (\S+)/.exec(text) ?? [];
    assert.ok(existsSync(join(root, page)), page);
  }
});
