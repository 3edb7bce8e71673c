import type { TSchema } from "typebox";
import { type CompiledSchema, compileSchema } from "#src/http/body/validate.ts";
import { defineOperation, type Operation } from "#src/http/operation.ts";
import { capitalised, plainText } from "#src/lib/plain-text.ts";
import type { PaymentConfig } from "#src/payments/payment-config.ts";
import type { PropertyWords } from "#src/standard/descriptions/property-words.ts";
import type { Format, InitiationFormat, OperationName } from "./format.ts";

/**
 * Compiles a schema of requests, with the checks of texts; `words` are those of the kind's members.
 * Source: P-072, D-401-30.
 */
export const compileRequest = (
  { judgedBy, words: own = {} }: Pick<InitiationFormat, "judgedBy" | "words">,
  schema: TSchema,
  { STRICT_OAS: strictOas }: Pick<PaymentConfig, "STRICT_OAS">,
  words: PropertyWords = {},
): CompiledSchema =>
  compileSchema(() => judgedBy(schema, { strictOas }), {
    characters: plainText,
    strictDates: strictOas,
    words: { ...words, ...own },
  });

type Given<Row, Loaded> = { method: keyof typeof verbs } & Pick<
  Operation<Row, Loaded>,
  "path" | "summary" | "success" | "refusals" | "handle"
> &
  Partial<
    Pick<
      Operation<Row, Loaded>,
      "description" | "grant" | "headers" | "idempotent" | "load" | "request" | "steps" | "upload"
    >
  > & { name?: OperationName };

/** Makes operations of one resource. */
export type PispOperation = ReturnType<typeof pispOperation>;

const verbs = { GET: "Get", POST: "Create", DELETE: "Delete" } as const;

/**
 * Makes operations of one resource: named as the published OpenAPI names them
 * (`GetDomesticPaymentsDomesticPaymentId`), answers signed, a POST signed and idempotent.
 */
export const pispOperation =
  (
    { version: api, operationIds }: Pick<Format, "version" | "operationIds">,
    tag: string,
    stem: string,
  ) =>
  <Row, Loaded>({
    grant = "client_credentials",
    request = null,
    name,
    ...given
  }: Given<Row, Loaded>): Operation =>
    defineOperation<Row, Loaded>({
      api,
      tag,
      operationId: (name && operationIds?.[name]) ?? verbs[given.method] + pascalCase(given.path),
      signed: true,
      idempotent: given.method === "POST",
      grant,
      request,
      ...given,
      summary: `${given.summary} (${stem})`,
    });

/** `/domestic-payments/:Id` as `DomesticPaymentsId`: how operations are named. */
export const pascalCase = (path: string): string =>
  path
    .split(/[^A-Za-z]+/)
    .map(capitalised)
    .join("");
