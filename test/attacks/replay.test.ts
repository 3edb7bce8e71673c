import assert from "node:assert/strict";
import { test } from "node:test";
import { compareAnswers, shapeOf } from "./replay.ts";

const order = (status: string, reason: object) =>
  shapeOf({ Data: { Status: status, StatusReason: [reason] } });
const answer = (shape: ReturnType<typeof shapeOf>) => [{ call: "GET order", status: 201, shape }];
const token = { call: "token by client_credentials", status: 200, shape: "object" };

test("the answers of two builds are compared by their members, with the reasons of each status", () => {
  const settled = answer(order("ACSC", { StatusReasonCode: "U034" }));
  const credited = answer(order("ACCC", { StatusReasonDescription: "credited" }));
  assert.deepEqual(compareAnswers(settled, credited), []);
  const without = answer(order("ACSC", { StatusReasonDescription: "sent" }));
  assert.deepEqual(compareAnswers(settled, without), [
    "GET order Data StatusReason of ACSC [] StatusReasonCode is gone",
  ]);
  const bare = answer(shapeOf({ Data: { Status: "ACCC" } }));
  assert.deepEqual(compareAnswers(settled, bare), ["GET order Data StatusReason of ACSC is gone"]);
});

test("a client that asks for a further token, because it has taken longer, is no finding", () => {
  const [made] = answer(order("ACCC", {}));
  assert.ok(made);
  assert.deepEqual(compareAnswers([token, made, made], [token, made, token, made]), []);
  assert.deepEqual(compareAnswers([token, made], [made, made]), [
    "token by client_credentials: 200 became GET order: 201",
  ]);
});
