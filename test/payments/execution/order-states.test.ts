import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIn } from "#src/payments/definitions/payment-kind.ts";
import {
  exposeDetailStatus,
  exposeStatus,
  type MultiAuthorisationEvent,
  type MultiAuthorisationStatus,
  nextMultiAuthorisationStatus,
  nextOrderStatus,
  nextPaymentStatus,
  type OrderEvent,
  orderMoveOf,
  orderStatusesBefore,
  type PaymentEvent,
  type PaymentFamily,
  type PaymentStatus,
  passPaymentStatus,
  paymentFamily,
  paymentStatusesBefore,
} from "#src/payments/order/order-states.ts";
import { paymentKinds } from "#src/payments/payment-kinds.ts";
import { kindNamed, type PaymentKindId } from "#src/standard/kind-id.ts";

const statuses =
  "RCVD PDNG ACTC PATC ACCP ACFC ACSP ACWC ACSC ACWP ACCC BLCK RJCT CANC INCO INFA PART".split(
    " ",
  ) as PaymentStatus[];

// "." marks an illegal transition
const columns = [
  ..."warehouse validate awaitSignatures accept reserve submit change".split(" "),
  ..."debit credit creditWithoutPosting block reject cancel".split(" "),
] as PaymentEvent[];
const single: Partial<Record<PaymentStatus, string>> = {
  RCVD: "PDNG ACTC PATC .    .    .    .    .    .    .    .    RJCT .",
  PDNG: ".    ACTC .    .    .    .    .    .    .    .    .    .    .",
  ACTC: ".    .    .    ACCP .    .    .    .    .    .    .    .    .",
  PATC: ".    .    .    ACCP .    .    .    .    .    .    .    RJCT .",
  ACCP: ".    .    .    .    ACFC .    .    .    .    .    .    RJCT .",
  ACFC: ".    .    .    .    .    ACSP .    .    .    .    .    RJCT .",
  ACSP: ".    .    .    .    .    .    ACWC ACSC .    .    .    RJCT .",
  ACWC: ".    .    .    .    .    .    .    ACSC .    .    .    RJCT .",
  ACSC: ".    .    .    .    .    .    .    .    ACCC ACWP BLCK RJCT .",
  ACWP: ".    .    .    .    .    .    .    .    .    .    .    RJCT .",
};
const cancelled = (row: string) => row.replace(/\.$/, "CANC");
const expected: Record<PaymentFamily, Partial<Record<PaymentStatus, string>>> = {
  immediate: single,
  scheduled: {
    ...single,
    RCVD: cancelled(single.RCVD ?? ""),
    PDNG: cancelled(single.PDNG ?? ""),
    ACCP: cancelled(single.ACCP ?? ""),
  },
};

for (const family of ["immediate", "scheduled"] as const) {
  test(`every transition of ${family} payments follows the table, illegal ones included`, () => {
    for (const status of statuses) {
      const row = expected[family][status]?.split(/ +/) ?? [];
      columns.forEach((event, index) => {
        const after = row[index] === undefined || row[index] === "." ? null : row[index];
        assert.equal(nextPaymentStatus(family, status, event), after, `${status} ${event}`);
      });
    }
  });
}

const orderColumns = [
  ..."validate warehouse awaitSignatures accept complete fail reject cancel".split(" "),
] as OrderEvent[];
const orderRows: Record<"standingOrder" | "file", Partial<Record<PaymentStatus, string>>> = {
  standingOrder: {
    RCVD: "ACTC .    PATC .    .    .    RJCT CANC",
    ACTC: ".    PDNG .    .    .    .    .    .",
    PATC: ".    .    .    PDNG .    .    RJCT .",
    PDNG: ".    .    .    .    INCO INFA .    CANC",
    INCO: ".    .    .    .    .    .    .    CANC",
  },
  file: {
    RCVD: ".    PDNG PATC .    .    .    RJCT CANC",
    PATC: ".    .    .    PDNG .    .    RJCT .",
    PDNG: ".    .    .    .    INCO INFA .    CANC",
  },
};

for (const family of ["standingOrder", "file"] as const) {
  test(`every transition of ${family} orders follows the table, illegal ones included`, () => {
    for (const status of statuses) {
      const row = orderRows[family][status]?.split(/ +/) ?? [];
      orderColumns.forEach((event, index) => {
        const after = row[index] === undefined || row[index] === "." ? null : row[index];
        assert.equal(nextOrderStatus(family, status, event), after, `${status} ${event}`);
        assert.equal(orderStatusesBefore(family, event).includes(status), after !== null);
      });
    }
  });
}

test("a payment event moves the order of a single payment to the same status, and the order of several to PDNG or INCO", () => {
  assert.deepEqual(orderMoveOf("immediate", "RCVD", "ACFC"), {
    before: ["RCVD"],
    after: "ACFC",
  });
  assert.equal(orderMoveOf("scheduled", "ACSC", "ACSC"), null);
  const setUp = orderMoveOf("standingOrder", "RCVD", "PDNG");
  assert.equal(setUp?.after, "INCO");
  assert.ok(!setUp?.before.includes("CANC") && !setUp?.before.includes("RJCT"));
  assert.deepEqual(orderMoveOf("file", "RCVD", "RJCT"), {
    before: ["RCVD", "PATC"],
    after: "PDNG",
  });
});

test("no payment returns to an earlier status", () => {
  for (const family of ["immediate", "scheduled"] as const) {
    const visit = (status: PaymentStatus, seen: PaymentStatus[]): void => {
      assert.ok(!seen.includes(status), `${[...seen, status].join(" ")} goes back`);
      for (const event of columns) {
        const after = nextPaymentStatus(family, status, event);
        if (after) visit(after, [...seen, status]);
      }
    };
    visit("RCVD", []);
  }
});

test("an illegal transition throws", () => {
  assert.equal(passPaymentStatus("immediate", "RCVD", ["validate", "accept", "reserve"]), "ACFC");
  assert.throws(
    () => passPaymentStatus("immediate", "RCVD", ["validate", "debit"]),
    /ACTC can debit/,
  );
  assert.throws(() => passPaymentStatus("immediate", "RJCT", ["accept"]));
});

test("only future-dated payments can be cancelled, and only before their date", () => {
  assert.deepEqual(paymentStatusesBefore("immediate", "cancel"), []);
  assert.deepEqual(paymentStatusesBefore("scheduled", "cancel"), ["RCVD", "PDNG", "ACCP"]);
  const tables = paymentKinds.map(({ id, family }) => [id, paymentFamily(family)]);
  const immediate = tables.filter(([, table]) => table === "immediate").map(([id]) => id);
  assert.deepEqual(immediate, ["domestic-payment", "international-payment", "domestic-vrp"]);
});

test("every transition of multiple authorisation follows the table, illegal ones included", () => {
  const table: Record<MultiAuthorisationStatus, (MultiAuthorisationStatus | null)[]> = {
    AWAF: ["AWAF", "AUTH", "RJCT", "RJCT"],
    AUTH: [null, null, null, null],
    RJCT: [null, null, null, null],
  };
  const events: MultiAuthorisationEvent[] = ["sign", "complete", "reject", "expire"];
  for (const [status, row] of Object.entries(table)) {
    events.forEach((event, index) => {
      const after = nextMultiAuthorisationStatus(status as MultiAuthorisationStatus, event);
      assert.equal(after, row[index], `${status} ${event}`);
    });
  }
});

// The columns are those of `statuses`; "=" means that the status is shown unchanged.
const shown: Record<PaymentKindId, string> = {
  "domestic-payment": "= = = = = = = = = = = = = RJCT ACSC RJCT PDNG",
  "domestic-scheduled-payment": "= = = = = = = = = = = = = = ACSC RJCT PDNG",
  "international-payment": "= = = = = = = = = = = = = RJCT ACSC RJCT PDNG",
  "international-scheduled-payment": "= = = = = = = = = = = = = = ACSC RJCT PDNG",
  "domestic-standing-order": "= = = = PDNG PDNG PDNG PDNG INCO INCO INCO INCO = = = = PDNG",
  "international-standing-order": "= = = = PDNG PDNG PDNG PDNG INCO INCO INCO INCO = = = = PDNG",
  "domestic-vrp": "= = = PDNG = = = = = = = = = RJCT ACSC RJCT PDNG",
  "file-payment": "PDNG = PDNG PDNG PDNG PDNG PDNG PDNG INCO INCO INCO INCO INFA INFA = = PDNG",
};

const statusesOf = (id: PaymentKindId) =>
  formatIn(kindNamed(id, paymentKinds), "pisp-v4.0").statuses;

test("each kind shows only the statuses of its set", () => {
  for (const { id: kind } of paymentKinds) {
    const row = shown[kind] ?? "";
    row.split(" ").forEach((word, index) => {
      const status = statuses[index] ?? "";
      const expectedWord = word === "=" ? status : word;
      assert.equal(exposeStatus(statusesOf(kind), status), expectedWord, `${kind} ${status}`);
    });
  }
});

test("PC-07: payment-details show a cancelled payment", () => {
  assert.equal(exposeDetailStatus(statusesOf("domestic-scheduled-payment"), "CANC"), "CANC");
});
