import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventVersions } from "#src/events/event-versions.ts";
import { registrationForms } from "#src/events/registration-forms.ts";
import type { Answer, TppClient } from "#src/sandbox/test-tpp/tpp-client.ts";
import type { FaultCode } from "#src/standard/faults.ts";
import { expectStatus, openBank, type TestBank } from "#test/harness.ts";
import { faultOf } from "./events-bed.ts";

// Every operation on registrations and events is called with each fault that depends on its body or
// its resource, in both versions and for both kinds of registration.

let bank: TestBank;
let client: TppClient;
let other: TppClient;
before(async () => {
  bank = await openBank();
  [client, other] = [await bank.createTpp(), await bank.createTpp()];
});
after(() => bank?.close());

const url = "https://tpp.example/open-banking/v4.0/event-notifications";

type Row = [name: string, sent: object, code: FaultCode, path: string];
type Made = { Data: Record<string, unknown> };

for (const { id: version, basePath, errors } of eventVersions) {
  const base = basePath.replace("/api/open-banking", "");
  const codeOf = (code: FaultCode, status: number): string | undefined =>
    (errors.table[code].codes as Readonly<Record<number, string>>)[status];
  const expectFault = (answer: Answer, status: number, code: FaultCode, path?: string) => {
    expectStatus(answer, status);
    assert.deepEqual(faultOf(answer), [codeOf(code, status), path]);
  };
  const send = async (tpp: TppClient, path: string, method = "GET", body?: object) =>
    tpp.call<Made>({
      path: `${base}${path}`,
      method,
      token: await tpp.clientToken("payments"),
      ...(body ? { body } : {}),
    });

  for (const { path, idField, urlPath, form } of registrationForms) {
    const urlField = urlPath.replace("Data.", "");
    const valid = { Version: "3.1", [urlField]: url };
    const faults: Row[] = [
      ["a URL with http", { [urlField]: url.replace("https", "http") }, "U002", urlPath],
      ["an unknown version", { Version: "five" }, "U002", "Data.Version"],
      ["no version", { Version: undefined }, "U004", "Data.Version"],
      ...(form === "subscription"
        ? ([["an unknown type", { EventTypes: ["Other"] }, "U024", "Data.EventTypes[0]"]] as Row[])
        : []),
    ];

    describe(`${path} in ${version}`, () => {
      let one: string;
      let ownId: unknown;
      before(async () => {
        const made = await send(client, path, "POST", { Data: valid });
        expectStatus(made, 201);
        ownId = made.body.Data[idField];
        one = `${path}/${ownId}`;
      });
      after(async () => expectStatus(await send(client, one, "DELETE"), 204));

      for (const [name, data, code, at] of faults) {
        test(`a registration with ${name} is neither created nor changed`, async () => {
          const Data = { ...valid, ...data };
          expectFault(await send(other, path, "POST", { Data }), 400, code, at);
          const changed = { Data: { ...Data, [idField]: ownId } };
          expectFault(await send(client, one, "PUT", changed), 400, code, at);
          const { body } = await send(client, path);
          assert.deepEqual(Object.values(body.Data), [[{ [idField]: ownId, ...valid }]]);
        });
      }

      test("a registration with an unknown member beside Data is neither created nor changed", async () => {
        const added = { Colour: "red" };
        const created = await send(other, path, "POST", { Data: valid, ...added });
        expectFault(created, 400, "U005", "Colour");
        const changed = { Data: { ...valid, [idField]: ownId }, ...added };
        expectFault(await send(client, one, "PUT", changed), 400, "U005", "Colour");
      });

      test("EV-28: only its own TPP can change or delete a registration, and only under its id", async () => {
        const put = (id: unknown) => ({ Data: { ...valid, [idField]: id } });
        expectFault(await send(client, one, "PUT", put("other")), 400, "U002", `Data.${idField}`);
        expectFault(await send(client, `${path}/none`, "PUT", put("none")), 400, "U011", idField);
        expectFault(await send(client, `${path}/none`, "DELETE"), 400, "U011", idField);
        for (const [method, body] of [["PUT", put(ownId)], ["DELETE"]] as const) {
          const answer = await send(other, one, method, body);
          expectStatus(answer, 403);
          assert.equal(faultOf(answer)[0], codeOf("U011", 403));
        }
      });

      test("EV-27: a TPP that has a registration cannot create another", async () => {
        const answer = await send(client, path, "POST", { Data: valid });
        expectStatus(answer, 409);
        assert.equal(faultOf(answer)[0], codeOf("U029", 409));
      });
    });
  }

  const polls: Row[] = [
    [
      "EV-01: an error without a description",
      { setErrs: { a: { err: "jws" } } },
      "U004",
      "setErrs.a.description",
    ],
    [
      "EV-01: an err that is too long",
      { setErrs: { a: { err: "x".repeat(41), description: "d" } } },
      "U002",
      "setErrs.a.err",
    ],
    ["EV-30: a negative maxEvents", { maxEvents: -1 }, "U002", "maxEvents"],
    ["EV-30: an unknown member", { other: 1 }, "U005", "other"],
    ["EV-31: an id that is too long", { ack: ["x".repeat(129)] }, "U002", "ack[0]"],
  ];
  for (const [name, body, code, path] of polls) {
    test(`${name} is refused in a poll (${version})`, async () => {
      expectFault(await send(client, "/events", "POST", body), 400, code, path);
    });
  }
}
