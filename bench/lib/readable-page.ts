import { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { BenchBank } from "./bank.ts";
import type { Load } from "./load.ts";
import { registerTpp } from "./register-tpp.ts";

/** The first page of an account's transactions, with a token that may read it. */
export type ReadablePage = Pick<Load, "port" | "path" | "headers"> & { accountId: string };

const customer = "amara";
const permissions = [
  "ReadAccountsDetail",
  "ReadTransactionsDetail",
  "ReadTransactionsCredits",
  "ReadTransactionsDebits",
];

/**
 * Authorises a new TPP to read a customer's accounts. It calls only the public interface and the
 * sandbox's controls, so the bank may also be one of an earlier commit. The token is bound to the
 * consent but not to a certificate, so the public listener takes it.
 */
export async function readablePage(bank: BenchBank): Promise<ReadablePage> {
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
  const { access_token: token } = await client.exchangeCode(redirectUrl);
  client.close();
  const [account] = customers.find(({ login }) => login === customer)?.accounts ?? [];
  if (!account) throw new Error(`the bank has no account of ${customer}`);
  const { accountId } = account;
  return {
    accountId,
    port: Number(new URL(publicUrl).port),
    path: `/api/open-banking/v4.0/aisp/accounts/${accountId}/transactions`,
    headers: { authorization: `Bearer ${token}` },
  };
}
