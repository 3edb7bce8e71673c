import assert from "node:assert/strict";
import { test } from "node:test";
import { compareAnswers, shapeOf } from "./replay.ts";

const order = (status: string, reason: object) =>
  shapeOf({ Data: { Status: status, StatusReason: [reason] } });
const answer = (shape: ReturnType<typeof shapeOf>) => [{ call: "GET order", status: 201, shape }];

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
