import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import { type PaymentKind, wireOf } from "#src/payments/kinds/payment-kind.ts";
import { compileRequest } from "#src/payments/pisp-operation.ts";
import { domesticScheduledV31, domesticV31 } from "#src/payments/wires/pisp-v3.1.ts";
import { reportWordsV40 } from "#src/payments/wires/pisp-v4.0-report.ts";
import { type InitiationWire, initiationWire } from "#src/payments/wires/wire.ts";
import { defineFileFormat, type FileFormat, type FileSink, UnreadableFile } from "./file-format.ts";
import { JsonItems } from "./json-tokens.ts";
import { jsonReport } from "./report-json.ts";

/** The payments under one name of a JSON file: their kind, and the version's words for it. */
export type Payload = { kind: PaymentKind; wire: InitiationWire };

/** A format of JSON files: payloads by the names that they have in the file. */
export type JsonFormat = Pick<FileFormat<PaymentKind>, "fileType" | "reports"> & {
  payloads: Readonly<Record<string, Payload>>;
};

const inV40 = (kind: PaymentKind): Payload => ({
  kind,
  wire: initiationWire(wireOf(kind, "pisp-v4.0")),
});

/** Makes the format of JSON files with these payloads. */
export function jsonFormat({ fileType, payloads, reports }: JsonFormat): FileFormat<PaymentKind> {
  const compiled = new Map<boolean, Schemas>();
  const schemasOf = (strictOas: boolean): Schemas => {
    const known = compiled.get(strictOas) ?? compileAll(payloads, strictOas);
    compiled.set(strictOas, known);
    return known;
  };
  return defineFileFormat({
    fileType,
    contentTypes: ["application/json"],
    payloads: Object.keys(payloads),
    openParser: (sink, { strictOas }) =>
      openJsonParser(fileType, payloads, schemasOf(strictOas), sink),
    reports,
  });
}

type Schemas = ReadonlyMap<string, CompiledSchema>;

const compileAll = (payloads: JsonFormat["payloads"], strictOas: boolean): Schemas =>
  new Map(
    Object.entries(payloads).map(([name, { wire }]) => [
      name,
      compileRequest(wire, wire.initiation, { STRICT_OAS: strictOas }),
    ]),
  );

function openJsonParser(
  fileType: string,
  payloads: JsonFormat["payloads"],
  schemas: Schemas,
  sink: FileSink<PaymentKind>,
): JsonItems {
  sink.header({ messageId: null });
  return new JsonItems(
    {
      member(path) {
        const [top, group] = path;
        if (top !== "Data") throw unexpected(path, "Data");
        if (group !== undefined && !schemas.has(group)) {
          throw unexpected(path, `${[...schemas.keys()].join(" and ")} (${fileType})`);
        }
      },
      item(path, index, value, line) {
        const [, group = ""] = path;
        const schema = schemas.get(group);
        const payload = payloads[group];
        if (!schema || !payload) throw unexpected(path, "Data");
        const at = `${path.join(".")}[${index}]`;
        const { kind, wire } = payload;
        sink.instruction({
          kind,
          request: wire.read({ Data: { Initiation: value } }),
          paths: wire.paths,
          faults: judge(schema, value).map(({ code, path: member = "", message }) => ({
            code,
            path: member,
            message,
          })),
          pathOf: (member) => (member === "" ? at : `${at}.${member}`),
          line,
          group,
        });
      },
    },
    2,
  );
}

const unexpected = (path: readonly string[], known: string): UnreadableFile =>
  new UnreadableFile(
    path.join(".").slice(0, 200),
    `The member is unknown. The allowed members are: ${known}.`,
  );

const reports = { "pisp-v4.0": jsonReport(reportWordsV40) };

/** Payments in the format of v4.0. Source: PISP resource pages, File Payment Consents. */
export const paymentInitiation40 = jsonFormat({
  fileType: "UK.OBIE.PaymentInitiation.4.0",
  payloads: {
    DomesticPayments: inV40(domesticPayment),
    DomesticScheduledPayments: inV40(domesticScheduledPayment),
    InternationalPayments: inV40(internationalPayment),
    InternationalScheduledPayments: inV40(internationalScheduledPayment),
  },
  reports,
});

/** Payments in the format of v3.1, which TPPs that used it may still send. */
export const paymentInitiation31 = jsonFormat({
  fileType: "UK.OBIE.PaymentInitiation.3.1",
  payloads: {
    DomesticPayments: { kind: domesticPayment, wire: domesticV31 },
    DomesticScheduledPayments: { kind: domesticScheduledPayment, wire: domesticScheduledV31 },
  },
  reports,
});
