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

/** A state that an account can be given. */
export type AccountState = keyof typeof states;

/**
 * Blocks, closes, switches or opens an account, as a bank would. The state applies from the next
 * request on. Throws SandboxRefusal: 404 for an unknown account, 409 for switching an account that
 * is not a current account.
 */
export async function setAccountState(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  state: AccountState,
): Promise<AccountState> {
  const { status, isSwitched } = states[state];
  const now = clock.now();
  await database.transaction(async (on) => {
    // an invalid id is treated as an unknown id
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
  return state;
}
