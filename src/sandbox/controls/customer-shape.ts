import Type from "typebox";

/** A customer of the sandbox with the accounts. */
export const customer = Type.Object(
  {
    customerId: Type.String(),
    login: Type.String(),
    password: Type.String(),
    name: Type.String(),
    description: Type.String(),
    accounts: Type.Array(
      Type.Object(
        {
          accountId: Type.String(),
          accountSubType: Type.String(),
          nickname: Type.Union([Type.String(), Type.Null()]),
          schemeName: Type.String(),
          identification: Type.String(),
          currency: Type.String(),
          balance: Type.Union([Type.String(), Type.Null()]),
          signatoriesRequired: Type.Integer(),
          status: Type.Enum(["Enabled", "Disabled", "Deleted"]),
        },
        { title: "CustomerAccount" },
      ),
    ),
  },
  { title: "Customer" },
);
