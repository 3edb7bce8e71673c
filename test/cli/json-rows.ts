import { fileURLToPath } from "node:url";

/** What the runs of the commands need. */
export type Names = {
  /** The folder and the client id of a TPP of `tpp create`, and of another of `tpp register`. */
  tpp: string;
  clientId: string;
  other: string;
  otherId: string;
  /** A new folder. */
  fresh: string;
  /** Consents that nobody has decided. */
  undecided: string;
  more: string[];
  /** The id of a logged request. */
  requestId: string;
  /** A file with a JSON body. */
  file: string;
  /** A file that `customers create` takes. */
  customer: string;
};

/** A command that is run with `--json`. */
type Run = {
  line(names: Names): string;
  /** The row of the command's `json` that says what it prints. */
  prints: string;
  /** 0 if it is left out. */
  code?: number;
  /** Settings in addition to those of the bank. */
  environment?: Record<string, string>;
};

const run = (prints: string, line: Run["line"], code = 0): Run => ({ prints, line, code });
const contract = "--types CVRP1 --purpose bills";

const secondCore = {
  BANK_MODULE: fileURLToPath(new URL("../second-bank/core.ts", import.meta.url)),
};

/** By command: what is run while no bank is open. */
export const withoutBank: Record<string, Run[]> = {
  migrate: [
    run("", () => "migrate"),
    run("--check", () => "migrate --check"),
    run("--plan", () => "migrate --plan"),
  ],
  seed: [run("", () => "seed --newest 5")],
  verify: [run("", () => "verify")],
  reconcile: [run("", () => "reconcile")],
  "facts load": [
    { ...run("", () => "facts load test/cli/one-party.jsonl"), environment: secondCore },
  ],
  "data export": [run("", () => "data export amara")],
  "data erase": [{ ...run("", () => "data erase c-1 --plan"), environment: secondCore }],
  config: [run("", () => "config"), run("--reference", () => "config --reference")],
  routes: [run("", () => "routes"), run("--reference", () => "routes --reference")],
  // it reads its file before it asks the core
  "bank test": [run("", () => "bank test http://127.0.0.1:1 --bank test/cli/no-bank.json", 2)],
  openapi: [run("", () => "openapi pisp-v4.0"), run("", () => "openapi sandbox-v1")],
};

/** By command: what is run against an open bank, in this order. */
export const withBank: Record<string, Run[]> = {
  collection: [run("", ({ fresh }) => `collection bruno ${fresh}/bruno`)],
  "tpp create": [run("", ({ fresh }) => `tpp create --out ${fresh}/created`)],
  "tpp register": [run("", ({ fresh }) => `tpp register ${fresh}/registered`)],
  "tpp token": [run("", ({ tpp }) => `tpp token ${tpp} payments`)],
  "tpp sign": [run("", ({ tpp, file }) => `tpp sign ${tpp} ${file}`)],
  "tpp lint": [
    run("", ({ other }) => `tpp lint ${other}/request.jws`),
    run("", ({ file }) => `tpp lint ${file}`, 1),
  ],
  "tpp authorise": [
    run("--link", ({ tpp, undecided }) => `tpp authorise ${tpp} ${undecided} accounts --link`),
    run("", ({ tpp, more }) => `tpp authorise ${tpp} ${more[0]} accounts`),
    run("--token", ({ tpp, more }) => `tpp authorise ${tpp} ${more[1]} accounts --token`),
  ],
  clients: [
    run("list", () => "clients"),
    run("list", () => "clients list"),
    run("show", ({ clientId }) => `clients show ${clientId}`),
    run("check", ({ otherId }) => `clients check ${otherId}`),
    run("", ({ clientId }) => `clients suspend ${clientId}`),
    run("", ({ clientId }) => `clients restore ${clientId}`),
    run(
      "add",
      ({ other }) => `clients add ${other}/statement.jwt --certificate ${other}/transport.pem`,
    ),
  ],
  keys: [run("list", () => "keys"), run("list", () => "keys list"), run("", () => "keys add")],
  "events list": [
    run("", () => "events list"),
    run("CLIENT_ID", ({ clientId }) => `events list ${clientId}`),
  ],
  "events resend": [run("", ({ clientId }) => `events resend ${clientId}`)],
  "vrp grant": [run("", ({ clientId }) => `vrp grant ${clientId} first ${contract}`)],
  "vrp contracts": [run("", () => "vrp contracts")],
  "vrp status": [run("", ({ clientId }) => `vrp status ${clientId} Active`)],
  "vrp metering": [
    run("", () => "vrp metering --month 2026-01"),
    run("--totals", () => "vrp metering --month 2026-01 --totals"),
  ],
  "vrp withdraw": [run("", ({ clientId }) => `vrp withdraw ${clientId} first`)],
  logs: [
    run("", () => "logs"),
    run("", () => "logs --limit 1"),
    run("ID", ({ requestId }) => `logs ${requestId}`),
  ],
  explain: [
    run("", ({ requestId }) => `explain ${requestId}`),
    run("", ({ undecided }) => `explain ${undecided}`),
  ],
  judge: [run("", ({ file }) => `judge ${file}`, 1)],
  robust: [
    run("list", () => "robust list"),
    run("", ({ clientId }) => `robust start ${clientId} --lasts 60`),
    run("", ({ clientId }) => `robust stop ${clientId}`, 1),
  ],
  "consents list": [run("", () => "consents list amara")],
  "consents show": [run("", ({ more }) => `consents show ${more[0]}`)],
  "consents stop": [
    run("", ({ more }) => `consents stop ${more[1]} --by bank --actor ops --reason fraud`),
  ],
  act: [run("", ({ more }) => `act revoke ${more[0]}`)],
  clock: [run("", () => "clock"), run("", () => "clock advance PT1S")],
  control: [
    run("", () => "control"),
    run("", () => "control listCustomerPayments amara"),
    run("", () => "control takeSnapshot none", 1),
  ],
  "payments stuck": [run("", () => "payments stuck")],
  "facts refused": [run("", () => "facts refused")],
  notices: [run("", () => "notices")],
  "notices skip": [run("", () => "notices skip ntc-none --actor ops --why none", 1)],
  customers: [
    run("list", () => "customers"),
    run("", ({ customer }) => `customers create ${customer}`),
    run("export", () => "customers export json"),
    run("export", ({ fresh }) => `customers export json --out ${fresh}-customer.json`),
    run("delete", () => "customers delete json"),
  ],
  worlds: [
    run("list", () => "worlds list"),
    run("", () => "worlds open json-test"),
    run("", () => "worlds show json-test"),
    run("delete", () => "worlds delete json-test"),
  ],
  verify: [run("", () => "verify")],
  demo: [run("", () => "demo --cbpii")],
  "tpp delete": [run("", ({ otherId }) => `tpp delete ${otherId}`)],
};

/** By command: those that run until they get a signal, except `start`. */
export const untilSignal: Record<string, (names: Names) => string> = {
  "bank serve": () => "bank serve --port 0",
  listen: ({ tpp }) => `listen ${tpp}`,
  "signing-service": ({ tpp }) => `signing-service --keys ${tpp} --port 0`,
};
