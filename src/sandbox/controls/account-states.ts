import Type, { type Static } from "typebox";
import { applyChanges } from "#src/account-store/feed.ts";
import { loadAccountFact } from "#src/account-store/load-account-fact.ts";
import type { Clock } from "#src/lib/clock.ts";
import type { Database } from "#src/storage/database.ts";
import { SandboxRefusal } from "./sandbox-refusal.ts";

const states = {
  open: { status: "Enabled", isSwitched: false },
  blocked: { status: "Disabled", isSwitched: false },
  closed: { status: "Deleted", isSwitched: false },
  switched: { status: "Deleted", isSwitched: true },
} as const;

/** Body of a request to change what state an account is in. */
export const accountStateRequest = Type.Object(
  {
    state: Type.Union(
      (Object.keys(states) as (keyof typeof states)[]).map((state) => Type.Literal(state)),
      {
        description:
          "`blocked` and `closed` remove the account from every consent; `open` restores it. " +
          "`switched` " +
          "closes a current account that has gone to another bank, and its SwitchStatus says so.",
      },
    ),
  },
  { additionalProperties: false },
);
/** Body that answers it. */
export const accountStateAnswer = Type.Object({
  accountId: Type.String(),
  state: accountStateRequest.properties.state,
  since: Type.String({ format: "date-time" }),
});
/** What becomes of an account. */
export type AccountStateRequest = Static<typeof accountStateRequest>;
/** An account's state as the sandbox tells it. */
export type AccountStateAnswer = Static<typeof accountStateAnswer>;

/**
 * Blocks, closes, switches or opens an account, as the bank would: from the next request on it is
 * paid from, paid to and read accordingly. Throws SandboxRefusal: 404 for an unknown account, 409
 * for switching what is no current account.
 */
export async function setAccountState(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  { state }: AccountStateRequest,
): Promise<AccountStateAnswer> {
  const { status, isSwitched } = states[state];
  const now = clock.now();
  await database.transaction(async (on) => {
    // what cannot be an id is as unknown as any
    const account = await loadAccountFact(on, /^[\w-]{1,64}$/.test(accountId) ? accountId : "");
    if (!account) throw new SandboxRefusal(404, `There is no account "${accountId}".`);
    if (isSwitched && account.accountSubType !== "CurrentAccount") {
      throw new SandboxRefusal(409, "Only a current account can be switched.");
    }
    const version = account.version + 1n;
    await applyChanges(on, {
      accounts: [{ ...account, version, status, isSwitched, statusUpdatedAt: now }],
    });
  });
  return { accountId, state, since: now.toString() };
}
