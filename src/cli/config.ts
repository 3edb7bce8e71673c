import { configSchema } from "#src/config/config.ts";
import { renderReference } from "#src/config/reference.ts";
import { textOf } from "#src/lib/plain-text.ts";
import type { Command } from "./command.ts";
import { configOf } from "./load-config.ts";

const secrets = new Set(["COOKIE_SECRET"]);

/** `./aldgate config` */
export const command: Command = {
  name: "config",
  summary: "prints the current configuration; --reference prints the page of all settings",
  usage: "  --reference   the reference page (docs/configuration.md) as Markdown",
  async run(cli) {
    if (cli.arguments.includes("--reference")) {
      cli.print(renderReference());
      return 0;
    }
    const config: Record<string, unknown> = configOf(cli.environment);
    for (const key of Object.keys(configSchema.properties)) {
      const value = config[key];
      if (value === undefined) continue;
      cli.print(`${key}=${secrets.has(key) ? "(set)" : masked(textOf(value))}`);
    }
    return 0;
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
