import assert from "node:assert/strict";
import { test } from "node:test";
import { comparePayee } from "#src/sandbox/bank/payee-names.ts";

const pairs: [given: string, holder: string, result: string][] = [
  ["Amelia Hartley", "Amelia Hartley", "match"],
  ["AMELIA  hartley", "Amelia Hartley", "match"],
  ["Ms Amelia Hartley", "Amelia Hartley", "match"],
  ["Hartley, Amelia", "Dr. Amelia Hartley", "match"],
  ["Amelia Hartley", "Amelia Jane Hartley", "match"],
  ["Zoe Muller", "Zoë Müller", "match"],
  ["Sean O'Neill", "Seán O’Neill", "match"],
  ["Anne-Marie Webb", "Anne Marie Webb", "match"],
  ["A Hartley", "Amelia Hartley", "close match"],
  ["A J Hartley", "Amelia Jane Hartley", "close match"],
  ["Amelia Hartly", "Amelia Hartley", "close match"],
  ["Hartley", "Amelia Hartley", "no match"],
  ["Jane Hartley", "Amelia Hartley", "no match"],
  ["B Hartley", "Amelia Hartley", "no match"],
  ["Amelia Jones", "Amelia Hartley", "no match"],
  ["", "Amelia Hartley", "no match"],
  ["Hartley & Sons Ltd", "Hartley and Sons Limited", "match"],
  ["Hartley and Sons", "Hartley & Sons Limited", "match"],
  ["Hartley and Daughters Ltd", "Hartley & Sons Limited", "no match"],
  ["Acme Supplies PLC", "ACME SUPPLIES", "match"],
  ["Ben Whitfield", "Ben and Chloe Whitfield", "match"],
  ["Chloe Whitfield", "Mr Ben Whitfield & Mrs Chloe Whitfield", "match"],
  ["Ben Whitfield and Chloe Whitfield", "Mr Ben Whitfield & Mrs Chloe Whitfield", "match"],
  ["C Whitfield", "Ben and Chloe Whitfield", "close match"],
  ["Dev Whitfield", "Ben and Chloe Whitfield", "no match"],
];

for (const [given, holder, result] of pairs) {
  test(`"${given}" for "${holder}" is: ${result}`, () => {
    const found = comparePayee(given, holder);
    const expected = result === "close match" ? { result, name: holder } : { result };
    assert.deepEqual(found, expected);
  });
}
