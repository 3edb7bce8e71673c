import { type Tokens, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BenchBank } from "./bank.ts";
import type { Load } from "./load.ts";
import { type RegisteredTpp, registerTpp } from "./register-tpp.ts";

/** The first page of an account's transactions, with a token that may read it. */
export type ReadablePage = Pick<Load, "port" | "path" | "headers"> & { accountId: string };

const customer = "amara";
const permissions = [
  "ReadAccountsDetail",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
];

/** A TPP that may read a customer's accounts. Its tokens are not bound to a certificate. */
export type Reader = Pick<RegisteredTpp, "tpp" | "customers"> & {
  consentId: string;
  tokens: Tokens;
};

/**
 * Authorises a new TPP to read a customer's accounts. It calls only the public interface and the
 * sandbox's controls, so the bank may also be one of an earlier commit.
 */
export async function authoriseReader(
  bank: Pick<BenchBank, "publicUrl" | "mtlsUrl">,
): Promise<Reader> {
  const { publicUrl, mtlsUrl } = bank;
  const { tpp, customers, control } = await registerTpp(bank, "AISP");
  const client = new TppClient({ publicUrl, mtlsUrl, operations: [] }, tpp);
  const lodged = await client.call<{ Data: { ConsentId: string } }>({
    path: "/v4.0/aisp/account-access-consents",
    token: await client.clientToken("accounts"),
    body: { Data: { Permissions: permissions }, Risk: {} },
  });
  if (lodged.status !== 201) throw new Error(`no consent: ${lodged.status} ${lodged.raw}`);
  const { ConsentId: consentId } = lodged.body.Data;
  const { redirectUrl } = await control<{ redirectUrl: string }>("/authorisations", {
    authorizationUrl: await client.authorizationUrl({ scope: "accounts", consentId }),
    customer,
    decision: "approve",
  });
  const tokens = await client.exchangeCode(redirectUrl);
  client.close();
  return { tpp, customers, consentId, tokens };
}

/**
 * Authorises a new TPP to read a customer's accounts, and returns the first page of one of them.
 * The public listener takes its token.
 */
export async function readablePage(bank: BenchBank): Promise<ReadablePage> {
  const { customers, tokens } = await authoriseReader(bank);
  const [account] = customers.find(({ login }) => login === customer)?.accounts ?? [];
  if (!account) throw new Error(`the bank has no account of ${customer}`);
  const { accountId } = account;
  return {
    accountId,
    port: Number(new URL(bank.publicUrl).port),
    path: `/api/open-banking/v4.0/aisp/accounts/${accountId}/transactions`,
    headers: { authorization: `Bearer ${tokens.access_token}` },
  };
}
