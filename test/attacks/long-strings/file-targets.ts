import { createHash, randomUUID } from "node:crypto";
import { present } from "#src/lib/assert.ts";
import type { ServedKind } from "#src/payments/definitions/payment-kind.ts";
import { sampleNames } from "#src/server/examples/reference-samples.ts";
import type { Shot } from "#test/attacks/fuzz/shot.ts";
import { type Actor, type Body, kinds, type World } from "#test/attacks/fuzz/world.ts";
import { transferAbroad } from "#test/payments/files/abroad-samples.ts";
import { json31, json40, pain } from "#test/payments/files/fixture.ts";
import { sampleXml } from "#test/payments/files/samples.ts";
import type { Target } from "./target.ts";
import { listTexts, withText } from "./texts.ts";

type Written = { name: string; write(text: string): string };

const groups: Readonly<Record<string, string>> = {
  "domestic-payment": "DomesticPayments",
  "domestic-scheduled-payment": "DomesticScheduledPayments",
  "international-payment": "InternationalPayments",
  "international-scheduled-payment": "InternationalScheduledPayments",
};

/** Every text of a payment in a JSON file of a version, whatever its kind. */
function jsonMembers(
  { samples }: World,
  version: ServedKind["format"]["version"]["id"],
): Written[] {
  const members = new Map<string, Written>();
  for (const kind of kinds) {
    const group = groups[kind.id];
    if (kind.format.version.id !== version || group === undefined) continue;
    const body = present(samples[version], "its samples")[sampleNames(kind).consent] as Body;
    for (const path of listTexts(kind.format.schemas.initiation)) {
      const name = path.join("/");
      const write = (text: string): string => {
        const payment = withText(structuredClone(body.Data.Initiation), path, text);
        return JSON.stringify({ Data: { [group]: [payment] } });
      };
      members.set(name, { name, write });
    }
  }
  return [...members.values()];
}

const xml = sampleXml({
  groups: [
    {
      payments: [
        { localInstrument: "UK.OBIE.CHAPS" },
        {
          amount: "100.00",
          xml: transferAbroad({
            amount: '<InstdAmt Ccy="EUR">100.00</InstdAmt>',
            terms:
              "<XchgRateInf><UnitCcy>GBP</UnitCcy><XchgRate>1.1</XchgRate><RateTp>AGRD</RateTp>" +
              "<CtrctId>C-1</CtrctId></XchgRateInf><ChrgBr>SHAR</ChrgBr>",
            agent:
              "<BICFI>DEUTDEFF</BICFI><Nm>Bank</Nm>" +
              "<PstlAdr><StrtNm>Street</StrtNm><Ctry>DE</Ctry><AdrLine>Line</AdrLine></PstlAdr>",
            creditor:
              "<PstlAdr><PstCd>1</PstCd><TwnNm>Town</TwnNm><CtrySubDvsn>A</CtrySubDvsn>" +
              "<Ctry>DE</Ctry></PstlAdr>",
            account: "<IBAN>DE89370400440532013000</IBAN>",
          }),
        },
      ],
    },
  ],
});

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** Every text of an element and every attribute of a pain.001 file, and the file as a whole. */
const xmlMembers = (): Written[] => [
  ...[...xml.matchAll(/<(\w+)[^<>]*>([^<>]+)<\/|(\w+)="([^"]*)"/g)].map((match) => {
    const [found, element, content, attribute, value = content ?? ""] = match;
    const at = match.index + found.lastIndexOf(value);
    return {
      name: `${element ?? attribute}/${at}`,
      write: (text: string) => xml.slice(0, at) + escaped(text) + xml.slice(at + value.length),
    };
  }),
  { name: "whole", write: (text) => text },
  { name: "element", write: (text) => xml.replace("<GrpHdr>", () => `<GrpHdr>${text}`) },
];

/** Every text in a file of each type. Each string has a consent of its own, for the file's hash. */
export function fileTargets(world: World): Target[] {
  const actor = present(world.actors[0], "a TPP");
  return [
    ...jsonMembers(world, "pisp-v4.0").map((one) => uploadTarget(actor, json40, one)),
    ...jsonMembers(world, "pisp-v3.1").map((one) => uploadTarget(actor, json31, one)),
    ...xmlMembers().map((one) => uploadTarget(actor, pain, one)),
  ];
}

const uploadTarget = (actor: Actor, fileType: string, { name, write }: Written): Target => ({
  name: `Upload of ${fileType} file ${name}`,
  route: "POST /api/open-banking/v4.0/pisp/file-payment-consents/:ConsentId/file",
  isBody: true,
  async make(text): Promise<Shot> {
    const { client } = actor;
    const file = Buffer.from(write(text));
    const token = await actor.clientToken("payments");
    const FileHash = createHash("sha256").update(file).digest("base64");
    const path = "/v4.0/pisp/file-payment-consents";
    const body = { Data: { Initiation: { FileType: fileType, FileHash } } };
    const lodged = await client.call<{ Data: { ConsentId: string } }>({ path, token, body });
    if (lodged.status !== 201) throw new Error(`the consent of a file: ${lodged.raw}`);
    const headers = {
      accept: "application/json",
      authorization: `Bearer ${token}`,
      "content-type": fileType === pain ? "text/xml" : "application/json",
      "x-jws-signature": await client.signature(file),
      "x-idempotency-key": randomUUID(),
    };
    return {
      number: 0,
      changes: [],
      from: "Upload",
      method: "POST",
      url: `${client.base}/api/open-banking${path}/${lodged.body.Data.ConsentId}/file`,
      headers,
      body: file,
      sender: client.tpp.clientId,
    };
  },
});
