import { type Command, UsageError } from "./command.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

/** A change that the sandbox makes on command: what it needs, and what it says when it is done. */
type Trigger = {
  argument: string;
  about: string;
  run(s: SandboxClient, id: string): Promise<string>;
};

const triggers: Record<string, Trigger> = {
  "consent-revoked": {
    argument: "CONSENT_ID",
    about: "the customer withdraws a consent",
    run: async (sandbox, id) => `Consent ${id} is ${await sandbox.revokeConsent(id)}.`,
  },
};

/** `./aldgate trigger` */
export const command: Command = {
  name: "trigger",
  summary: "makes a change at a running sandbox that TPPs are notified of",
  usage: Object.entries(triggers)
    .map(([name, { argument, about }]) => `  ./aldgate trigger ${name} ${argument}    ${about}`)
    .join("\n"),
  async run(cli) {
    const [name = "", id, ...more] = cli.arguments;
    const trigger = Object.hasOwn(triggers, name) ? triggers[name] : undefined;
    if (!trigger) {
      throw new UsageError(`Name one of these changes: ${Object.keys(triggers).join(", ")}.`);
    }
    if (id === undefined || more.length > 0) throw new UsageError(`Give one ${trigger.argument}.`);
    cli.print(await trigger.run(configuredSandbox(cli), id));
    return 0;
  },
};
