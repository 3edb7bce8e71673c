import Type from "typebox";
import { accessRow } from "#src/auth/access-row.ts";
import { type AccessRow, prepareAccess, readFacts } from "#src/http/access/access.ts";
import { refusal } from "#src/http/api-error.ts";
import { defineOperation, type Operation, OutgoingFile } from "#src/http/operation.ts";
import { aispV31 } from "#src/standard/aisp-v3.1/version.ts";
import type { ApiVersion } from "#src/standard/api-version.ts";
import { pispV40 } from "#src/standard/pisp-v4.0/version.ts";

/** An API with signatures, like v4.0 payments. */
export const things: ApiVersion = {
  ...pispV40,
  title: "Things",
  basePath: "/api/open-banking/v4.0/thing",
  rateLimitGroup: "thing",
};

/** An API without signatures, like v3.1 accounts. */
export const views: ApiVersion = {
  ...aispV31,
  title: "Views",
  basePath: "/api/open-banking/v3.1/view",
  rateLimitGroup: "view",
};

const anyObject = Type.Object({});
const common = { summary: "", tag: "", refusals: {}, signed: false, idempotent: false } as const;

/** A record of what the fake operations did, for tests to read. */
export type Journal = {
  created: unknown[];
  keys: (string | null)[];
  baseUrls: string[];
  /** How often the row that an operation loads was read for its handler. */
  reads: number;
  /** The bytes read so far of the last file, and its hash once it was complete. */
  file: { bytes: Buffer; sha256: string | null };
};

export const fileLimitBytes = 200_000;

const loadAccess = prepareAccess(accessRow);

/** Operations that do little and record it. */
export function fakeOperations(journal: Journal): Operation[] {
  const thing = { ...common, api: things, grant: "client_credentials" } as const;
  const list = defineOperation({
    ...common,
    api: views,
    operationId: "ListViews",
    method: "GET",
    path: "/views",
    grant: "authorization_code",
    request: null,
    success: { status: 200, schema: anyObject },
    load: ({ credentials }) => ({
      statement: loadAccess(credentials),
      read({ access }: AccessRow) {
        journal.reads += 1;
        return { customer: readFacts(access).consent_customer_id };
      },
    }),
    async handle({ baseUrl, loaded }) {
      journal.baseUrls.push(baseUrl);
      return { status: 200, body: `{"Customer":"${loaded.customer}"}` };
    },
  });
  return [
    list,
    {
      ...common,
      api: views,
      operationId: "CreateView",
      method: "POST",
      path: "/view-consents",
      grant: "client_credentials",
      request: anyObject,
      success: { status: 201, schema: anyObject },
      handle: async ({ body }) => ({ status: 201, body: { Data: body } }),
    },
    {
      ...common,
      api: views,
      operationId: "ShowSelf",
      method: "GET",
      path: "/self",
      grant: "client_credentials",
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async ({ selfUrl }) => ({ status: 200, body: { Self: selfUrl } }),
    },
    {
      ...common,
      api: views,
      operationId: "DeleteView",
      method: "DELETE",
      path: "/view-consents/:ConsentId",
      grant: "client_credentials",
      request: null,
      success: { status: 204, schema: null },
      handle: async () => ({ status: 204, body: null }),
    },
    {
      ...thing,
      operationId: "CreateThing",
      method: "POST",
      path: "/things",
      signed: true,
      idempotent: true,
      request: anyObject,
      success: { status: 201, schema: anyObject },
      async handle(request) {
        journal.created.push(request.body);
        journal.keys.push(request.idempotencyKey);
        return {
          status: 201,
          body: { Data: request.body, Links: { Self: `${request.selfUrl}/1` } },
          headers: { "x-extra": "1" },
        };
      },
    },
    {
      ...thing,
      operationId: "GetThing",
      method: "GET",
      path: "/things/:ThingId",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async ({ params, query }) => ({ status: 200, body: { id: params.ThingId, query } }),
    },
    {
      ...thing,
      operationId: "CreateFile",
      method: "POST",
      path: "/files/:FileId",
      signed: true,
      idempotent: true,
      request: anyObject,
      upload: { contentTypes: ["text/xml", "application/json"], limitBytes: fileLimitBytes },
      success: { status: 200, schema: null },
      async handle({ file, params }) {
        if (!file) throw new Error("no file came in");
        if (params.FileId === "unknown") throw refusal("U011", "FileId", "There is none.");
        const read: Buffer[] = [];
        for await (const chunk of file.chunks()) {
          read.push(chunk);
          journal.file = { bytes: Buffer.concat(read), sha256: null };
          if (params.FileId === "bad") throw refusal("FF01", undefined, "It cannot be read.");
        }
        journal.file.sha256 = file.sha256;
        return { status: 200, body: null };
      },
    },
    {
      ...thing,
      operationId: "GetFile",
      method: "GET",
      path: "/files/:FileId",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject, contentTypes: ["text/xml", "application/json"] },
      handle: async ({ params }) => ({
        status: 200,
        body: new OutgoingFile("text/xml; charset=utf-8", pieces(Number(params.FileId))),
      }),
    },
    {
      ...thing,
      operationId: "BreakThing",
      method: "GET",
      path: "/broken",
      signed: true,
      request: null,
      success: { status: 200, schema: anyObject },
      handle: async () => {
        throw new Error("select secret from table on host db.internal");
      },
    },
  ];
}

async function* pieces(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= 100_001) yield Buffer.alloc(Math.min(left, 100_001), 65);
  if (size < 0) throw new Error("the disk is gone");
}
