import { createHash } from "node:crypto";
import {
  abroad,
  cardRepayment,
  directDebit,
  fee,
  interestEarned,
  interestOwed,
  monthlyCharge,
  received,
  salary,
  standingOrder,
  transfer,
} from "./habits.ts";
import type { Card, Habit, Household, Persona, PersonaAccount } from "./persona.ts";
import { stableId } from "./stable-id.ts";

function persona(
  login: string,
  name: string,
  description: string,
  kind: Persona["kind"] = "personal",
): Persona {
  const secret = createHash("sha256").update(`aldgate sandbox factor ${login}`).digest("hex");
  return {
    login,
    customerId: stableId("cus", login),
    name,
    kind,
    password: `${login}-sandbox`,
    totpSecret: secret,
    description,
  };
}

const visa = (lastFour: string): Card => ({
  scheme: "VISA",
  maskedPan: `**** **** **** ${lastFour}`,
});
const masterCard = (lastFour: string): Card => ({ ...visa(lastFour), scheme: "MasterCard" });

type Given = Partial<PersonaAccount> & Pick<PersonaAccount, "nickname" | "openedOn" | "start">;

const makers = {
  current: ["CurrentAccount", "Everyday Account"],
  savings: ["Savings", "Instant Saver"],
  card: ["CreditCard", "Aldgate Credit Card"],
} as const;

function account(
  key: string,
  maker: keyof typeof makers,
  holder: Persona,
  given: Given,
): PersonaAccount {
  const [subType, description] = makers[maker];
  return {
    key,
    subType,
    description,
    holders: [{ login: holder.login, role: "owner" }],
    holderName: holder.name,
    limit: 0,
    signatoriesRequired: 1,
    card: null,
    ...given,
  };
}

const amara = persona(
  "amara",
  "Amara Okafor",
  "One person with a current account, savings and a credit card: the one to start with.",
);
const ben = persona("ben", "Ben Whitfield", "Holds a joint account with Chloe, and his own.");
const chloe = persona("chloe", "Chloe Whitfield", "Holds a joint account with Ben, and her own.");
const dev = persona(
  "dev",
  "Dev Patel",
  "Signs for a business; a payment from its main account needs Elin's signature too.",
  "business",
);
const elin = persona(
  "elin",
  "Elin Nystrom",
  "The second signatory of the business: approves the payments that Dev starts.",
  "business",
);
const finn = persona(
  "finn",
  "Finn Doyle",
  "Overdrawn, with little left to spend: larger payments are refused.",
);
const grace = persona(
  "grace",
  "Grace Adeyemi",
  "Thirty accounts: long lists, and many accounts to choose from.",
);
const harriet = persona(
  "harriet",
  "Harriet Hale",
  "A coffee shop with 100,000 transactions on one account, to try paging and filters.",
  "business",
);
const iris = persona(
  "iris",
  "Iris Marchand",
  "Accounts in pounds, euros and dollars: international payments with and without a currency " +
    "exchange.",
);

const amaraHousehold: Household = {
  name: "amara",
  personas: [amara],
  accounts: [
    account("current", "current", amara, {
      nickname: "Everyday",
      openedOn: "2019-05-14",
      start: 318_042,
      limit: 50_000,
      card: visa("4417"),
    }),
    account("savings", "savings", amara, {
      nickname: "Rainy day",
      openedOn: "2020-02-03",
      start: 412_500,
    }),
    account("card", "card", amara, {
      nickname: "Credit card",
      openedOn: "2021-09-20",
      start: -38_214,
      limit: 350_000,
      card: masterCard("8032"),
    }),
  ],
  habits: [
    salary("current", 25, 284_250, "Northgate Publishing"),
    standingOrder(
      "current",
      1,
      105_000,
      { name: "Harbour Lettings", number: "00981044820193" },
      "RENT FLAT 4",
    ),
    directDebit("current", 3, [5_800, 9_400], "Brightspark Energy"),
    directDebit("current", 5, 3_640, "Thames Valley Water"),
    directDebit("current", 8, 14_150, "Tower Hamlets Council"),
    directDebit("current", 11, 3_200, "Swift Broadband"),
    directDebit("current", 17, 1_450, "Lark Mobile"),
    cardRepayment("current", "card", 12),
    transfer("current", "savings", 26, 20_000, "Rainy day"),
    interestEarned("savings"),
  ],
  later: [
    {
      account: "current",
      inDays: 20,
      sum: 18_450,
      party: { name: "Lintel Home Insurance", number: "00982207714406" },
      reference: "POLICY LH 20418",
    },
  ],
  spending: [
    { account: "card", budget: 42_000, groups: ["online", "shops", "travel"] },
    { account: "current", budget: { keep: 318_042 }, groups: ["food", "out", "travel", "cash"] },
  ],
  pending: [
    { account: "current", count: 2 },
    { account: "card", count: 1 },
  ],
};

const couple: PersonaAccount["holders"] = [
  { login: "ben", role: "joint" },
  { login: "chloe", role: "joint" },
];
const coupleName = "B Whitfield and C Whitfield";

const whitfieldHousehold: Household = {
  name: "whitfield",
  personas: [ben, chloe],
  accounts: [
    account("joint", "current", ben, {
      nickname: "Our bills",
      openedOn: "2016-08-01",
      start: 421_800,
      limit: 100_000,
      holders: couple,
      holderName: coupleName,
      card: visa("2290"),
    }),
    account("joint-savings", "savings", ben, {
      nickname: "House fund",
      openedOn: "2017-01-09",
      start: 1_840_000,
      holders: couple,
      holderName: coupleName,
    }),
    account("ben", "current", ben, {
      nickname: "Ben's account",
      openedOn: "2011-03-22",
      start: 148_700,
      limit: 25_000,
      card: visa("6641"),
    }),
    account("chloe", "current", chloe, {
      nickname: "Chloe's account",
      openedOn: "2012-11-05",
      start: 196_300,
      limit: 25_000,
      card: visa("1875"),
    }),
    account("chloe-card", "card", chloe, {
      nickname: "Chloe's card",
      openedOn: "2018-06-18",
      start: -21_350,
      limit: 500_000,
      card: masterCard("9426"),
    }),
  ],
  habits: [
    salary("ben", 28, 241_180, "Castlegate School"),
    salary("chloe", 20, 305_420, "Meridian Health Trust"),
    transfer("ben", "joint", 28, 150_000, "Bills"),
    transfer("chloe", "joint", 21, 180_000, "Bills"),
    directDebit("joint", 1, 128_400, "Kestrel Building Society"),
    directDebit("joint", 4, 19_800, "Leeds City Council"),
    directDebit("joint", 6, [11_000, 21_500], "Brightspark Energy"),
    directDebit("joint", 10, 4_610, "Yorkshire Waterways"),
    directDebit("joint", 14, 6_820, "Guardian Home Insurance"),
    directDebit("joint", 19, 15_900, "Little Acorns Nursery"),
    transfer("joint", "joint-savings", 24, 30_000, "House fund"),
    cardRepayment("chloe", "chloe-card", 15),
    interestEarned("joint-savings"),
  ],
  spending: [
    { account: "joint", budget: { keep: 421_800 }, groups: ["food", "shops", "health"] },
    { account: "ben", budget: { keep: 148_700 }, groups: ["out", "travel", "cash", "online"] },
    { account: "chloe-card", budget: 36_000, groups: ["shops", "online", "out"] },
    { account: "chloe", budget: { keep: 196_300 }, groups: ["out", "travel", "health", "cash"] },
  ],
  pending: [
    { account: "joint", count: 1 },
    { account: "chloe-card", count: 2 },
  ],
};

const signatories: PersonaAccount["holders"] = [
  { login: "dev", role: "signatory" },
  { login: "elin", role: "signatory" },
];
const firm = "Patel Nystrom Joinery Ltd";

const businessHousehold: Household = {
  name: "business",
  personas: [dev, elin],
  accounts: [
    account("main", "current", dev, {
      nickname: "Main account (two sign)",
      description: "Business Account",
      openedOn: "2015-04-13",
      start: 3_480_000,
      limit: 500_000,
      holders: signatories,
      holderName: firm,
      signatoriesRequired: 2,
    }),
    account("petty", "current", dev, {
      nickname: "Site expenses",
      description: "Business Account",
      openedOn: "2017-10-02",
      start: 412_000,
      holders: signatories,
      holderName: firm,
      card: visa("5108"),
    }),
    account("tax", "savings", dev, {
      nickname: "VAT and tax",
      description: "Business Saver",
      openedOn: "2015-05-01",
      start: 1_260_000,
      holders: signatories,
      holderName: firm,
    }),
    account("dev-card", "card", dev, {
      nickname: "Company card",
      description: "Business Credit Card",
      openedOn: "2019-02-11",
      start: -96_480,
      limit: 1_000_000,
      holderName: firm,
      card: masterCard("3377"),
    }),
  ],
  habits: [
    received(
      "main",
      { weekday: 2 },
      [420_000, 690_000],
      { name: "Ashdown Homes", number: "00981120775630" },
      "STAGE PAYMENT",
    ),
    received(
      "main",
      { weekday: 5 },
      [95_000, 260_000],
      { name: "Lowther Interiors", number: "00982215509418" },
      "INVOICE",
    ),
    {
      ...standingOrder(
        "main",
        1,
        285_000,
        { name: "Foundry Yard Estates", number: "00980440071126" },
        "UNIT 7",
      ),
      mandate: { classification: "Fixed", reason: "Rent of Unit 7, Foundry Yard" },
      remittance: {
        structured: [
          {
            documents: [{ type: "CONT", number: "FYE-LEASE-7", relatedOn: "2019-03-25" }],
            documentAmount: { amountMinor: "285000", currency: "GBP" },
            invoicer: "Foundry Yard Estates",
          },
        ],
      },
    },
    directDebit("main", 22, [620_000, 710_000], "Revenue and Customs PAYE"),
    standingOrder(
      "main",
      27,
      1_140_000,
      { name: "Payroll Bureau", number: "00980718883302" },
      "WAGES",
    ),
    transfer("main", "tax", 6, 250_000, "VAT set aside"),
    transfer("main", "petty", 2, 180_000, "Site expenses"),
    cardRepayment("main", "dev-card", 16),
    monthlyCharge("main", 9, 850, "BUSINESS ACCOUNT MONTHLY CHARGE"),
    interestEarned("tax"),
  ],
  spending: [
    { account: "dev-card", budget: 140_000, groups: ["trade", "travel"] },
    { account: "petty", budget: { keep: 412_000 }, groups: ["trade"] },
    { account: "main", budget: { keep: 3_480_000 }, groups: ["supply"] },
  ],
  pending: [{ account: "dev-card", count: 2 }],
};

const finnHousehold: Household = {
  name: "finn",
  personas: [finn],
  accounts: [
    account("current", "current", finn, {
      nickname: "Main",
      openedOn: "2018-07-30",
      start: -92_000,
      limit: 200_000,
      card: visa("7753"),
    }),
    account("savings", "savings", finn, {
      nickname: "Savings",
      openedOn: "2019-01-15",
      start: 1_240,
    }),
    account("card", "card", finn, {
      nickname: "Credit card",
      openedOn: "2022-03-08",
      start: -118_940,
      limit: 150_000,
      card: visa("0419"),
    }),
  ],
  habits: [
    {
      ...salary("current", 1, 41_060, "Dockside Couriers"),
      when: { weekday: 5 },
      text: "DOCKSIDE COURIERS WAGES",
    },
    standingOrder(
      "current",
      1,
      62_000,
      {
        name: "M Brennan",
        number: "00983107724465",
        proxy: { code: "MBNO", identification: "+44-7700900562" },
      },
      "RENT ROOM",
    ),
    directDebit("current", 7, 2_800, "Lark Mobile"),
    directDebit("current", 13, [4_500, 7_600], "Brightspark Energy"),
    { ...cardRepayment("current", "card", 18), sum: 3_500 },
    fee("current", 20, 1_200, "UNPAID ITEM FEE"),
    interestOwed("current"),
    interestEarned("savings"),
    interestOwed("card"),
  ],
  spending: [
    { account: "current", budget: { keep: -92_000 }, groups: ["food", "out", "travel", "cash"] },
  ],
  pending: [{ account: "current", count: 2 }],
};

const pots =
  "Holiday;Christmas;New boiler;Car;Garden;Wedding;Birthdays;Dentist;Bike;Piano;Emergency;Roof;" +
  "School trip;Laptop;Sofa;Insurance;Tax bill;Camping;Theatre;Charity;Kitchen;Dog;Books;Language " +
  "course;Retirement treat;Windows;Visits home";

const potAccounts: PersonaAccount[] = pots.split(";").map((nickname, index) =>
  account(`pot-${index + 1}`, "savings", grace, {
    nickname,
    description: "Savings Pot",
    openedOn: Temporal.PlainDate.from("2020-03-02")
      .add({ days: index * 23 })
      .toString(),
    start: 4_000 + index * 3_150,
  }),
);

const potHabits: Habit[] = potAccounts.flatMap(({ key, nickname }, index) => [
  transfer("current", key, 2 + (index % 26), 1_000 + (index % 7) * 500, nickname),
  interestEarned(key),
]);

const graceHousehold: Household = {
  name: "grace",
  personas: [grace],
  accounts: [
    account("current", "current", grace, {
      nickname: "Current",
      openedOn: "2014-09-08",
      start: 540_000,
      limit: 150_000,
      card: visa("8841"),
    }),
    account("travel-card", "card", grace, {
      nickname: "Travel card",
      openedOn: "2016-05-27",
      start: -12_630,
      limit: 600_000,
      card: masterCard("2716"),
    }),
    account("home-card", "card", grace, {
      nickname: "Home card",
      openedOn: "2017-12-01",
      start: -47_210,
      limit: 400_000,
      card: visa("5932"),
    }),
    ...potAccounts,
  ],
  habits: [
    salary("current", 24, 412_900, "Ellis Webb Architects"),
    directDebit("current", 1, 138_000, "Kestrel Building Society"),
    directDebit("current", 5, [8_000, 15_600], "Brightspark Energy"),
    directDebit("current", 9, 17_450, "Bristol City Council"),
    directDebit("current", 15, 3_900, "Swift Broadband"),
    cardRepayment("current", "travel-card", 10),
    cardRepayment("current", "home-card", 18),
    ...potHabits,
  ],
  spending: [
    { account: "travel-card", budget: 22_000, groups: ["travel", "out"] },
    { account: "home-card", budget: 31_000, groups: ["shops", "online"] },
    { account: "current", budget: { keep: 540_000 }, groups: ["food", "out", "health", "cash"] },
  ],
  pending: [
    { account: "current", count: 1 },
    { account: "travel-card", count: 1 },
  ],
};

const harrietHousehold: Household = {
  name: "harriet",
  personas: [harriet],
  accounts: [
    account("shop", "current", harriet, {
      nickname: "Shop",
      description: "Business Account",
      openedOn: "2013-06-10",
      start: 1_850_000,
      limit: 200_000,
      holderName: "Hale and Crumb Coffee Ltd",
    }),
    account("reserve", "savings", harriet, {
      nickname: "Reserve",
      description: "Business Saver",
      openedOn: "2014-02-17",
      start: 2_400_000,
      holderName: "Hale and Crumb Coffee Ltd",
    }),
  ],
  habits: [
    standingOrder(
      "shop",
      1,
      420_000,
      { name: "Market Row Estates", number: "00984501162078" },
      "SHOP RENT",
    ),
    standingOrder(
      "shop",
      28,
      1_060_000,
      { name: "Payroll Bureau", number: "00980718883302" },
      "STAFF WAGES",
    ),
    directDebit("shop", 7, [48_000, 76_000], "Brightspark Energy"),
    directDebit("shop", 12, 31_250, "Card Terminal Rental"),
    transfer("shop", "reserve", 20, 150_000, "Reserve"),
    monthlyCharge("shop", 9, 850, "BUSINESS ACCOUNT MONTHLY CHARGE"),
    interestEarned("reserve"),
  ],
  spending: [{ account: "shop", budget: { keep: 1_850_000 }, groups: ["supply"] }],
  takings: { account: "shop", perDay: 178, from: 260, to: 1_480, text: "CARD SALE" },
  pending: [],
  newest: 100_000,
};

const irisHousehold: Household = {
  name: "iris",
  personas: [iris],
  accounts: [
    account("current", "current", iris, {
      nickname: "Pounds",
      openedOn: "2017-03-06",
      start: 624_300,
      limit: 50_000,
      card: visa("3065"),
    }),
    account("euros", "current", iris, {
      nickname: "Euros",
      description: "Currency Account",
      currency: "EUR",
      openedOn: "2018-10-15",
      start: 1_240_000,
    }),
    account("dollars", "current", iris, {
      nickname: "Dollars",
      description: "Currency Account",
      currency: "USD",
      openedOn: "2019-06-03",
      start: 1_865_000,
    }),
  ],
  later: [
    {
      account: "euros",
      inDays: 25,
      sum: 64_000,
      party: { name: "Atelier Bonnard", number: "FR1420041010050500013M02606" },
      reference: "ACOMPTE 118",
    },
  ],
  habits: [
    received(
      "current",
      { day: 14, roll: "after" },
      [180_000, 240_000],
      { name: "Fernhill Press", number: "00983409915527" },
      "TRANSLATION",
    ),
    standingOrder(
      "current",
      1,
      98_000,
      { name: "Canal Side Studios", number: "00981720046613" },
      "STUDIO 12",
    ),
    directDebit("current", 6, [4_900, 8_200], "Brightspark Energy"),
    directDebit("current", 16, 2_250, "Lark Mobile"),
    abroad(
      "euros",
      "in",
      { day: 5, roll: "after" },
      [240_000, 310_000],
      { name: "Éditions du Quai", number: "FR7630006000011234567890189" },
      "HONORAIRES",
    ),
    abroad(
      "euros",
      "in",
      { day: 19, roll: "after" },
      [60_000, 95_000],
      { name: "Verlag am Lindenplatz", number: "DE89370400440532013000" },
      "LEKTORAT",
    ),
    abroad(
      "euros",
      "out",
      { day: 8, roll: "after" },
      [190_000, 240_000],
      { name: "Atelier Bonnard", number: "FR1420041010050500013M02606" },
      "FACTURE",
    ),
    abroad(
      "euros",
      "out",
      { day: 22, roll: "after" },
      115_000,
      { name: "Marta Ruiz Soler", number: "ES9121000418450200051332" },
      "COLABORACION",
    ),
    abroad(
      "dollars",
      "in",
      { day: 11, roll: "after" },
      [320_000, 410_000],
      { name: "Bright Harbor Media Inc" },
      "INV SUBTITLES",
    ),
    abroad(
      "dollars",
      "out",
      { day: 17, roll: "after" },
      [330_000, 390_000],
      { name: "Lakeshore Voice Studio LLC" },
      "RECORDING",
    ),
  ],
  spending: [
    { account: "current", budget: { keep: 624_300 }, groups: ["food", "out", "travel", "online"] },
  ],
  pending: [{ account: "current", count: 1 }],
};

/**
 * All customers of the sandbox, from the smallest household to the one with the most transactions.
 */
export const households: readonly Household[] = [
  amaraHousehold,
  whitfieldHousehold,
  businessHousehold,
  finnHousehold,
  graceHousehold,
  irisHousehold,
  harrietHousehold,
];
