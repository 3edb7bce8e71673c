import { type CompiledSchema, judge } from "#src/http/body/validate.ts";
import type { PaymentRow } from "#src/payments/definitions/payment-kind.ts";
import { checkInitiationPaths } from "#src/payments/formats/check-paths.ts";
import {
  defineFileFormat,
  type FileFormat,
  type FileSink,
  type ReportWriter,
  UnreadableFile,
} from "#src/payments/formats/file-format.ts";
import type { InitiationFormat } from "#src/payments/formats/format.ts";
import { compileRequest } from "#src/payments/formats/pisp-operation.ts";
import type { JsonReportWords } from "#src/payments/formats/report-words.ts";
import { JsonItems } from "./json-tokens.ts";

/** The payments under one name of a JSON file: their kind, and the version's words for it. */
type Payload = { kind: PaymentRow; format: InitiationFormat };

/** A format of JSON files: payloads by the names that they have in the file. */
type JsonFormat = Pick<FileFormat<PaymentRow>, "fileType"> & {
  payloads: Readonly<Record<string, Payload>>;
};

/** Makes the format of JSON files with these payloads. */
export function jsonFormat({ fileType, payloads }: JsonFormat): FileFormat<PaymentRow> {
  for (const [name, { format }] of Object.entries(payloads)) {
    checkInitiationPaths(`${fileType}, ${name}`, format);
  }
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

const compileAll = (payloads: JsonFormat["payloads"], strictOas: boolean): Schemas =>
  new Map(
    Object.entries(payloads).map(([name, { format }]) => [
      name,
      compileRequest(format, format.initiation, { STRICT_OAS: strictOas }),
    ]),
  );

function openJsonParser(
  fileType: string,
  payloads: JsonFormat["payloads"],
  schemas: Schemas,
  sink: FileSink<PaymentRow>,
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
        const { kind, format } = payload;
        sink.instruction({
          kind,
          request: format.read({ Data: { Initiation: value } }),
          paths: format.paths,
          faults: judge(schema, value).map(({ code, path: member = "", message }) => ({
            code,
            path: member,
            message,
          })),
          pathOf: (member) => (member === "" ? at : `${at}.${member}`),
          line,
          group,
          // safe: an instruction that is not an object has faults
          said: () => value as Record<string, unknown>,
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

/** Writes reports that mirror a JSON file, with its payments under the same names. */
const jsonReport = (words: JsonReportWords): ReportWriter => ({
  begin(file) {
    const head = JSON.stringify(words.file(file));
    // a JSON number with all its digits, which a JavaScript number may not have
    return `{"Data":${head.slice(0, -1)},"ControlSum":${file.sum}`;
  },
  payment(payment, previous) {
    const text = JSON.stringify(words.payment(payment));
    if (previous?.group === payment.group) return `,\n${text}`;
    return `${previous === null ? "" : "]"},${JSON.stringify(payment.group)}:[\n${text}`;
  },
  end: (last) => `${last === null ? "" : "]"}}}\n`,
});
