import type { TSchema } from "typebox";
import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import { domesticPayment } from "#src/payments/kinds/domestic-payment.ts";
import { domesticScheduledPayment } from "#src/payments/kinds/domestic-scheduled-payment.ts";
import { internationalPayment } from "#src/payments/kinds/international-payment.ts";
import { internationalScheduledPayment } from "#src/payments/kinds/international-scheduled-payment.ts";
import type { PaymentKind } from "#src/payments/kinds/payment-kind.ts";
import { compileText } from "#src/payments/pisp-operation.ts";
import {
  domesticInitiationV3,
  domesticScheduledInitiationV3,
} from "#src/standard/pisp-v3.1/initiations.ts";
import {
  defineFileFormat,
  type FileFormat,
  type FileSink,
  fileWire,
  UnreadableFile,
} from "./file-format.ts";
import { JsonItems } from "./json-tokens.ts";
import { jsonReport } from "./report-json.ts";

/** The payments under one name of a JSON file: one row per kind. */
type Payload = {
  kind: PaymentKind;
  schema: TSchema;
  /** Converts an initiation of an older version to v4.0. */
  toCurrent?(initiation: Record<string, unknown>): Record<string, unknown>;
};

const asItIs = (kind: PaymentKind): Payload => ({
  kind,
  schema: fileWire(kind).schemas.initiation,
});

const current: Record<string, Payload> = {
  DomesticPayments: asItIs(domesticPayment),
  DomesticScheduledPayments: asItIs(domesticScheduledPayment),
  InternationalPayments: asItIs(internationalPayment),
  InternationalScheduledPayments: asItIs(internationalScheduledPayment),
};

const earlier: Record<string, Payload> = {
  DomesticPayments: {
    kind: domesticPayment,
    schema: domesticInitiationV3,
    toCurrent: withFreeTextInLines,
  },
  DomesticScheduledPayments: {
    kind: domesticScheduledPayment,
    schema: domesticScheduledInitiationV3,
    toCurrent: withFreeTextInLines,
  },
};

function withFreeTextInLines(initiation: Record<string, unknown>): Record<string, unknown> {
  const { RemittanceInformation: given } = initiation as {
    RemittanceInformation?: { Unstructured?: unknown };
  };
  if (typeof given?.Unstructured !== "string") return initiation;
  const RemittanceInformation = { ...given, Unstructured: [given.Unstructured] };
  return { ...initiation, RemittanceInformation };
}

function jsonFormat(fileType: string, payloads: Record<string, Payload>): FileFormat {
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
    report: jsonReport,
  });
}

type Schemas = ReadonlyMap<string, CompiledSchema>;

const compileAll = (payloads: Record<string, Payload>, strictOas: boolean): Schemas =>
  new Map(
    Object.entries(payloads).map(([name, { schema }]) => [name, compileText(schema, strictOas)]),
  );

function openJsonParser(
  fileType: string,
  payloads: Record<string, Payload>,
  schemas: Schemas,
  sink: FileSink,
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
        sink.instruction({
          kind: payload.kind,
          request: fileWire(payload.kind).read({
            Data: { Initiation: payload.toCurrent?.(value) ?? value },
          }),
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
    `The member is unknown. The members allowed here: ${known}.`,
  );

/** Payments in the format of v4.0. Source: PISP resource pages, File Payment Consents. */
export const paymentInitiation40 = jsonFormat("UK.OBIE.PaymentInitiation.4.0", current);

/** Payments in the format of v3.1, which TPPs that used it may still send. */
export const paymentInitiation31 = jsonFormat("UK.OBIE.PaymentInitiation.3.1", earlier);
