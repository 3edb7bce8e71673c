import assert from "node:assert/strict";
import { test } from "node:test";
import { checkIdentification } from "#src/standard/shared/account-schemes.ts";

const cases: [scheme: string, identification: string, expected: boolean | null][] = [
  ["UK.OBIE.SortCodeAccountNumber", "20202010981789", true],
  ["UK.OBIE.SortCodeAccountNumber", "00000000000000", true],
  ["UK.OBIE.SortCodeAccountNumber", "2020201098178", false],
  ["UK.OBIE.SortCodeAccountNumber", "202020109817890", false],
  ["UK.OBIE.SortCodeAccountNumber", "20-20-20 10981789", false],
  ["UK.OBIE.SortCodeAccountNumber", "2020201098178A", false],
  ["UK.OBIE.SortCodeAccountNumber", "20202010981789\n", false],
  ["UK.OBIE.SortCodeAccountNumber", "２０２０２０１０９８１７８９", false],
  ["UK.OBIE.SortCodeAccountNumber", "", false],
  ["UK.OBIE.IBAN", "GB82WEST12345698765432", true],
  ["UK.OBIE.IBAN", "DE89370400440532013000", true],
  ["UK.OBIE.IBAN", "FR1420041010050500013M02606", true],
  ["UK.OBIE.IBAN", "NO9386011117947", true],
  ["UK.OBIE.IBAN", "MT84MALT011000012345MTLCAST001S", true],
  ["UK.OBIE.IBAN", "GB83WEST12345698765432", false],
  ["UK.OBIE.IBAN", "GB82WEST12345698765423", false],
  ["UK.OBIE.IBAN", "gb82west12345698765432", false],
  ["UK.OBIE.IBAN", "GB82 WEST 1234 5698 7654 32", false],
  ["UK.OBIE.IBAN", "GB82", false],
  // valid check digits, but too long for Norway; and a country without IBANs
  ["UK.OBIE.IBAN", "NO37860111179470", false],
  ["UK.OBIE.IBAN", "US5112345678901234567890", false],
  ["UK.OBIE.PAN", "4111111111111111", true],
  ["UK.OBIE.PAN", "378282246310005", true],
  ["UK.OBIE.PAN", "4111111111111112", false],
  ["UK.OBIE.PAN", "4111 1111 1111 1111", false],
  ["UK.OBIE.PAN", "************1111", false],
  ["UK.OBIE.PAN", "41111111111", false],
  ["UK.OBIE.Paym", "+447700900000", true],
  ["UK.OBIE.Paym", " ", false],
  ["UK.OBIE.BBAN", "WEST12345698765432", true],
  ["MyImaginaryScheme", "20202010981789", null],
  ["uk.obie.iban", "GB82WEST12345698765432", null],
  ["constructor", "x", null],
];

for (const [scheme, identification, expected] of cases) {
  const verdict =
    expected === null ? "has the unknown scheme" : `is ${expected ? "" : "not "}valid for`;
  const rule = scheme === "UK.OBIE.IBAN" ? "P-083" : expected === null ? "P-081" : "P-082";
  test(`${rule}: ${JSON.stringify(identification)} ${verdict} ${scheme}`, () => {
    assert.equal(checkIdentification(scheme, identification), expected);
  });
}
