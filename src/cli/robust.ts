import { setTimeout } from "node:timers/promises";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { type Command, type Result, rowOf, UsageError } from "./command.ts";
import { readOptions } from "./options.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

const seconds = ["lasts", "patience", "slow", "retryAfter"] as const;
const lookMs = 1000;

type Asked = {
  robust: SandboxClient["robust"];
  clientId: string;
  names: string[];
  settings: Record<string, number>;
};

/** What the command does with a TPP. */
const acts: Record<string, (asked: Asked) => Promise<RobustReport>> = {
  start: ({ robust, clientId, names, settings }) =>
    robust.open(clientId, { ...settings, ...(names.length > 0 ? { names } : {}) }),
  report: ({ robust, clientId }) => robust.report(clientId),
  stop: ({ robust, clientId }) => robust.end(clientId),
};

/** `./aldgate robust` */
export const command: Command = {
  name: "robust",
  summary: "misbehaves towards a TPP as real banks do, and reports how the TPP coped",
  usage: [
    "  ./aldgate robust list",
    "  ./aldgate robust start CLIENT_ID [NAME…]     plays everything, or the NAMEs from `list`",
    "  ./aldgate robust report CLIENT_ID",
    "  ./aldgate robust stop CLIENT_ID",
    "      --wait            waits until the run has ended",
    "      --lasts N         seconds until the run ends; 900 by default",
    "      --patience N      seconds that the client has to react; 20 by default",
    "      --slow N          seconds by which slow answers are late; 8 by default",
    "      --retryAfter N    seconds in Retry-After; 2 by default",
    "The exit code is 1 if the client paid twice, gave up or was at risk, or coped with nothing.",
    "While a run is open, the exit code is 0.",
    "After `start`, let the TPP do its usual work in a loop.",
  ].join("\n"),
  json: {
    list: ["misbehaviours"],
    "": "the report, as `GET /sandbox/v1/tpps/{clientId}/misbehaviours` returns it",
  },
  next: [
    ["robust report CLIENT_ID", "shows how the TPP has coped so far"],
    ["logs --client CLIENT_ID", "shows what the TPP has sent"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, {
      ...Object.fromEntries(seconds.map((name) => [name, { type: "string" as const }])),
      wait: { type: "boolean" },
    });
    const [act = "", clientId, ...names] = rest;
    if (act === "list" && clientId === undefined) return list();
    const run = rowOf(acts, act, "Say list, start, report or stop.");
    if (clientId === undefined || (act !== "start" && names.length > 0)) {
      throw new UsageError("Give one client id.");
    }
    const { robust } = configuredSandbox(cli);
    let report = await run({ robust, clientId, names, settings: settingsOf(values) });
    while (values.wait === true && report.state === "running") {
      await setTimeout(lookMs);
      report = await robust.report(clientId);
    }
    const exitCode = report.state === "running" || report.isRobust ? 0 : 1;
    return { lines: reportLines(report), json: report, exitCode };
  },
};

function settingsOf(values: Record<string, string | boolean | undefined>): Record<string, number> {
  const given = seconds.filter((name) => values[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => {
      if (!/^\d{1,5}$/.test(String(values[name]))) {
        throw new UsageError(`--${name} must be a number of seconds.`);
      }
      return [name, Number(values[name])];
    }),
  );
}

function list(): Result {
  const shown = misbehaviours.map(({ name, title, plays, touches, robust }) => ({
    name,
    title,
    plays,
    touches,
    robust,
  }));
  const lines = shown.map(({ name, plays }) => `${name.padEnd(26)}${plays}`);
  return { lines, json: { misbehaviours: shown } };
}

function reportLines({ clientId, state, endsAt, summary, rows }: RobustReport): string[] {
  const counts = Object.entries(summary).filter(([, count]) => count > 0);
  const said =
    counts.map(([verdict, count]) => `${count} ${verdict}`).join(", ") || "no verdict yet";
  return [
    ...rows.flatMap(({ name, state: row, verdict, seen, advice }) => [
      `${name.padEnd(26)}${(verdict ?? row).padEnd(18)}${seen ?? ""}`.trimEnd(),
      ...(advice === null ? [] : [`  ${advice}`]),
    ]),
    "",
    state === "running"
      ? `The run on ${clientId} ends at ${endsAt}: ${said}.`
      : `The run on ${clientId} has ended: ${said}.`,
  ];
}
