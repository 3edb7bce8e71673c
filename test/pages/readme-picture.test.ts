// Makes the picture of README.md from the pages as they are: `npm run picture` writes it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import { openBank, type TestBank } from "#test/harness.ts";
import { type Customer, type Customers, openCustomers } from "#test/journeys/customer.ts";
import { lodgeAccess } from "#test/journeys/payments.ts";
import { domesticConsent } from "#test/payments/fixture.ts";

const phone = { width: 390, height: 900 };
const frame = { width: 1320, height: 1000 };
const sharpness = 2;

let bank: TestBank;
let customers: Customers;
let tpp: TppClient;
before(async () => {
  [bank, customers] = await Promise.all([openBank({ BANK_NAME: "Harbour Bank" }), openCustomers()]);
  const redirectUris = [customers.redirectUri];
  tpp = await bank.createTpp({ name: "Ledgerline Money", redirectUris });
});
after(async () => {
  await customers?.close();
  await bank?.close();
});

async function lodgePayment(): Promise<string> {
  const body = domesticConsent(({ Data }) => {
    Data.Initiation.InstructedAmount.Amount = "84.50";
    Data.Initiation.CreditorAccount.Name = "Hawthorne Books";
    Data.Initiation.RemittanceInformation = { Unstructured: ["Order 2044"] };
  });
  const path = "/v4.0/pisp/domestic-payment-consents";
  const token = await tpp.clientToken("payments");
  const answer = await tpp.call<{ Data: { ConsentId: string } }>({ path, token, body });
  assert.equal(answer.status, 201, answer.raw.toString());
  return answer.body.Data.ConsentId;
}

const shoot = async ({ page }: Customer): Promise<string> => {
  // the hints of the sandbox are for developers, and a bank in production has none
  await page.locator("aside.sandbox").evaluateAll((hints) => {
    for (const hint of hints) (hint as unknown as { remove(): void }).remove();
  });
  return (await page.screenshot()).toString("base64");
};

async function shootPages(): Promise<string[]> {
  const arrive = () => customers.arrive({ viewport: phone, deviceScaleFactor: sharpness });
  const amara = await arrive();
  const consentId = await lodgePayment();
  await amara.open(await tpp.authorizationUrl({ scope: "payments", consentId }));
  await amara.login("amara");
  const code = (await amara.page.locator("aside.sandbox code").textContent()) ?? "";
  const confirm = await shoot(amara);
  await amara.enterCode(code);
  await amara.goOn();
  const [account] = await bank.currentAccounts("amara");
  await amara.mark(account?.accountId ?? "");
  const choose = await shoot(amara);
  const access = await lodgeAccess(tpp);
  await bank.approve(tpp, { scope: "accounts", consentId: access, customer: "amara" });
  const own = await arrive();
  await own.open(`${bank.publicUrl}/bank`);
  await own.login("amara");
  await own.factor();
  await own.page.getByText("Manage").first().click();
  return [confirm, choose, await shoot(own)];
}

const page = (shots: readonly string[]): string => `<!doctype html><style>
  body { margin: 0; width: ${frame.width}px; height: ${frame.height}px; display: flex;
    align-items: center; justify-content: center; gap: 36px; background: #e7efe9 }
  img { width: ${phone.width}px; height: ${phone.height}px; border-radius: 28px;
    box-shadow: 0 0 0 8px #17322a, 0 18px 40px rgb(0 0 0 / 25%) }
  </style>${shots.map((shot) => `<img alt="" src="data:image/png;base64,${shot}">`).join("")}`;

test("the pages of README's picture fit a phone, and the picture shows three of them", async () => {
  const shots = await shootPages();
  assert.equal(new Set(shots).size, 3);
  const { page: sheet } = await customers.arrive({
    viewport: frame,
    deviceScaleFactor: sharpness,
  });
  await sheet.setContent(page(shots));
  const widths = await sheet
    .locator("img")
    .evaluateAll((all) =>
      all.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
    );
  assert.deepEqual(
    widths,
    shots.map(() => phone.width * sharpness),
  );
  const path = process.env.ALDGATE_PICTURE;
  const picture = await sheet.screenshot();
  if (path !== undefined) writeFileSync(path, picture);
});
