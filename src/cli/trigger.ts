import type { AccountState } from "#src/sandbox/controls/account-states.ts";
import { type Command, UsageError } from "./command.ts";
import { configuredSandbox, type SandboxClient } from "./sandbox-client.ts";

/** A change that the sandbox makes on command: what it needs, and what it says when it is done. */
type Trigger = {
  argument: string;
  about: string;
  run(s: SandboxClient, id: string): Promise<string>;
};

/** A change of an account's state. */
const accountTrigger = (state: AccountState, about: string): Trigger => ({
  argument: "ACCOUNT_ID",
  about,
  async run(sandbox, id) {
    const answer = await sandbox.setAccountState(id, { state });
    return `Account ${answer.accountId} is ${answer.state}.`;
  },
});

const triggers: Record<string, Trigger> = {
  "consent-revoked": {
    argument: "CONSENT_ID",
    about: "the customer withdraws a consent",
    run: async (sandbox, id) => `Consent ${id} is ${await sandbox.revokeConsent(id)}.`,
  },
  "account-closed": accountTrigger("closed", "the customer closes an account"),
  "account-switched": accountTrigger("switched", "an account moves to another bank"),
  "account-blocked": accountTrigger("blocked", "the bank blocks an account"),
  "account-open": accountTrigger("open", "the bank opens an account again"),
};

/** `./aldgate trigger` */
export const command: Command = {
  name: "trigger",
  summary: "makes a change in a running sandbox that causes an event for TPPs",
  usage: Object.entries(triggers)
    .map(
      ([name, { argument, about }]) =>
        `  ./aldgate trigger ${`${name} ${argument}`.padEnd(29)}  ${about}`,
    )
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
