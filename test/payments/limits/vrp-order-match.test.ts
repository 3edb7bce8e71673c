import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Json } from "#test/payments/answer-check.ts";
import { numbers } from "#test/payments/fixture.ts";
import { type Agreement, inEachVersion, payee } from "./vrp-bed.ts";

inEachVersion((bed) => {
  const { consents, orders } = bed;
  const at = (member: string) => `Data.ControlParameters.${member}`;

  describe("an order must fit its consent", () => {
    const consent = (body: Json) => {
      body.Data.Initiation.RemittanceInformation = bed.remittance("Savings");
      body.Data.ControlParameters.PSUInteractionTypes = ["OffSession"];
      body.Risk = { [bed.contractPresent]: true, PaymentContextCode: "TransferToSelf" };
    };
    let agreement: Agreement;
    before(async () => {
      bed.bank.clock.set("2027-03-01T10:00:00Z");
      agreement = await bed.agree(consent);
    });
    type Row = [title: string, change: (order: Json) => void, code: string, path: string];
    const initiation = "Data.Initiation";
    const instruction = "Data.Instruction";
    const rows: Row[] = [
      [
        "V-099: a different value in the initiation",
        ({ Data }) => {
          Data.Initiation.CreditorAccount.Name = "Bob";
        },
        "U008",
        `${initiation}.CreditorAccount.Name`,
      ],
      [
        "V-099: a missing member of the initiation",
        ({ Data }) => delete Data.Initiation.RemittanceInformation,
        "U008",
        `${initiation}.RemittanceInformation`,
      ],
      [
        "V-099: an added member of the initiation",
        ({ Data }) => {
          Data.Initiation.CreditorPostalAddress = { TownName: "Leeds" };
        },
        "U008",
        `${initiation}.CreditorPostalAddress`,
      ],
      [
        "V-100: a different Risk",
        (order) => {
          order.Risk[bed.contractPresent] = false;
        },
        "U008",
        `Risk.${bed.contractPresent}`,
      ],
      ...["SchemeName", "Identification", "Name"].map(
        (name): Row => [
          `V-101: a different ${name} of the payee`,
          ({ Data }) => {
            const other = {
              SchemeName: "UK.OBIE.IBAN",
              Identification: "20201010981780",
              Name: "Bob",
            };
            Data.Instruction.CreditorAccount[name] = other[name as "Name"];
          },
          "U008",
          `${instruction}.CreditorAccount.${name}`,
        ],
      ),
      [
        "V-101: an added roll number of the payee",
        ({ Data }) => {
          Data.Instruction.CreditorAccount.SecondaryIdentification = "7";
        },
        "U008",
        `${instruction}.CreditorAccount.SecondaryIdentification`,
      ],
      [
        "V-103: an order without a payee",
        ({ Data }) => delete Data.Instruction.CreditorAccount,
        "U004",
        `${instruction}.CreditorAccount`,
      ],
      [
        "V-104: an order without the remittance information",
        ({ Data }) => delete Data.Instruction.RemittanceInformation,
        "U008",
        `${instruction}.RemittanceInformation`,
      ],
      [
        "V-104: different remittance information",
        ({ Data }) => {
          Data.Instruction.RemittanceInformation = bed.remittance("July");
        },
        "U008",
        `${instruction}.RemittanceInformation.${bed.textPath}`,
      ],
      [
        "V-107: a debtor account other than the one that the customer chose",
        ({ Data }) => {
          Data.Initiation.DebtorAccount = { ...payee, Identification: numbers.joint };
        },
        "U008",
        `${initiation}.DebtorAccount.Identification`,
      ],
      [
        "V-108: another PSUAuthenticationMethod",
        ({ Data }) => {
          Data.PSUAuthenticationMethod = "UK.OBIE.SCA";
        },
        "U014",
        "Data.PSUAuthenticationMethod",
      ],
      [
        "V-109: another VRPType",
        ({ Data }) => {
          Data.VRPType = "UK.OBIE.VRPType.Other";
        },
        "U014",
        "Data.VRPType",
      ],
      [
        "V-109: an order without a VRPType",
        ({ Data }) => delete Data.VRPType,
        "U004",
        "Data.VRPType",
      ],
      [
        "V-111: another PSUInteractionType",
        ({ Data }) => {
          Data.PSUInteractionType = "InSession";
        },
        "U014",
        "Data.PSUInteractionType",
      ],
      [
        "V-112: supplementary data",
        ({ Data }) => {
          Data.Instruction.SupplementaryData = { a: 1 };
        },
        "U005",
        `${instruction}.SupplementaryData.a`,
      ],
      [
        "V-113: an amount above the maximum",
        ({ Data }) => {
          Data.Instruction.InstructedAmount.Amount = "5.01";
        },
        "U014",
        at("MaximumIndividualAmount"),
      ],
      [
        "V-119: a payment in another currency",
        ({ Data }) => {
          Data.Instruction.InstructedAmount.Currency = "EUR";
        },
        "U023",
        `${instruction}.InstructedAmount.Currency`,
      ],
    ];
    for (const [title, change, code, path] of rows) {
      test(`${title} is refused`, async () => {
        assert.deepEqual(bed.refused(await agreement.pay("1.00", { change })), [400, [code, path]]);
      });
    }

    test("V-100: the order of members in Risk does not matter", async () => {
      const change = (order: Json) => {
        order.Risk = { PaymentContextCode: "TransferToSelf", [bed.contractPresent]: true };
      };
      assert.equal((await agreement.pay("1.00", { change })).status, 201);
    });

    test("V-111: a consent without PSUInteractionTypes allows InSession payments", async () => {
      const open = await bed.agree();
      const present = (order: Json) => {
        order.Data.PSUInteractionType = "InSession";
      };
      assert.equal((await open.pay("1.00", { change: present })).status, 201);
    });
  });

  test("V-105, V-106: if the consent has no remittance information, each instruction may have some, but the initiation may not", async () => {
    const { pay } = await bed.agree();
    for (const text of ["July", "August"]) {
      const change = ({ Data }: Json) => {
        Data.Instruction.RemittanceInformation = bed.remittance(text);
      };
      const answer = await pay("1.00", { change });
      assert.deepEqual(answer.body.Data.Instruction.RemittanceInformation, bed.remittance(text));
    }
    const change = ({ Data }: Json) => {
      Data.Initiation.RemittanceInformation = bed.remittance("July");
    };
    const refusal = bed.refused(await pay("1.00", { change }));
    assert.deepEqual(refusal, [400, ["U008", "Data.Initiation.RemittanceInformation"]]);
  });

  test("V-104: if a consent has a reference but no text, or an empty list of texts, each instruction may have its own text", async () => {
    for (const nothing of bed.withoutText) {
      const { pay } = await bed.agree(({ Data }) => {
        Data.Initiation.RemittanceInformation = { ...bed.reference("Savings"), ...nothing };
      });
      const informed = (reference: string) => ({
        change({ Data }: Json) {
          const information = { ...bed.remittance("July"), ...bed.reference(reference) };
          Data.Instruction.RemittanceInformation = information;
        },
      });
      const answer = await pay("1.00", informed("Savings"));
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const { Data } = answer.body;
      assert.deepEqual(Data.Instruction.RemittanceInformation, {
        ...bed.remittance("July"),
        ...bed.reference("Savings"),
      });
      const path = `Data.Instruction.RemittanceInformation.${bed.referencePath}`;
      assert.deepEqual(bed.refused(await pay("1.00", informed("Other"))), [400, ["U008", path]]);
    }
  });

  test("V-107: an order may name the account that the customer chose, and the response repeats it", async () => {
    const { consentId, pay } = await bed.agree();
    const { DebtorAccount } = (await bed.bank.get(`${consents}/${consentId}`)).body.Data;
    const change = ({ Data }: Json) => {
      Data.Initiation.DebtorAccount = DebtorAccount;
    };
    const answer = await pay("1.00", { change });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.Data.Initiation.DebtorAccount, DebtorAccount);
    const read = await bed.bank.get(`${orders}/${answer.body.Data.DomesticVRPId}`);
    assert.deepEqual(read.body.Data.Initiation.DebtorAccount, DebtorAccount);
  });
});
