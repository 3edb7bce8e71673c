import { accountVersions } from "#src/accounts/account-versions.ts";
import { present } from "#src/lib/assert.ts";
import { type PaymentKind, servedKinds } from "#src/payments/kinds/payment-kind.ts";
import { type Command, UsageError } from "./command.ts";
import { receiveEvents } from "./demo-events.ts";
import { askAboutFunds } from "./demo-funds.ts";
import { payAndReadBack } from "./demo-payment.ts";
import { DemoScene, pathOf } from "./demo-scene.ts";
import { openStage } from "./demo-stage.ts";
import { readOptions, textOf } from "./options.ts";
import { listenForRedirects } from "./redirect-listener.ts";

/** The paths of account information by the names of the versions in them: `v3.1`. */
const aispVersions = new Map(
  accountVersions.map(({ api }) => [pathOf(api).split("/")[1] ?? "", pathOf(api)]),
);
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
    const [first, ...rest] = await cli.kinds();
    return [
      `  --kind KIND     ${first?.id} (default), or`,
      ...rest.map(({ id }) => `                  ${id}`),
      `  --aisp VERSION  reads the account back on ${aispNames.join(" (default) or ")}`,
      ...Object.entries(others).map(
        ([name, { about }]) => `  ${`--${name}`.padEnd(14)}  makes no payment: ${about}`,
      ),
      "  --browser       prints the link and waits for you to approve in a browser",
      "Uses the running bank. If no bank answers, opens one for the duration of the demo.",
    ].join("\n");
  },
  async run(cli) {
    const kinds = await cli.kinds();
    const { values } = readOptions(cli.arguments, {
      kind: { type: "string" },
      aisp: { type: "string" },
      cbpii: { type: "boolean" },
      events: { type: "boolean" },
      browser: { type: "boolean" },
    });
    const play = chooseJourney(values, kinds);
    const stage = await openStage(cli, kinds);
    const returns = values.browser ? await listenForRedirects() : null;
    const scene = new DemoScene(cli, stage.sandbox, returns);
    try {
      await play(scene);
      return 0;
    } catch (error) {
      cli.complain(`\nThe journey did not go as expected: ${(error as Error).message}`);
      return 1;
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
  kinds: readonly PaymentKind[],
): (scene: DemoScene) => Promise<void> {
  const [other, another] = Object.keys(others).filter((option) => values[option]);
  if (another) throw new UsageError(`Give either --${other} or --${another}, not both.`);
  if (other) {
    if (values.kind === undefined && values.aisp === undefined)
      return present(others[other], "the journey").play;
    throw new UsageError(`--${other} makes no payment. Leave out --kind and --aisp.`);
  }
  const name = textOf(values.kind) ?? kinds[0]?.id;
  // on its newest version
  const kind = kinds
    .filter(({ id }) => id === name)
    .flatMap(servedKinds)
    .at(-1);
  if (!kind) {
    throw new UsageError(`--kind must be one of ${kinds.map(({ id }) => id).join(", ")}.`);
  }
  const aispPath = aispVersions.get(textOf(values.aisp) ?? aispNames[0] ?? "");
  if (aispPath === undefined) {
    throw new UsageError(`--aisp must be one of ${aispNames.join(", ")}.`);
  }
  return (scene) => payAndReadBack(scene, { kind, aispPath });
}
