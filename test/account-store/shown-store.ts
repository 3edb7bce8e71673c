import { createAccountFeed } from "#src/account-store/account-feed.ts";
import { openEmpty } from "#test/sandbox/bank/empty-bank.ts";
import { shownFacts } from "#test/second-bank/shown-facts.ts";

/** Opens a store with the facts that every resource shows, and its feed. */
export async function openShownStore() {
  const database = await openEmpty();
  const feed = createAccountFeed(database);
  await feed.apply(shownFacts);
  return { database, feed };
}
