import assert from "node:assert/strict";
import { type AccountsBank, everything } from "./fixture.ts";
import { accountOf, type SeededAccount } from "./seeded-bank.ts";

/** An item of a response. */
export type Item = Record<string, unknown>;

/** Returns tokens for one account, with every Detail permission and with Basic permissions only. */
export async function tokensFor(
  bank: AccountsBank,
  { accountId, customerId }: SeededAccount,
): Promise<{ detail: string; basic: string }> {
  const accountIds = [accountId];
  const permissions = everything.map((code) => code.replace(/Detail$/, "Basic"));
  const { token: detail } = await bank.addConsent({ customerId, accountIds });
  const { token: basic } = await bank.addConsent({ customerId, accountIds, permissions });
  return { detail, basic };
}

/**
 * Reads the only item of a resource, from the path of one account and from that of all accounts.
 * Returns it without its AccountId. Everything else in it must be the same.
 */
export async function readOnlyItem(
  bank: AccountsBank,
  { accountId, path, name }: { accountId: string; path: string; name: string },
  token: string,
): Promise<Item> {
  const shown: Item[] = [];
  for (const url of [`/accounts/${accountId}${path}`, path || "/accounts"]) {
    const { status, text, body } = await bank.get(url, token);
    assert.equal(status, 200, text);
    assert.equal(body.Data[name].length, 1, text);
    const { AccountId: _, ...item } = body.Data[name][0];
    shown.push(item);
  }
  const [one = {}, ofAll] = shown;
  assert.deepEqual(ofAll, one);
  return one;
}

/** Reads the items of the persona's account with this nickname, with every Detail permission. */
export async function readPersona(
  bank: AccountsBank,
  [login, nickname]: [login: string, nickname: string],
  path: string,
  name: string,
): Promise<Item[]> {
  const { accountId, customerId } = await accountOf(bank, login, nickname);
  const { token } = await bank.addConsent({ customerId, accountIds: [accountId] });
  return (await bank.get(`/accounts/${accountId}${path}`, token)).body.Data[name];
}
