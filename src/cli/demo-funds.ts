import { fundsVersions } from "#src/funds/funds-versions.ts";
import { assert, present } from "#src/lib/assert.ts";
import { textOf } from "#src/lib/plain-text.ts";
import { pathOf } from "#src/sandbox/test-tpp/tpp-client.ts";
import { type CreatedResource, type DemoScene, simpleAccount } from "./demo-scene.ts";

const scope = "fundsconfirmations";

/**
 * A card issuer asks whether an account has the money for two purchases, then ends its consent. It
 * uses the newest version of the API.
 */
export async function askAboutFunds(scene: DemoScene): Promise<void> {
  const { api } = present(fundsVersions.at(-1), "a version");
  const base = pathOf(api);
  if (!(await scene.canDo("the questions of a card issuer", api, "/funds-confirmations"))) return;
  const customer = present((await scene.chooseCustomers())[0], "a customer");
  const { schemeName, identification, currency } = simpleAccount(customer);
  const client = await scene.register();
  const ours = await scene.ownToken(client, scope);
  const consent = await scene.call<CreatedResource>(
    client,
    "It asks to check an account's funds",
    201,
    {
      path: `${base}/funds-confirmation-consents`,
      token: ours,
      body: {
        Data: { DebtorAccount: { SchemeName: schemeName, Identification: identification } },
      },
    },
  );
  const consentId = textOf(consent.body.Data.ConsentId);
  const { access_token: theirs } = await scene.approve(client, scope, consentId, customer, "none");
  const ask = (what: string, status: number, reference: string, amount: string) =>
    scene.call<CreatedResource>(client, what, status, {
      path: `${base}/funds-confirmations`,
      token: theirs,
      body: {
        Data: {
          ConsentId: consentId,
          Reference: reference,
          InstructedAmount: { Amount: amount, Currency: currency },
        },
      },
    });
  const coffee = await ask("Is there enough for a coffee?", 201, "Coffee", "3.20");
  assert(coffee.body.Data.FundsAvailable === true, "there is enough money for a coffee");
  const house = await ask("Is there enough for a house?", 201, "House", "9999999.00");
  assert(house.body.Data.FundsAvailable === false, "there is not enough money for a house");
  const path = `${base}/funds-confirmation-consents/${consentId}`;
  await scene.call(client, "It ends its consent", 204, { path, token: ours, method: "DELETE" });
  await ask("Its token is no longer valid", 401, "Tea", "2.80");
  scene.cli.print(
    "\nDone: the bank answered only yes or no. Since the consent has ended, the bank",
  );
  scene.cli.print("does not answer any more questions.");
}
