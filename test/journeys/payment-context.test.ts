import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PaymentContext } from "#src/bank/payment-context.ts";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { PaymentKind } from "#src/payments/definitions/payment-kind.ts";
import { loadOrder } from "#src/payments/order/payment-order.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { kindNamed } from "#src/standard/kind-id.ts";
import { readConsent } from "#test/consents/stored-rows.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { until } from "#test/until.ts";
import { type ApprovedKind, type Approver, approveKind, consentDevice } from "./approved-kind.ts";
import type { Sample } from "./kind-sample.ts";
import { nextMonday } from "./next-monday.ts";
import { lodgeAccess, type Resource } from "./payments.ts";

// What a core with `readsContext` hears when it reserves a payment: everything that the TPP said,
// the TPP, and the customers who approved it.

let bank: TestBank;
let client: TppClient;
let single: string;
let joint: string;
const heard = new Map<string, PaymentContext>();

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  single = present((await bank.currentAccounts("amara"))[0], "an account").accountId;
  const dev = (await bank.customers()).find(({ login }) => login === "dev");
  const account = dev?.accounts.find(({ signatoriesRequired }) => signatoriesRequired === 2);
  joint = present(account, "an account that two must sign for").accountId;
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { reserve } = core;
  core.readsContext = true;
  core.reserve = (payments: PaymentInstruction[]) => {
    for (const { context } of payments) {
      if (context?.sequence === 1) heard.set(context.orderId, context);
    }
    return reserve.call(core, payments);
  };
});
after(() => bank?.close());

const versions = ["pisp-v3.1", "pisp-v4.0"] as const satisfies ApiVersionId[];
const pathIn = (version: ApiVersionId, rest: string): string =>
  `/${version.replace("pisp-", "")}/pisp/${rest}`;

/** What a TPP may say besides the reference's example, by version. */
const party = { Name: "Harbour Fish Ltd" };
const risk = {
  PaymentContextCode: "FaceToFacePointOfSale",
  MerchantCategoryCode: "5812",
  MerchantCustomerIdentification: "053598653254",
  DeliveryAddress: {
    BuildingNumber: "27",
    StreetName: "Acacia Avenue",
    TownName: "Sparsholt",
    PostCode: "GU31 2ZZ",
    Country: "GB",
  },
};

function enrich(sample: Sample, kind: PaymentKind, version: ApiVersionId): Sample {
  const isPlain = kind.id === "domestic-payment" || kind.id === "domestic-scheduled-payment";
  if (!isPlain) return sample;
  const { Data } = sample;
  const more =
    version === "pisp-v4.0"
      ? {
          RemittanceInformation: {
            Unstructured: ["For the wedding on 4 May"],
            Structured: [
              {
                ReferredDocumentInformation: [{ Code: "CINV", Number: "INV-42" }],
                CreditorReferenceInformation: { Code: "SCOR", Reference: "RF18539007547034" },
              },
            ],
          },
          UltimateCreditor: party,
          UltimateDebtor: { Name: "Amara Okafor Catering" },
        }
      : { RemittanceInformation: { Unstructured: "For the wedding", Reference: "INV-42" } };

  return { ...sample, Data: { ...Data, Initiation: { ...Data.Initiation, ...more } }, Risk: risk };
}

/** Every member of a body that is not an object or an array, by its path. */
function leavesOf(value: unknown, path = ""): [path: string, value: unknown][] {
  if (value === null || typeof value !== "object") return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}/${name}`));
}

// the members of an order within limits that say how it came about
const usePaths = {
  "/Data/VRPType": "type",
  "/Data/PSUAuthenticationMethod": "authentication",
  "/Data/PSUInteractionType": "interaction",
} as const;

/** The headers by which the TPP names the customer's device when it sends an order. */
const orderDevice = {
  "x-fapi-customer-ip-address": "2001:db8::7",
  "x-customer-user-agent": "Mozilla/5.0 (Order)",
};

const deviceOf = (headers: typeof orderDevice) => ({
  ipAddress: headers["x-fapi-customer-ip-address"],
  userAgent: headers["x-customer-user-agent"],
});

type Made = Pick<ApprovedKind, "consentId" | "consent" | "order"> & { orderId: string };

/** Lets a customer approve the example of a kind, and orders it. */
async function pay(
  kind: PaymentKind,
  version: ApiVersionId,
  by: Approver = { customer: "amara", account: single },
  headers: Record<string, string> = orderDevice,
): Promise<Made> {
  const approved = await approveKind({ bank, client }, kind, version, by, (sample) => ({
    ...sample,
    consent: enrich(sample.consent, kind, version),
    order: enrich(sample.order, kind, version),
  }));
  const made = await client.call<Resource>({ ...approved, headers });
  expectStatus(made, 201);
  return { ...approved, orderId: String(made.body.Data[kind.orderIdField]) };
}

const contextOf = async (orderId: string): Promise<PaymentContext> =>
  present(
    await until(
      async () => heard.get(orderId),
      (context) => context !== undefined,
    ),
    "the context of the payment",
  );

for (const kind of paymentKinds) {
  for (const version of versions.filter((each) => each in kind.formats)) {
    describe(`${kind.id} on ${version}`, () => {
      let made: Made;
      let context: PaymentContext;
      before(async () => {
        made = await pay(kind, version);
        if (kind.timing.when !== "immediate") await bank.advance("P35D");
        context = await contextOf(made.orderId);
      });

      test("the core hears every member of the consent and of the order", () => {
        const { sent } = context;
        assert.equal(sent.apiVersion, version);
        const said = new Map(leavesOf(sent.consent));
        const ordered = new Map(leavesOf(sent.order ?? {}));
        const members = leavesOf({ Data: made.consent.Data, Risk: made.consent.Risk ?? {} });
        assert.ok(members.length > 3);
        for (const [path, value] of members) assert.equal(said.get(path), value, path);
        for (const [path, value] of leavesOf(made.order)) {
          if (path === "/Data/ConsentId") continue;
          const use = usePaths[path as keyof typeof usePaths];
          const known = use ? context.use?.[use] : (ordered.get(path) ?? said.get(path));
          assert.equal(known, value, path);
        }
      });

      test("the core hears the customer's device at the consent and at the order", () => {
        assert.deepEqual(context.sent.devices, {
          consent: deviceOf(consentDevice),
          order: deviceOf(orderDevice),
        });
      });

      test("the core hears the order, its consent, its TPP and who approved it", () => {
        const { tpp, approvedBy } = context;
        assert.deepEqual(
          [context.consentId, context.kind, context.sequence],
          [made.consentId, kind.id, 1],
        );
        assert.equal(tpp.clientId, client.tpp.clientId);
        assert.ok(tpp.organisationName && tpp.softwareName && tpp.organisationId);
        assert.equal(approvedBy.length, 1);
        assert.match(approvedBy[0]?.customerId ?? "", /./);
        assert.deepEqual(approvedBy[0]?.authentication?.amr, ["pwd", "otp", "mfa"]);
        assert.equal(approvedBy[0]?.authentication?.acr, "urn:openbanking:psd2:sca");
      });
    });
  }
}

test("an order that two must sign names both, in the order in which they approved", async () => {
  const kind = present(
    paymentKinds.find(({ id }) => id === "domestic-payment"),
    "the kind",
  );
  const { orderId } = await pay(kind, "pisp-v4.0", { customer: "dev", account: joint });
  await bank.control("POST", `/multi-authorisations/${orderId}`, { decision: "approve" });
  const { approvedBy } = await contextOf(orderId);
  assert.equal(approvedBy.length, 2);
  assert.ok(approvedBy[0]?.authentication);
  assert.equal(approvedBy[1]?.authentication, null);
  assert.notEqual(approvedBy[0]?.customerId, approvedBy[1]?.customerId);
});

const devices: Record<string, { headers: Record<string, string>; heard: object | null }> = {
  "names none": { headers: {}, heard: null },
  "names an address that is none": {
    headers: { "x-fapi-customer-ip-address": "not an address" },
    heard: null,
  },
  "names an address with a long zone": {
    headers: { "x-fapi-customer-ip-address": `fe80::1%${"z".repeat(200)}` },
    heard: null,
  },
  "names only the address, with spaces": {
    headers: { "x-fapi-customer-ip-address": " 198.51.100.23 " },
    heard: { ipAddress: "198.51.100.23", userAgent: null },
  },
  "names a browser that is too long": {
    headers: { "x-customer-user-agent": "m".repeat(600) },
    heard: { ipAddress: null, userAgent: "m".repeat(512) },
  },
};

for (const [name, { headers, heard: expected }] of Object.entries(devices)) {
  test(`A-008, A-009: if the request of an order ${name}, the core hears what is valid of it`, async () => {
    const kind = kindNamed("domestic-payment", paymentKinds);
    const by = { customer: "amara", account: single };
    const { orderId } = await pay(kind, "pisp-v4.0", by, headers);
    const { sent } = await contextOf(orderId);
    assert.deepEqual(sent.devices?.order, expected);
  });
}

const hearers = ["assess", "assessOrder", "readsContext"] as const;
type Hearer = (typeof hearers)[number];

// which calls hear of which request's device
const hearing: Record<"none" | Hearer, Record<"access" | "consent" | "order", boolean>> = {
  none: { access: false, consent: false, order: false },
  assess: { access: true, consent: true, order: false },
  assessOrder: { access: false, consent: true, order: true },
  readsContext: { access: false, consent: true, order: true },
};

const untilPaid = (kind: PaymentKind, orderId: string) =>
  until(
    async () => {
      const token = await client.clientToken("payments");
      const path = pathIn("pisp-v4.0", `${kind.id}s/${orderId}`);
      return (await client.call<Resource>({ path, token })).body.Data.Status;
    },
    (status) => status === "ACCC",
  );

for (const [hearer, stored] of Object.entries(hearing)) {
  test(`a device is stored only if the core hears of it; of ${hearers.join(", ")} it has ${hearer}`, async () => {
    const kind = kindNamed("domestic-payment", paymentKinds);
    const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
    const { assess, assessOrder } = core;
    const allow = async () => ({ result: "allow" as const });
    const calls = { assess: allow, assessOrder: allow, readsContext: true };
    for (const name of hearers) delete core[name];
    if (hearer !== "none") Object.assign(core, { [hearer]: calls[hearer as Hearer] });
    try {
      const accessId = await lodgeAccess(client, {}, orderDevice);
      const { orderId } = await pay(kind, "pisp-v4.0");
      await untilPaid(kind, orderId);
      assert.equal(heard.has(orderId), hearer === "readsContext");
      const { terms, consentTerms } = present(await loadOrder(bank.database, orderId), "the order");
      const access = (await readConsent(bank.database, accessId)).device !== null;
      const consent = consentTerms.device !== undefined;
      assert.deepEqual({ access, consent, order: terms.device !== undefined }, stored);
    } finally {
      Object.assign(core, { assess, assessOrder, readsContext: true });
    }
  });
}
