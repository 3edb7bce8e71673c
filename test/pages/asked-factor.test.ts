import assert from "node:assert/strict";
import { test } from "node:test";
import { factorParts } from "#src/pages/asked-factor.ts";

const code = (sentTo: string | null) =>
  factorParts({ by: "code", sentTo, sandboxCode: null, canRenew: true, isOver: false }, "The Bank");

const sentences = {
  "a code whose way is known": {
    parts: code("mobile ending 417"),
    lead: "Enter the code that we have sent to your mobile ending 417.",
    toDo: "enter the code that we have sent to your mobile ending 417",
    approves: "Entering the code approves it. We have sent the code to your mobile ending 417.",
    toContinue: "enter the code",
    sent: "We have sent the code to your mobile ending 417.",
  },
  "a code whose way is not known": {
    parts: code(null),
    lead: "Enter the code that we have sent you.",
    toDo: "enter the code that we have sent you",
    approves: "Entering the code approves it. We have sent you the code.",
    toContinue: "enter the code",
    sent: "We have sent you the code.",
  },
};

for (const [name, { parts, ...said }] of Object.entries(sentences)) {
  test(`the sentences about ${name} are whole`, () => {
    const { lead, toDo, approves, toContinue, sent } = parts;
    assert.deepEqual({ lead, toDo, approves: approves("it"), toContinue, sent }, said);
  });
}
