// The conformance kit: asks a core over HTTP one case after the other.
import type { CallGroup } from "#src/bank/port-calls.ts";
import { callRows, otherRows } from "#src/connector/operations.ts";
import { compileBody } from "#src/connector/read-body.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { accountCases } from "./account-cases.ts";
import { attachedCases } from "./attached-cases.ts";
import type { BankFile } from "./bank-file.ts";
import { curlOf, KitClient, type KitConnection, type KitExchange } from "./client.ts";
import { contractCases } from "./contract-cases.ts";
import { deadlineCases } from "./deadline-cases.ts";
import { doubtCases } from "./doubt-cases.ts";
import { CaseFailure, NotAsked } from "./expect.ts";
import { factCases } from "./fact-cases.ts";
import { whyLacking } from "./has-call.ts";
import { identityCases } from "./identity-cases.ts";
import { type CoreAbout, Kit } from "./kit.ts";
import type { FileMember, KitCase, KitGroup } from "./kit-case.ts";
import { moneyCases } from "./money-cases.ts";
import { privacyCases } from "./privacy-cases.ts";
import { refusalCases } from "./refusal-cases.ts";
import { restartCases } from "./restart-cases.ts";
import { serviceCases } from "./service-cases.ts";

/** Every group, in the order in which the cases run. */
export const kitGroups: readonly KitGroup[] = [
  contractCases,
  identityCases,
  accountCases,
  moneyCases,
  doubtCases,
  deadlineCases,
  factCases,
  privacyCases,
  restartCases,
  refusalCases,
  serviceCases,
  attachedCases,
];

/** The ids of the cases and of the groups. */
export const kitIds: ReadonlySet<string> = new Set(
  kitGroups.flatMap(({ id, cases }) => [id, ...cases.map((one) => one.id)]),
);

/** What became of a case. */
export type CaseResult = {
  id: string;
  title: string;
  group: string;
  operations: readonly string[];
  rule: string;
  result: "passed" | "failed" | "not asked";
  milliseconds: number;
  /** What the case has measured, or why it was not asked. */
  notes: string[];
  failure: { expected: string; came: string; curl: string | null } | null;
  exchanges: readonly KitExchange[];
};

/** How the kit runs. */
export type KitRun = KitConnection & {
  file: BankFile;
  deadlinesMs: Readonly<Record<CallGroup, number>>;
  /** Whether a case is run. */
  isWanted(one: KitCase, group: KitGroup): boolean;
  /** Runs a command of bank.json, and returns what it prints. */
  run(command: readonly string[]): Promise<string>;
  /** For what is random. */
  seed: number;
  onResult(result: CaseResult): void;
};

/** The core does not answer at all: the URL, or the connection, is wrong. */
export class NoCore extends Error {}

/** Runs the cases against a core, and returns their results and its name. Throws NoCore. */
export async function runKit(options: KitRun): Promise<{ all: CaseResult[]; core: string }> {
  const { file, isWanted, onResult } = options;
  const secrets = file.customers.map(({ password }) => password);
  const client = new KitClient(options, secrets);
  try {
    const about = await readAbout(client);
    const kit = new Kit({ ...options, client, about: about ?? { name: "", parts: [] } });
    const results: CaseResult[] = [];
    for (const group of kitGroups) {
      for (const one of group.cases) {
        if (!isWanted(one, group)) continue;
        const why = about ? whyNotAsked(kit, one, group) : whyWithoutAbout(one);
        const result = await runCase(kit, one, group, why);
        results.push(result);
        onResult(result);
      }
      if (about) await kit.cleanUp();
    }
    return { all: results, core: about?.name ?? "a core" };
  } finally {
    client.close();
  }
}

/** What the core says about itself; null if that does not fit the contract. Throws NoCore. */
async function readAbout(client: KitClient): Promise<CoreAbout | null> {
  const { method, path, answer } = otherRows.readAbout;
  const found = await client.send({ method, path, body: null, deadlineMs: 5_000 });
  if (found.status === null) throw new NoCore(`GET ${client.url}${path}: ${found.answer}`);
  try {
    const body: unknown = JSON.parse(found.answer);
    const { validator } = compileBody(answer);
    if (found.status === 200 && validator.Check(body)) return body as CoreAbout; // checked
  } catch {
    // it is not JSON: the first case says so
  }
  return null;
}

const whyWithoutAbout = (one: KitCase): string | null =>
  one.calls.includes("readAbout") ? null : "the answer to GET /about does not fit the contract";

/** Why a case is not asked; null if it is. */
function whyNotAsked({ about, file }: Kit, one: KitCase, group: KitGroup): string | null {
  const skipped = file.skip?.[one.id] ?? file.skip?.[group.id];
  if (skipped !== undefined) return `bank.json: ${skipped}`;
  for (const name of one.calls) {
    const why = whyLacking(about, name);
    if (why !== null) return why;
  }
  const missing = one.asks?.find((member) => !hasMember(file, member));
  return missing === undefined ? null : `bank.json has no ${missing}`;
}

const hasMember = (file: BankFile, member: FileMember): boolean =>
  ({ ...file.accounts, ...file })[member] !== undefined;

async function runCase(
  kit: Kit,
  one: KitCase,
  group: KitGroup,
  whyNot: string | null,
): Promise<CaseResult> {
  const { id, title, calls: operations, rule } = one;
  const { client } = kit;
  kit.notes = [];
  client.exchanges = [];
  const began = performance.now();
  let failure: CaseResult["failure"] = null;
  let why = whyNot;
  if (why === null) {
    try {
      await one.run(kit);
    } catch (error) {
      if (error instanceof NotAsked) why = error.message;
      else failure = failureOf(error, client);
    }
  }
  const result = why !== null ? "not asked" : failure ? "failed" : "passed";
  const milliseconds = performance.now() - began;
  const notes = why === null ? kit.notes : [why];
  const { exchanges } = client;
  const about = { id, title, group: group.name, operations, rule };
  return { ...about, result, milliseconds, notes, failure, exchanges };
}

function failureOf(error: unknown, client: KitClient): NonNullable<CaseResult["failure"]> {
  // balances are asked for before and after what a case is about
  const isAct = ({ path }: KitExchange): boolean => path !== callRows.loadFunds.path;
  const last = client.exchanges.findLast(isAct) ?? client.exchanges.at(-1);
  const curl = last ? curlOf(client.url, last) : null;
  if (error instanceof CaseFailure) return { expected: error.expected, came: error.came, curl };
  // a bug of the kit, or an answer that nobody has foreseen
  return { expected: "an answer that the kit can use", came: textOf(error), curl };
}
