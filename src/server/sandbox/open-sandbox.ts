import { join } from "node:path";
import type { Addresses } from "#src/config/addresses.ts";
import { clockBeginning } from "#src/config/clock-beginning.ts";
import type { Clock } from "#src/lib/clock.ts";
import { approvalPath } from "#src/pages/app.ts";
import { purgeSandboxChallenges } from "#src/sandbox/bank/challenges.ts";
import { purgePasskeys } from "#src/sandbox/bank/passkeys.ts";
import { createSandboxBank, type SandboxBank } from "#src/sandbox/bank/sandbox-bank.ts";
import { makeDueStatements } from "#src/sandbox/bank/statements.ts";
import { relyingPartyOf } from "#src/sandbox/bank/webauthn.ts";
import { createGate } from "#src/sandbox/controls/gate.ts";
import { ensureDirectory } from "#src/sandbox/directory/directory.ts";
import { tppRoles } from "#src/sandbox/directory/roles.ts";
import { listOwnCustomers } from "#src/sandbox/own-data/import-customer.ts";
import { listPersonas } from "#src/sandbox/personas/list-personas.ts";
import { isOutcomeUser, mishapOf, usesApp } from "#src/sandbox/personas/outcome-users.ts";
import { seedPersonas } from "#src/sandbox/personas/seed-personas.ts";
import { createAssessments } from "#src/sandbox/scenarios/assessments.ts";
import { checkedPayees } from "#src/sandbox/scenarios/payee-scenarios.ts";
import { hasFirmRates, provokedOutcome, schemeAnswer } from "#src/sandbox/scenarios/scenarios.ts";
import { beginSandboxClock } from "#src/sandbox/time/clock.ts";
import { createSurroundings } from "#src/sandbox/time/surroundings.ts";
import type { Core } from "#src/server/opening/load-bank.ts";
import type { Sandbox, SandboxOptions } from "#src/server/parts.ts";
import type { Database } from "#src/storage/database.ts";
import { guardSandbox, registerSandbox } from "./register-sandbox.ts";
import { sandboxHome } from "./sandbox-home.ts";

// The parts that only a sandbox has. This file opens its customers, clock, bank and directory.
// register-sandbox.ts serves the directory and the controls. sandbox-home.ts describes the sandbox
// on the home page.

const redirectUris = ["http://localhost:7878/callback", "https://tpp.example/callback"];
const wanted = [
  {
    name: "ready",
    displayName: "Ready TPP",
    about: "As in production: mutual TLS, and tokens bound to its certificate.",
    tokenEndpointAuthMethod: "tls_client_auth" as const,
    certificateBound: true,
  },
  {
    name: "explorer",
    displayName: "Explorer TPP",
    about: "Its tokens work with plain curl, but only from this machine.",
    tokenEndpointAuthMethod: "private_key_jwt" as const,
    certificateBound: false,
  },
];

/** The behaviour of the sandbox bank: the simulated scheme follows the scenarios. */
export const scenarioBank = {
  scheme: schemeAnswer,
  provoked: provokedOutcome,
  mishapOf,
  payees: checkedPayees,
  hasFirmRates,
};

const openOwnBank = ({ config, database, publicUrl }: SandboxOptions, clock: Clock): SandboxBank =>
  createSandboxBank({
    database,
    clock,
    bankName: config.BANK_NAME,
    assessments: createAssessments(clock),
    ...scenarioBank,
    app: { isUsedBy: usesApp, urlOf: (id) => `${publicUrl}${approvalPath(id)}` },
    party: relyingPartyOf(publicUrl),
  });

/** Opens the sandbox: customers, clock, bank, directory and the ready TPPs. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { config, database, clock: machineClock, publicUrl, onProgress } = options;
  const gate = createGate({ ...config, publicUrl, mtlsUrl: options.mtlsUrl });
  const clock = await beginSandboxClock(database, machineClock, clockBeginning(config));
  // a core's customers are not the sandbox's
  if (!options.loadCore) await seedPersonas(database, { now: clock.now(), onProgress });
  const core = (await options.loadCore?.(clock)) ?? null;
  onProgress("Preparing keys and certificates");
  const folder = join(config.ALDGATE_DATA, "keys");
  const directory = await ensureDirectory({
    folder,
    database,
    clock: machineClock,
    bankClock: clock,
    publicUrl,
    hosts: hostsOf(options),
    ...(options.generateKey ? { generateKey: options.generateKey } : {}),
  });
  const readyTpps = await Promise.all(
    wanted.map(async ({ name, displayName, about, ...how }) => ({
      name: displayName,
      about,
      folder: join(folder, "tpps", name),
      tpp: await directory.ensureReadyTpp(name, {
        name: displayName,
        roles: [...tppRoles],
        redirectUris,
        ...how,
      }),
    })),
  );
  const surroundings = createSurroundings(database, clock.now);
  // process what fell due while the bank was closed, before anyone can see it
  await surroundings.drain();
  const { personas, customers, shown } = customersOf(core, database);
  const ownBank = openOwnBank(options, clock);
  const sandbox: Sandbox = {
    clock,
    bank: core?.bank ?? (await options.reachBank?.(ownBank)) ?? ownBank,
    answerInApp: core ? null : ownBank.answerInApp,
    passkeys: core ? null : ownBank.passkeys,
    core,
    directory,
    keys: {
      server: directory.server,
      clientCa: directory.caPem,
      cookieSecret: directory.cookieSecret,
    },
    personas,
    customers,
    readyTpps,
    hints: hintsOf(clock, { customers, shown }, core?.testCode ?? ownBank.codeOf),
    home: async () => sandboxHome(options, await shown(), readyTpps),
    gate,
    guard: (parts) => guardSandbox(parts, gate),
    register: (parts, auth, root) => registerSandbox({ ...parts, sandbox, root }, auth),
    surroundings,
    async sweep() {
      // first: what belongs to a month is booked before it is closed
      await surroundings.drain();
      await makeDueStatements(database, clock.now());
      await purgeSandboxChallenges(database, clock.now());
      await purgePasskeys(database, clock.now());
      await directory.renew();
    },
    stop: () => clock.stop(),
  };
  return sandbox;
}

function customersOf(core: Core | null, database: Database) {
  const personas = core ? core.testCustomers : listPersonas();
  const customers = async () => [...personas, ...(core ? [] : await listOwnCustomers(database))];
  return {
    personas,
    customers,
    // the scenarios page lists the others
    shown: async () => (await customers()).filter(({ login }) => !isOutcomeUser(login)),
  };
}

function hintsOf(
  { moves }: Sandbox["clock"],
  { customers, shown }: Pick<ReturnType<typeof customersOf>, "customers" | "shown">,
  codeOf: Sandbox["hints"]["codeOf"],
): Sandbox["hints"] {
  return {
    logins: async () =>
      (await shown()).map(({ login, password, name }) => ({ login, password, name })),
    codeOf,
    moves,
    customerOf: async (wanted) =>
      (await customers()).find(({ login }) => login === wanted)?.customerId ?? null,
  };
}

const hostsOf = ({ publicUrl, mtlsUrl }: Addresses): string[] => [
  ...new Set(["localhost", "127.0.0.1", new URL(publicUrl).hostname, new URL(mtlsUrl).hostname]),
];
