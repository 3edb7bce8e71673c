import { configSchema } from "#src/config/config.ts";
import { renderReference } from "#src/config/reference.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { type Command, UsageError } from "./command.ts";
import { configOf } from "./load-config.ts";
import { optionsOnly, readOptions } from "./options.ts";

const isSecret = (key: string): boolean => /_(SECRET|TOKEN|DATA_KEYS)$/.test(key);

/** `./aldgate config` */
export const command: Command = {
  name: "config",
  summary: "prints the current configuration; --reference prints the page of all settings",
  usage: "  --reference   prints the reference page (docs/configuration.md) as Markdown",
  json: { "": ["settings"], "--reference": ["markdown"] },
  next: [
    ["start", "opens the bank with these settings"],
    ["migrate", "upgrades its database to the current schema"],
  ],
  async run(cli) {
    const { values, rest } = readOptions(cli.arguments, { reference: { type: "boolean" } });
    if (rest.length > 0) throw new UsageError(optionsOnly);
    if (values.reference) {
      const markdown = renderReference();
      return { lines: [markdown], json: { markdown } };
    }
    const settings: Record<string, string> = {};
    const config: Record<string, unknown> = configOf(cli.environment);
    for (const key of Object.keys(configSchema.properties)) {
      const value = config[key];
      if (value === undefined) continue;
      settings[key] = isSecret(key) ? "(set)" : masked(textOf(value));
    }
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
    return { lines, json: { settings } };
  },
};

/** Masks the password of a URL. */
function masked(value: string): string {
  const user = /:\/\/[^:/@]*:/.exec(value);
  const from = user ? user.index + user[0].length : value.length;
  const to = value.lastIndexOf("@");
  const shown = to > from ? `${value.slice(0, from)}…${value.slice(to)}` : value;
  return shown.replace(/([?&]password=)[^&]+/, "$1…");
}
