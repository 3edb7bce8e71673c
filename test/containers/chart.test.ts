// The chart and the Containerfile in deploy/. Helm renders the chart where it is installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Ajv } from "ajv";
import { configSchema } from "#src/config/config.ts";
import { root } from "#test/cli/installed-package.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { chart, example, render, whyNoHelm } from "./chart.ts";
import { readValues } from "./read-values.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const templates = readdirSync(join(root, chart, "templates"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(yaml|tpl)$/.test(name))
  .map((name) => read(`${chart}/templates/${name}`))
  .join("\n");
const containerfile = read("deploy/Containerfile");
const schema = JSON.parse(read(`${chart}/values.schema.json`));
const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

type Values = Record<string, unknown>;
const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lays values over others, as Helm does. */
function merge(under: Values, over: Values): Values {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = under[key];
    return [key, isMap(below) && isMap(value) ? merge(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(merged) };
}

const defaults = readValues(read(`${chart}/values.yaml`));
const values = merge(defaults, readValues(example));

test("the chart accepts the values of its page, and not its defaults alone", () => {
  assert.ok(isValid(values), JSON.stringify(isValid.errors));
  assert.ok(!isValid(defaults));
});

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

test("the chart accepts the digest of an image", () => {
  assert.ok(isValid(merge(values, { image: { digest } })), JSON.stringify(isValid.errors));
});

const mistakes: Record<string, Values> = {
  "an unknown value": { replicaCount: 2 },
  "an unknown value of a part": { services: { typ: "ClusterIP" } },
  "an unknown setting": { settings: { MTLS_ULR: "https://tpp.bank.example" } },
  "a setting of the Secret": { settings: { COOKIE_SECRET: "x" } },
  "a password in a value": { settings: { DATABASE_URL: "postgres://a:b@c/d" } },
  "a setting that the chart sets": { settings: { MANAGEMENT_PORT: 9090 } },
  "a setting of a sandbox": { settings: { CLOCK_RATE: 60 } },
  "a list as a setting": { settings: { CLIENT_CA: ["a", "b"] } },
  "no Secret": { secret: "" },
  "a Secret's text in place of its name": { migration: { secret: "postgres://a:b@c/d" } },
  "a tag in the repository": { image: { repository: "registry.bank.example/aldgate:0.2.0" } },
  "a digest that is cut short": { image: { digest: "sha256:9f86d081884c7d65" } },
  "files of both a Secret and a ConfigMap": { files: [{ name: "a", secret: "b", configMap: "c" }] },
  "files of neither": { files: [{ name: "keys" }] },
  "no pods": { replicas: 0 },
  "a quantity of nothing": { resources: { requests: { cpu: "one" } } },
  "a time as text": { preStopSeconds: "10s" },
};
for (const [name, wrong] of Object.entries(mistakes)) {
  test(`the chart refuses ${name}`, () => {
    assert.ok(!isValid(merge(values, wrong)));
  });
}

test("each value of the chart has a description, and nothing else is allowed beside the values", () => {
  const lacking: string[] = [];
  const look = (place: string, { properties, items, ...own }: Values): void => {
    if (isMap(items)) look(`${place}[]`, items);
    if (!isMap(properties)) return;
    if (own.additionalProperties !== false) lacking.push(`${place}: additionalProperties`);
    for (const [name, property] of Object.entries(properties)) {
      const { description } = property as { description?: string };
      if (!description?.endsWith(".")) lacking.push(`${place}.${name}`);
      look(`${place}.${name}`, property as Values);
    }
  };
  look("", schema);
  assert.deepEqual(lacking, []);
});

/** Settings that no value of the chart may name, because they are elsewhere. */
const elsewhere = {
  "in the Secret": [
    ...["DATABASE_URL", "READ_DATABASE_URL", "COOKIE_SECRET", "ATTACHED_DATA_KEYS"],
    ...["CHANNELS_TOKEN", "BANK_TOKEN", "APP_TOKEN"],
  ],
  "set by the chart": [
    ...["ALDGATE_PROFILE", "PUBLIC_HOST", "PUBLIC_PORT", "MTLS_PORT"],
    ...["MANAGEMENT_HOST", "MANAGEMENT_PORT", "MANAGEMENT_HOSTS"],
  ],
  "of a sandbox": [
    ...["ALDGATE_DATA", "REQUEST_LOG_BODIES", "CLOCK_START", "CLOCK_RATE", "SANDBOX_HOSTS"],
    ...["SANDBOX_CONTROLS_NETWORKS", "SANDBOX_CONTROLS_TOKEN", "WORLDS_OPEN"],
    ...["WORLDS_IDLE_SECONDS", "WORLD_PORTS"],
  ],
};

test("each setting is a value of the chart, or is in the Secret, set by the chart or a sandbox's", () => {
  const named = [...schema.properties.settings.propertyNames.enum, ...Object.values(elsewhere)];
  assert.deepEqual(named.flat().toSorted(), Object.keys(configSchema.properties).toSorted());
  const set = [...templates.matchAll(/name: ([A-Z_]+)\b/g)].map(([, name]) => name);
  const own = set.filter((name) => name !== "UV_THREADPOOL_SIZE");
  assert.deepEqual(own.toSorted(), elsewhere["set by the chart"].toSorted());
});

test("the image and the chart agree on version, user, ports and options", () => {
  const { version, license } = JSON.parse(read("package.json"));
  const label = (name: string) => new RegExp(`image\\.${name}="(.*?)"`).exec(containerfile)?.[1];
  assert.deepEqual([label("version"), label("licenses")], [version, license]);
  assert.match(read(`${chart}/Chart.yaml`), new RegExp(`^version: ${version}\nappVersion`, "m"));
  const [, user] = /^USER (\d+):\1$/m.exec(containerfile) ?? [];
  const users = [...templates.matchAll(/(?:runAsUser|runAsGroup|fsGroup): (\d+)/g)];
  assert.deepEqual(
    users.map(([, one]) => one),
    [user, user, user],
  );
  const exposed = /^EXPOSE (.*)$/m.exec(containerfile)?.[1]?.split(" ");
  const named = [...templates.matchAll(/name: (\w+), containerPort: (\d+)/g)];
  assert.deepEqual(
    named.map(([, , port]) => port),
    exposed,
  );
  assert.deepEqual(
    named.map(([, name = "", port]) => `{ name: ${name.toUpperCase()}_PORT, value: "${port}" }`),
    [...templates.matchAll(/\{ name: \w+_PORT, value: "\d+" \}/g)].map(([text]) => text),
  );
  const { server, environment } = JSON.parse(read("scripts/node-options.json"));
  const line = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(containerfile)?.[1] ?? "[]");
  assert.deepEqual(line.slice(1, -1), server);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  assert.equal(/^ENV (.*)$/m.exec(containerfile)?.[1], variables.join(" "));
});

let bank: TestBank;
before(async () => {
  bank = await openBank();
});
after(() => bank?.close());

test("the management listener serves each path that the chart asks for", async () => {
  const paths = new Set([...templates.matchAll(/path: (\/[\w/]+)/g)].map(([, path = ""]) => path));
  assert.deepEqual([...paths].toSorted(), ["/health/live", "/health/ready", "/metrics"]);
  for (const path of paths) {
    const { status } = await fetch(`${bank.managementUrl}${path}`);
    assert.equal(status, 200, path);
  }
});

const skip = whyNoHelm;

test("Helm finds nothing wrong with the chart", { skip }, () => {
  const line = ["lint", "--strict", chart, "-f", "-"];
  const { status, stdout } = spawnSync("helm", line, { cwd: root, input: example });
  assert.equal(status, 0, String(stdout));
});

test("Helm gives the bank its settings as text, and the owner's role only to the migration", {
  skip,
}, () => {
  const rendered = render();
  assert.match(rendered, /name: PAYMENT_LIMIT\n +value: "25000000"/);
  const kinds = [...rendered.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
  assert.deepEqual(kinds.toSorted(), [
    ...["Deployment", "Job", "NetworkPolicy", "Pod", "PodDisruptionBudget"],
    ...["Service", "Service", "Service"],
  ]);
  const withOwner = rendered.split("\n---\n").filter((text) => text.includes("aldgate-owner"));
  assert.deepEqual(
    withOwner.map((text) => /^kind: (\w+)$/m.exec(text)?.[1]),
    ["Job"],
  );
});

test("Helm names the image by its release, and by its digest if there is one", { skip }, () => {
  const imagesOf = (...options: string[]): string[] =>
    [...render(...options).matchAll(/^ +image: "(.*)"$/gm)].map(([, image = ""]) => image);
  const { version } = JSON.parse(read("package.json"));
  const released = `registry.bank.example/aldgate:${version}`;
  assert.deepEqual(imagesOf(), [released, released, released]);
  const pinned = `${released}@${digest}`;
  assert.deepEqual(imagesOf("--set", `image.digest=${digest}`), [pinned, pinned, pinned]);
});

test("a pod has time to stop, whatever SHUTDOWN_SECONDS is", { skip }, () => {
  const seconds = (...options: string[]): number =>
    Number(/terminationGracePeriodSeconds: (\d+)/.exec(render(...options))?.[1]);
  assert.equal(seconds(), 10 + 4 * 10 + 50);
  assert.equal(seconds("--set", "settings.SHUTDOWN_SECONDS=60"), 10 + 4 * 60 + 50);
});

test("Helm adds the alerts and the dashboard of the examples", { skip }, () => {
  const monitoring = render(
    ...["--set", "monitoring.serviceMonitor=true"],
    ...["--set-file", "monitoring.alerts=examples/monitoring/alerts.yaml"],
    ...["--set-file", "monitoring.dashboard=examples/monitoring/dashboard.json"],
  );
  for (const kind of ["ServiceMonitor", "PrometheusRule", "ConfigMap"]) {
    assert.match(monitoring, new RegExp(`^kind: ${kind}$`, "m"));
  }
  const text = /aldgate\.json: (".*")$/m.exec(monitoring)?.[1] ?? "";
  assert.equal(JSON.parse(text), read("examples/monitoring/dashboard.json"));
});
