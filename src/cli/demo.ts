import { accountVersions } from "#src/accounts/account-versions.ts";
import { type PaymentKind, servedKinds } from "#src/payments/kinds/payment-kind.ts";
import { type Command, UsageError } from "./command.ts";
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

/** The values of the options. */
type Values = { [Name in "kind" | "aisp" | "cbpii"]?: string | boolean };

/** `./aldgate demo`, and what `npm run demo` runs. */
export const command: Command = {
  name: "demo",
  summary: "runs the whole journey: consent, approval, payment, settlement, account read back",
  async usage(cli) {
    const [first, ...others] = await cli.kinds();
    return [
      `  --kind KIND     ${first?.id} (default), or`,
      ...others.map(({ id }) => `                  ${id}`),
      `  --aisp VERSION  reads the account back on ${aispNames.join(" (default) or ")}`,
      "  --cbpii         makes no payment: a card issuer asks whether an account has enough money",
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
  if (values.cbpii) {
    if (values.kind === undefined && values.aisp === undefined) return askAboutFunds;
    throw new UsageError("--cbpii makes no payment. Leave out --kind and --aisp.");
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
