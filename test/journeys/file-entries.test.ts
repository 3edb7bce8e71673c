import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import type { PaymentContext } from "#src/bank/payment-context.ts";
import type { Bank, PaymentInstruction } from "#src/bank/port.ts";
import { present } from "#src/lib/assert.ts";
import type { ElementRule } from "#src/payments/files/xml-elements.ts";
import { pain001Document, pain001Namespace } from "#src/payments/pain-001/pain-001-elements.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import type { TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { ApiVersionId } from "#src/standard/api-version.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { storedInstructions } from "#test/payments/stored-orders.ts";
import { until } from "#test/until.ts";
import { approveKind } from "./approved-kind.ts";
import { kindSample } from "./kind-sample.ts";
import { nextMonday } from "./next-monday.ts";
import type { Resource } from "./payments.ts";

// What a core with `readsContext` hears about each payment of a file: everything that the file
// says, for each type of file that the bank takes.

let bank: TestBank;
let client: TppClient;
let account: { accountId: string; identification: string };
const heard = new Map<string, PaymentContext[]>();

before(async () => {
  bank = await openBank();
  client = await bank.createTpp();
  await bank.control("PUT", "/clock", { now: nextMonday(bank.clock.now()).toString() });
  account = present((await bank.currentAccounts("amara"))[0], "an account");
  const core = bank.bank as { -readonly [Name in keyof Bank]: Bank[Name] };
  const { reserve } = core;
  core.readsContext = true;
  core.reserve = (payments: PaymentInstruction[]) => {
    for (const { context } of payments) {
      if (!context) continue;
      const known = heard.get(context.orderId) ?? [];
      heard.set(context.orderId, [...known, context]);
    }
    return reserve.call(core, payments);
  };
});
after(() => bank?.close());

const kind = kindNamed("file-payment", paymentKinds);

type SentFile = { fileType: string; file: object | string; count: number; sum: number };

/** Orders the payments of a file, and returns what the core heard about each. */
async function entriesOf({ fileType, file, count, sum }: SentFile) {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  const version: ApiVersionId = fileType.endsWith("3.1") ? "pisp-v3.1" : "pisp-v4.0";
  const initiation = {
    FileType: fileType,
    FileHash: createHash("sha256").update(text).digest("base64"),
    NumberOfTransactions: String(count),
    ControlSum: sum,
  };
  const by = { customer: "amara", account: account.accountId };
  const approved = await approveKind({ bank, client }, kind, version, by, (sample) => {
    for (const { Data } of [sample.consent, sample.order])
      Object.assign(Data.Initiation, initiation);
    return { ...sample, file };
  });
  const made = await client.call<Resource>(approved);
  expectStatus(made, 201);
  const orderId = String(made.body.Data.FilePaymentId);
  await bank.advance("P35D");
  const contexts = await until(
    () => heard.get(orderId) ?? [],
    ({ length }) => length >= count,
  );
  return contexts
    .toSorted((one, other) => one.sequence - other.sequence)
    .map(({ entry }) => present(entry, "what the file says"));
}

const party = { Name: "Harbour Fish Ltd" };
const more = {
  "4.0": {
    UltimateCreditor: party,
    UltimateDebtor: { Name: "Amara Okafor Catering" },
    RemittanceInformation: {
      Unstructured: ["For the wedding on 4 May"],
      Structured: [
        { CreditorReferenceInformation: { Code: "SCOR", Reference: "RF18539007547034" } },
      ],
    },
  },
  "3.1": { RemittanceInformation: { Unstructured: "For the wedding", Reference: "INV-42" } },
};

/** The kinds of payments in a JSON file, by the names of their lists. */
const lists: Readonly<Record<string, PaymentKindId>> = {
  DomesticPayments: "domestic-payment",
  DomesticScheduledPayments: "domestic-scheduled-payment",
  InternationalPayments: "international-payment",
  InternationalScheduledPayments: "international-scheduled-payment",
};

for (const { fileType, payloads } of kind.fileFormats ?? []) {
  for (const list of payloads) {
    test(`the core hears every member of the ${list} of a ${fileType} file`, async () => {
      const version = fileType.endsWith("3.1") ? "pisp-v3.1" : "pisp-v4.0";
      const said = present(lists[list], list);
      const sample = kindSample(bank, kindNamed(said, paymentKinds), version);
      const initiations = [1, 2].map((n) => ({
        ...sample.consent.Data.Initiation,
        ...(said.startsWith("domestic") ? more[version === "pisp-v3.1" ? "3.1" : "4.0"] : {}),
        InstructionIdentification: `I-${n}`,
        EndToEndIdentification: `E-${n}`,
        // the rate of a payment in a file is that of its day
        ExchangeRateInformation: undefined,
      }));
      const sent = JSON.parse(JSON.stringify(initiations)) as Record<string, unknown>[];
      const amounts = sent.map((one) => (one.InstructedAmount as { Amount: string }).Amount);
      const sum = amounts.reduce((all, amount) => all + Number(amount), 0);
      const file = { Data: { [list]: sent } };
      assert.deepEqual(await entriesOf({ fileType, file, count: 2, sum }), sent);
    });
  }
}

/** Values that an element must have, by the end of its place. Others have a text of their own. */
const values: readonly (readonly [place: string, value: () => string])[] = [
  ["GrpHdr/CreDtTm", () => "2027-03-02T09:00:00Z"],
  ["NbOfTxs", () => "1"],
  ["CtrlSum", () => "1.00"],
  ["PmtMtd", () => "TRF"],
  ["ReqdExctnDt/Dt", () => bank.clock.now().toZonedDateTimeISO("UTC").toPlainDate().toString()],
  ["ReqdExctnDt/DtTm", () => bank.clock.now().toString({ smallestUnit: "second" })],
  ["DbtrAcct/Id/Othr/Id", () => account.identification],
  ["DbtrAcct/Id/Othr/SchmeNm/Prtry", () => "UK.OBIE.SortCodeAccountNumber"],
  ["CdtrAcct/Id/IBAN", () => "GB33BUKB20201555555555"],
  ["CdtrAgt/FinInstnId/BICFI", () => "BUKBGB22"],
  ["LclInstrm/Prtry", () => "UK.OBIE.FPS"],
  ["Amt/InstdAmt", () => "1.00"],
  ["Cdtr/PstlAdr/Ctry", () => "GB"],
];

// Of each pair, the other one is sent.
const choices: readonly string[] = ["DbtrAcct/Id/IBAN", "Amt/EqvtAmt"];

type Said = [place: string, text: string];

/** Writes an element with everything that its rule allows, and lists what that says. */
function write(rule: ElementRule, above: string, said: Said[]): string {
  const place = `${above}/${rule.name}`;
  if (choices.some((end) => place.endsWith(`/${end}`))) return "";
  const isMany = rule.need === "some" || rule.need === "any";
  const step = isMany ? `${place}[1]` : place;
  const tags = (inner: string, attributes = "") =>
    `<${rule.name}${attributes}>${inner}</${rule.name}>`;
  if (rule.opaque) {
    const texts = [1, 2].map((n) => `Text ${said.length}-${n}`);
    texts.forEach((text, n) => {
      said.push([`${step}/Inner${n === 0 ? "" : "[2]"}/Deep`, text]);
    });
    said.push([`${step}/Inner/@Cd`, "A"]);
    const [one, two] = texts;
    return tags(`<Inner Cd="A"><Deep>${one}</Deep></Inner><Inner><Deep>${two}</Deep></Inner>`);
  }
  if (rule.children) {
    return tags(rule.children.map((child) => write(child, step, said)).join("\n"));
  }
  const known = values.find(([end]) => step.replaceAll(/\[1\]/g, "").endsWith(`/${end}`));
  const text = known ? known[1]() : `Text ${said.length}`;
  said.push([step, text]);
  if (rule.name !== "InstdAmt") return tags(text);
  said.push([`${step}/@Ccy`, "GBP"]);
  return tags(text, ' Ccy="GBP"');
}

test("the core hears every element of a pain.001 file", async () => {
  const said: Said[] = [];
  const document = write(pain001Document, "", said);
  const file = document.replace("<Document>", `<Document xmlns="${pain001Namespace}">`);
  const fileType = "UK.OBIE.pain.001.001.08";
  const [entry] = await entriesOf({ fileType, file, count: 1, sum: 1 });
  const message = "/Document/CstmrCdtTrfInitn/";
  const group = `${message}PmtInf[1]/`;
  const transfer = `${group}CdtTrfTxInf[1]/`;
  const expected = said.flatMap(([place, text]) => {
    if (place.startsWith(transfer)) return [[place.slice(transfer.length), text]];
    if (place.startsWith(group)) return [[`../${place.slice(group.length)}`, text]];
    if (place.startsWith(`${message}GrpHdr`)) {
      return [[`../../${place.slice(message.length)}`, text]];
    }
    return []; // what is said about the whole file
  });
  assert.ok(expected.length > 100);
  assert.deepEqual(entry, Object.fromEntries(expected));
});

test("what a pain.001 file says about a group is stored once, and the core hears it with each payment", async () => {
  const said: Said[] = [];
  const document = write(pain001Document, "", said);
  const [, text] = said.find(([place]) => /PmtInf\[1\]\/Dbtr\/Id\/Inner\/Deep/.test(place)) ?? [];
  const long = "a".repeat(20_000);
  const file = document
    .replace("<Document>", `<Document xmlns="${pain001Namespace}">`)
    .replace(`>${text}<`, `>${long}<`)
    .replace(/<CdtTrfTxInf>.*<\/CdtTrfTxInf>/s, (transfer) => transfer.repeat(3))
    .replaceAll("<NbOfTxs>1<", "<NbOfTxs>3<")
    .replaceAll("<CtrlSum>1.00<", "<CtrlSum>3.00<");
  const entries = await entriesOf({
    fileType: "UK.OBIE.pain.001.001.08",
    file,
    count: 3,
    sum: 3,
  });
  for (const entry of entries) assert.equal(entry["../Dbtr/Id/Inner/Deep"], long);
  const stored = await storedInstructions(bank.database);
  assert.equal(stored.split(long).length - 1, 1, "the text is stored once");
});

test("a pain.001 file that says too much about one payment is refused, with the place", async () => {
  const said: Said[] = [];
  const document = write(pain001Document, "", said);
  const [, long] = said.find(([place]) => place.includes("CdtTrfTxInf[1]/Purp/Inner/Deep")) ?? [];
  const file = document
    .replace("<Document>", `<Document xmlns="${pain001Namespace}">`)
    .replace(`>${long}<`, `>${"a".repeat(40_000)}<`);
  const sent = entriesOf({ fileType: "UK.OBIE.pain.001.001.08", file, count: 1, sum: 1 });
  await assert.rejects(sent, /says more than 32768 characters about one payment.*Purp/s);
});
