import { accountVersions } from "#src/accounts/account-versions.ts";
import { present } from "#src/lib/assert.ts";
import { type ServedKind, servedKinds } from "#src/payments/definitions/payment-kind.ts";
import type { OfferedKind } from "#src/server/examples/example.ts";
import { listOperations } from "#src/server/routes/list-operations.ts";
import { versionName } from "#src/standard/api-version.ts";
import { type Command, UsageError } from "./command.ts";
import { receiveEvents } from "./demo-events.ts";
import { askAboutFunds } from "./demo-funds.ts";
import { payAndReadBack } from "./demo-payment.ts";
import { DemoScene } from "./demo-scene.ts";
import { openStage } from "./demo-stage.ts";
import { optionsOnly, profileOf, profileUsage, readOptions, textOf } from "./options.ts";
import { DemoFailed } from "./plain-fault.ts";
import { listenForRedirects } from "./redirect-listener.ts";

/** The versions of account information by their names. */
const aispVersions = new Map(accountVersions.map(({ api }) => [versionName(api), api]));
const aispNames = [...aispVersions.keys()];

/** The journeys without a payment, by their options. */
const others: Record<string, { about: string; play(scene: DemoScene): Promise<void> }> = {
  cbpii: {
    about: "a card issuer asks whether an account has enough money",
    play: askAboutFunds,
  },
  events: {
    about: "a TPP is notified of withdrawn consents, at a URL and by polling",
    play: receiveEvents,
  },
};

/** The values of the options. */
type Values = Readonly<Record<string, string | boolean | undefined>>;

/** `./aldgate demo`, and what `npm run demo` runs. */
export const command: Command = {
  name: "demo",
  summary: "runs the whole journey: consent, approval, payment, settlement, account read back",
  async usage(cli) {
    const kinds = await cli.kinds();
    const [first, ...rest] = kinds;
    const pispNames = [...new Set(kinds.flatMap(versionsOf))].toSorted().join(" or ");
    return [
      `  --kind KIND     ${first?.id} (default; the next if the bank does not offer it), or`,
      ...rest.map(({ id }) => `                  ${id}`),
      `  --pisp VERSION  pays on ${pispNames} (default: the latest that serves the kind)`,
      `  --aisp VERSION  reads the account back on ${aispNames.join(" (default) or ")}`,
      ...Object.entries(others).map(
        ([name, { about }]) => `  ${`--${name}`.padEnd(14)}  makes no payment: ${about}`,
      ),
      `  --profile NAME  ${profileUsage}`,
      "  --browser       prints the link and waits for you to approve in a browser",
      "Uses the running bank. If no bank answers, opens one for the duration of the demo.",
    ].join("\n");
  },
  hasItems: true,
  json: {
    "":
      "each step: {step, title, sent, received}; the link of --browser: {authorizationUrl, " +
      "login, password, account?}; what the bank does not offer: {leftOut, why}; at the end: " +
      "{done, clock}",
  },
  next: [
    ["logs", "lists the requests of the demo"],
    ["tpp create --out DIR", "registers your own TPP"],
  ],
  async run(cli) {
    const kinds = await cli.kinds();
    const { values, rest } = readOptions(cli.arguments, {
      kind: { type: "string" },
      pisp: { type: "string" },
      aisp: { type: "string" },
      cbpii: { type: "boolean" },
      events: { type: "boolean" },
      profile: { type: "string" },
      browser: { type: "boolean" },
    });
    if (rest.length > 0) throw new UsageError(optionsOnly);
    const play = chooseJourney(values, kinds);
    const profile = profileOf(values.profile);
    const stage = await openStage(cli, kinds);
    const returns = values.browser ? await listenForRedirects() : null;
    const scene = new DemoScene(cli, stage.sandbox, {
      profile,
      returns,
      operations: listOperations(kinds),
    });
    try {
      await play(scene);
      scene.tellEnd();
      return { lines: [], json: null };
    } catch (error) {
      throw new DemoFailed(`\nThe journey did not go as expected: ${(error as Error).message}`);
    } finally {
      scene.close();
      returns?.close();
      await stage.close();
    }
  },
};

/** The journey that the options ask for. Throws UsageError if there is no such journey. */
function chooseJourney(
  values: Values,
  kinds: readonly OfferedKind[],
): (scene: DemoScene) => Promise<void> {
  const [other, another] = Object.keys(others).filter((option) => values[option]);
  if (another) throw new UsageError(`Give either --${other} or --${another}, not both.`);
  if (other) {
    if (["kind", "pisp", "aisp"].every((option) => values[option] === undefined))
      return present(others[other], "the journey").play;
    throw new UsageError(`--${other} makes no payment. Leave out --kind, --pisp and --aisp.`);
  }
  const name = textOf(values.kind) ?? kinds[0]?.id;
  const chosen = kinds.find(({ id }) => id === name);
  if (!chosen) {
    const ids = kinds.map(({ id }) => id);
    throw new UsageError(`--kind must be one of ${ids.join(", ")}.`, ids);
  }
  const names = versionsOf(chosen);
  const version = textOf(values.pisp) ?? names.at(-1);
  const kind = servedIn(chosen, version);
  if (!kind) throw new UsageError(`--pisp must be ${names.join(" or ")} for ${chosen.id}.`, names);
  const aisp = aispVersions.get(textOf(values.aisp) ?? aispNames[0] ?? "");
  if (aisp === undefined) {
    throw new UsageError(`--aisp must be one of ${aispNames.join(", ")}.`, aispNames);
  }
  if (values.kind !== undefined) return (scene) => payAndReadBack(scene, { kinds: [kind], aisp });
  const wanted = textOf(values.pisp);
  const next = kinds
    .filter((one) => one !== chosen)
    .flatMap((one) => servedIn(one, wanted ?? versionsOf(one).at(-1)) ?? []);
  return (scene) => payAndReadBack(scene, { kinds: [kind, ...next], aisp });
}

/** A kind in a version; undefined if that does not serve it. */
const servedIn = (
  kind: OfferedKind,
  version: string | undefined,
): ServedKind<OfferedKind> | undefined =>
  servedKinds(kind).find(({ format }) => versionName(format.version) === version);

/** The names of the versions that serve a kind, oldest first. */
const versionsOf = (kind: OfferedKind): string[] =>
  servedKinds(kind).map(({ format }) => versionName(format.version));
