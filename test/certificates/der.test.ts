// Our DER reader and writer against the library asn1js, which shares no code with them.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as asn1 from "asn1js";
import fc from "fast-check";
import { Der, Extensions, parseDer } from "#src/certificates/der.ts";
import { derValue, integer, oid, sequence } from "#src/certificates/der-writer.ts";

const bytesOf = (value: { toBER(): ArrayBuffer }): Buffer => Buffer.from(value.toBER());

const arcs = fc.tuple(
  fc.oneof(
    fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 39 })),
    fc.tuple(fc.constant(2), fc.integer({ min: 0, max: 47 })),
  ),
  fc.array(fc.integer({ min: 0, max: 0x7fffffff }), { minLength: 1, maxLength: 8 }),
);

test("an object identifier is written and read as by another library", () => {
  fc.assert(
    fc.property(arcs, ([first, rest]) => {
      const dotted = [...first, ...rest].join(".");
      const written = oid(dotted);
      assert.deepEqual(written, bytesOf(new asn1.ObjectIdentifier({ value: dotted })));
      assert.equal(new Der(written).oid, dotted);
    }),
  );
});

test("an identifier that is empty or cut off has no dotted form", () => {
  for (const hex of ["0600", "060181", "06032a8686", "0401ff"]) {
    assert.equal(new Der(Buffer.from(hex, "hex")).oid, null, hex);
  }
});

const texts = [
  asn1.Utf8String,
  asn1.PrintableString,
  asn1.IA5String,
  asn1.TeletexString,
  asn1.VisibleString,
  asn1.BmpString,
  asn1.UniversalString,
];

test("a character string of each type is read as by another library", () => {
  const latin = fc.stringMatching(/^[ -~]{0,40}$/);
  fc.assert(
    fc.property(fc.constantFrom(...texts), latin, (Type, value) => {
      assert.equal(new Der(bytesOf(new Type({ value }))).text, value);
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(asn1.Utf8String, asn1.BmpString), fc.string(), (Type, value) => {
      assert.equal(new Der(bytesOf(new Type({ value }))).text, value);
    }),
  );
  const beyond = derValue(0x1c, Buffer.from("0001f600", "hex"));
  assert.equal(new Der(beyond).text, "😀");
});

test("malformed characters of two or four octets are no text, and invalid UTF-8 is read octet by octet", () => {
  for (const hex of ["1e03004100", "1c03004100", "1c0400110000"]) {
    assert.equal(new Der(Buffer.from(hex, "hex")).text, null, hex);
  }
  const [one, other] = ["0c0141", "0c02c328"].map((hex) => new Der(Buffer.from(hex, "hex")).text);
  assert.deepEqual([one, other], ["A", "Ã("]);
});

test("values of any length are written as by another library", () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const content = Buffer.alloc(length, 7);
    const other = new asn1.OctetString({ valueHex: new Uint8Array(content).buffer });
    assert.deepEqual(derValue(0x04, content), bytesOf(other), `${length}`);
  }
  for (const number of [0, 1, 127, 128, 255, 256, 0x7fff, 0x8000, 0x7fffffff]) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(number);
    assert.deepEqual(integer(bytes), bytesOf(new asn1.Integer({ value: number })), `${number}`);
  }
});

test("a critical extension whose identifier is malformed counts as critical", () => {
  const isTrue = derValue(0x01, Buffer.of(0xff));
  const extension = sequence(Buffer.from("060181", "hex"), isTrue, derValue(0x04, Buffer.of(5, 0)));
  const { critical } = new Extensions(parseDer(sequence(extension)));
  assert.deepEqual(critical, ["malformed"]);
});
