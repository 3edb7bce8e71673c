import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "#test/payments/answer-check.ts";
import { byBank, inEachVersion, limit, sweeping, vrpConsent } from "./vrp-bed.ts";

inEachVersion((bed) => {
  const { consents } = bed;
  type Change = (body: Json) => void;
  type Control = Record<string, Json>;

  const control =
    (change: (control: Control) => void): Change =>
    (body) =>
      change(body.Data.ControlParameters);
  const lodge = (change?: Change) => bed.bank.post(consents, { body: vrpConsent(change) });
  const at = (member: string) => `Data.ControlParameters.${member}`;

  describe("a consent is refused at its member", () => {
    const rows: [rule: string, change: Change, fault: [string, string]][] = [
      ...["VRPType", "PSUAuthenticationMethods", "MaximumIndividualAmount", "PeriodicLimits"].map(
        (name): [string, Change, [string, string]] => [
          `V-004: a consent without ${name}`,
          control((members) => delete members[name]),
          ["U004", at(name)],
        ],
      ),
      [
        "V-004: a consent without control parameters",
        (body) => delete body.Data.ControlParameters,
        ["U004", "Data.ControlParameters"],
      ],
      [
        "V-004: a consent without an initiation",
        (body) => delete body.Data.Initiation,
        ["U004", "Data.Initiation"],
      ],
      ["V-004: a consent without a risk", (body) => delete body.Risk, ["U004", "Risk"]],
      ...["VRPType", "PSUAuthenticationMethods", "PeriodicLimits"].map(
        (name): [string, Change, [string, string]] => [
          `V-005: an empty ${name}`,
          control((members) => {
            members[name] = [];
          }),
          ["U002", at(name)],
        ],
      ),
      [
        "V-006: a sweeping consent without a payee",
        (body) => delete body.Data.Initiation.CreditorAccount,
        ["U004", "Data.Initiation.CreditorAccount"],
      ],
      [
        "V-008: an unknown VRPType",
        control((members) => {
          members.VRPType = ["UK.OBIE.VRPType.Mopping"];
        }),
        ["U002", at("VRPType[0]")],
      ],
      [
        "V-009: a VRPType that the bank does not offer",
        control((members) => {
          members.VRPType = ["UK.OBIE.VRPType.Other"];
        }),
        ["U002", at("VRPType[0]")],
      ],
      [
        "V-010: a consent for sweeping and another VRPType",
        control((members) => {
          members.VRPType = [sweeping, "UK.OBIE.VRPType.Other"];
        }),
        ["U002", at("VRPType[1]")],
      ],
      [
        "V-011: authentication by the TPP",
        control((members) => {
          members.PSUAuthenticationMethods = [byBank, "UK.OBIE.SCA"];
        }),
        ["U002", at("PSUAuthenticationMethods[1]")],
      ],
      [
        "V-012: an unknown PSUInteractionType",
        control((members) => {
          members.PSUInteractionTypes = ["Whenever"];
        }),
        ["U002", at("PSUInteractionTypes[0]")],
      ],
      [
        "V-014: supplementary data",
        control((members) => {
          members.SupplementaryData = { Tier: "gold" };
        }),
        ["U005", at("SupplementaryData.Tier")],
      ],
      [
        "V-016: a limit per fortnight that is aligned with the calendar",
        control((members) => {
          members.PeriodicLimits = [limit("Fortnight", "Calendar", "9.00")];
        }),
        ["U002", at("PeriodicLimits[0].PeriodAlignment")],
      ],
      [
        "V-019: a second limit for the same period",
        control((members) => {
          members.PeriodicLimits = [
            limit("Week", "Calendar", "9.00"),
            limit("Week", "Consent", "8.00"),
          ];
        }),
        ["U002", at("PeriodicLimits[1].PeriodType")],
      ],
      ...["Half-Year", "HalfYear", "month"].map((type): [string, Change, [string, string]] => [
        `V-020: the PeriodType ${type}`,
        control((members) => {
          members.PeriodicLimits = [limit(type, "Consent", "9.00")];
        }),
        ["U002", at("PeriodicLimits[0].PeriodType")],
      ]),
      ...["0", "0.00", "-1.00", "1,00", "1.001"].map(
        (amount): [string, Change, [string, string]] => [
          `V-021: the amount ${amount}`,
          control((members) => {
            members.PeriodicLimits = [limit("Week", "Consent", amount)];
          }),
          ["U002", at("PeriodicLimits[0].Amount")],
        ],
      ),
      [
        "V-021: a maximum amount of zero",
        control((members) => {
          members.MaximumIndividualAmount.Amount = "0.00";
        }),
        ["U002", at("MaximumIndividualAmount.Amount")],
      ],
      [
        "V-022: a maximum amount in euros",
        control((members) => {
          members.MaximumIndividualAmount.Currency = "EUR";
        }),
        ["U023", at("MaximumIndividualAmount.Currency")],
      ],
      [
        "V-022: a limit in euros",
        control((members) => {
          members.PeriodicLimits[0].Currency = "EUR";
        }),
        ["U023", at("PeriodicLimits[0].Currency")],
      ],
      [
        "V-028: a consent that is valid from yesterday",
        control((members) => {
          members.ValidFromDateTime = "2027-02-28T23:59:59Z";
        }),
        ["U003", at("ValidFromDateTime")],
      ],
      [
        "V-029: a consent that was valid until yesterday",
        control((members) => {
          members.ValidToDateTime = "2027-02-28T23:59:59Z";
        }),
        ["U003", at("ValidToDateTime")],
      ],
      [
        `V-035: a payee's name that is too long`,
        (body) => {
          body.Data.Initiation.CreditorAccount.Name = "n".repeat(bed.creditorName + 1);
        },
        ["U002", "Data.Initiation.CreditorAccount.Name"],
      ],
      [
        "V-036: a creditor agent",
        (body) => {
          body.Data.Initiation.CreditorAgent = {
            SchemeName: "UK.OBIE.BICFI",
            Identification: "ALDGGB22",
          };
        },
        ["U005", "Data.Initiation.CreditorAgent"],
      ],
      [
        "V-037: an unknown member of Risk",
        (body) => {
          body.Risk = { Mood: "good" };
        },
        ["U005", "Risk.Mood"],
      ],
      ...bed.refusedContexts.map((code): [string, Change, [string, string]] => [
        `V-038: the payment context ${code}`,
        (body) => {
          body.Risk = { PaymentContextCode: code };
        },
        ["U002", "Risk.PaymentContextCode"],
      ]),
      [
        "V-040: ReadRefundAccount in lower case",
        (body) => {
          body.Data.ReadRefundAccount = "yes";
        },
        ["U002", "Data.ReadRefundAccount"],
      ],
      [
        "V-041: a payee that is identified by a card number",
        (body) => {
          body.Data.Initiation.CreditorAccount.SchemeName = "UK.OBIE.PAN";
        },
        ["U027", "Data.Initiation.CreditorAccount.SchemeName"],
      ],
      [
        "V-041: an account number that is too short",
        (body) => {
          body.Data.Initiation.CreditorAccount.Identification = "1";
        },
        ["U021", "Data.Initiation.CreditorAccount.Identification"],
      ],
      [
        "V-044: a frequency in the initiation",
        (body) => {
          body.Data.Initiation.Frequency = "EvryDay";
        },
        ["U005", "Data.Initiation.Frequency"],
      ],
    ];
    for (const [title, change, fault] of rows) {
      test(`${title} is refused`, async () => {
        const answer = await lodge(change);
        assert.equal(answer.status, 400);
        assert.ok(
          bed.faultsOf(answer).some(([code, path]) => code === fault[0] && path === fault[1]),
          JSON.stringify(answer.body),
        );
      });
    }
  });

  test("V-007: a consent of a type that is not offered is also refused because it does not name a payee", async () => {
    const answer = await lodge((body) => {
      body.Data.ControlParameters.VRPType = ["UK.OBIE.VRPType.Other"];
      delete body.Data.Initiation.CreditorAccount;
    });
    assert.deepEqual(bed.refused(answer), [
      400,
      ["U002", at("VRPType[0]")],
      ["U004", "Data.Initiation.CreditorAccount"],
    ]);
  });
});
