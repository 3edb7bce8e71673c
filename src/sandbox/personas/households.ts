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
import { type OutcomeUser, outcomeUsers } from "./outcome-users.ts";
import {
  type Card,
  type Habit,
  type Household,
  newPersona,
  type Pence,
  type Persona,
  type PersonaAccount,
} from "./persona.ts";

const visa = (lastFour: string): Card => ({
  scheme: "VISA",
  maskedPan: `**** **** **** ${lastFour}`,
});
const masterCard = (lastFour: string): Card => ({ ...visa(lastFour), scheme: "MasterCard" });

type Holding = Pick<PersonaAccount, "holders" | "holderName">;

const sole = ({ login, name }: Persona): Holding => ({
  holders: [{ login, role: "owner" }],
  holderName: name,
});

/** Makes the function that opens accounts of a product. */
const opens =
  (subType: PersonaAccount["subType"], description: string) =>
  (
    holder: Persona | Holding,
    key: string,
    nickname: string,
    openedOn: string,
    start: Pence,
    limit: Pence = 0,
    card: Card | null = null,
  ): PersonaAccount => ({
    key,
    subType,
    description,
    ...("login" in holder ? sole(holder) : holder),
    nickname,
    openedOn,
    start,
    limit,
    card,
    signatoriesRequired: 1,
  });

const current = opens("CurrentAccount", "Everyday Account");
const foreign = opens("CurrentAccount", "Currency Account");
const business = opens("CurrentAccount", "Business Account");
const savings = opens("Savings", "Instant Saver");
const pot = opens("Savings", "Savings Pot");
const businessSavings = opens("Savings", "Business Saver");
const card = opens("CreditCard", "Aldgate Credit Card");
const businessCard = opens("CreditCard", "Business Credit Card");

/** Payees and payers at other banks. */
const parties = {
  ashdown: { name: "Ashdown Homes", number: "00981120775630" },
  bonnard: { name: "Atelier Bonnard", number: "FR1420041010050500013M02606" },
  brennan: {
    name: "M Brennan",
    number: "00983107724465",
    proxy: { code: "MBNO", identification: "+44-7700900562" },
  },
  brightHarbor: { name: "Bright Harbor Media Inc" },
  canalSide: { name: "Canal Side Studios", number: "00981720046613" },
  fernhill: { name: "Fernhill Press", number: "00983409915527" },
  foundryYard: { name: "Foundry Yard Estates", number: "00980440071126" },
  harbour: { name: "Harbour Lettings", number: "00981044820193" },
  lakeshore: { name: "Lakeshore Voice Studio LLC" },
  lindenplatz: { name: "Verlag am Lindenplatz", number: "DE89370400440532013000" },
  lintel: { name: "Lintel Home Insurance", number: "00982207714406" },
  lowther: { name: "Lowther Interiors", number: "00982215509418" },
  marketRow: { name: "Market Row Estates", number: "00984501162078" },
  payroll: { name: "Payroll Bureau", number: "00980718883302" },
  quai: { name: "Éditions du Quai", number: "FR7630006000011234567890189" },
  ruiz: { name: "Marta Ruiz Soler", number: "ES9121000418450200051332" },
} as const;

const amara = newPersona(
  "amara",
  "Amara Okafor",
  "One person with a current account, savings and a credit card: the one to start with.",
);
const ben = newPersona("ben", "Ben Whitfield", "Holds a joint account with Chloe, and his own.");
const chloe = newPersona(
  "chloe",
  "Chloe Whitfield",
  "Holds a joint account with Ben, and her own.",
);
const dev = newPersona(
  "dev",
  "Dev Patel",
  "Signs for a business; a payment from its main account needs Elin's signature too.",
  "business",
);
const elin = newPersona(
  "elin",
  "Elin Nystrom",
  "The second signatory of the business: approves the payments that Dev starts.",
  "business",
);
const finn = newPersona(
  "finn",
  "Finn Doyle",
  "Overdrawn, with little left to spend: larger payments are refused.",
);
const grace = newPersona(
  "grace",
  "Grace Adeyemi",
  "Thirty accounts: long lists, and many accounts to choose from.",
);
const harriet = newPersona(
  "harriet",
  "Harriet Hale",
  "A coffee shop with 10,000 transactions on one account, to try paging and filters.",
  "business",
);
const iris = newPersona(
  "iris",
  "Iris Marchand",
  "Accounts in pounds, euros and dollars: international payments with and without a currency " +
    "exchange.",
);

const amaraHousehold: Household = {
  name: "amara",
  personas: [amara],
  accounts: [
    current(amara, "current", "Everyday", "2019-05-14", 318_042, 50_000, visa("4417")),
    savings(amara, "savings", "Rainy day", "2020-02-03", 412_500),
    card(amara, "card", "Credit card", "2021-09-20", -38_214, 350_000, masterCard("8032")),
  ],
  habits: [
    salary("current", 25, 284_250, "Northgate Publishing"),
    standingOrder("current", 1, 105_000, parties.harbour, "RENT FLAT 4"),
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
      party: parties.lintel,
      reference: "POLICY LH 20418",
    },
  ],
  spending: [
    { account: "card", budget: 42_000, groups: ["online", "shops", "travel"] },
    { account: "current", budget: { keep: 318_042 }, groups: ["food", "out", "travel", "cash"] },
  ],
  pending: { current: 2, card: 1 },
};

const couple: Holding = {
  holders: [
    { login: "ben", role: "joint" },
    { login: "chloe", role: "joint" },
  ],
  holderName: "B Whitfield and C Whitfield",
};

const whitfieldHousehold: Household = {
  name: "whitfield",
  personas: [ben, chloe],
  accounts: [
    current(couple, "joint", "Our bills", "2016-08-01", 421_800, 100_000, visa("2290")),
    savings(couple, "joint-savings", "House fund", "2017-01-09", 1_840_000),
    current(ben, "ben", "Ben's account", "2011-03-22", 148_700, 25_000, visa("6641")),
    current(chloe, "chloe", "Chloe's account", "2012-11-05", 196_300, 25_000, visa("1875")),
    card(chloe, "chloe-card", "Chloe's card", "2018-06-18", -21_350, 500_000, masterCard("9426")),
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
  pending: { joint: 1, "chloe-card": 2 },
};

const joinery: Holding = {
  holders: [
    { login: "dev", role: "signatory" },
    { login: "elin", role: "signatory" },
  ],
  holderName: "Patel Nystrom Joinery Ltd",
};
const joineryCard: Holding = { ...sole(dev), holderName: joinery.holderName };

const businessHousehold: Household = {
  name: "business",
  personas: [dev, elin],
  accounts: [
    {
      ...business(joinery, "main", "Main account (two sign)", "2015-04-13", 3_480_000, 500_000),
      signatoriesRequired: 2,
    },
    business(joinery, "petty", "Site expenses", "2017-10-02", 412_000, 0, visa("5108")),
    businessSavings(joinery, "tax", "VAT and tax", "2015-05-01", 1_260_000),
    businessCard(
      joineryCard,
      "dev-card",
      "Company card",
      "2019-02-11",
      -96_480,
      1_000_000,
      masterCard("3377"),
    ),
  ],
  habits: [
    received("main", { weekday: 2 }, [420_000, 690_000], parties.ashdown, "STAGE PAYMENT"),
    received("main", { weekday: 5 }, [95_000, 260_000], parties.lowther, "INVOICE"),
    {
      ...standingOrder("main", 1, 285_000, parties.foundryYard, "UNIT 7"),
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
    standingOrder("main", 27, 1_140_000, parties.payroll, "WAGES"),
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
  pending: { "dev-card": 2 },
};

const finnHousehold: Household = {
  name: "finn",
  personas: [finn],
  accounts: [
    current(finn, "current", "Main", "2018-07-30", -92_000, 200_000, visa("7753")),
    savings(finn, "savings", "Savings", "2019-01-15", 1_240),
    card(finn, "card", "Credit card", "2022-03-08", -118_940, 150_000, visa("0419")),
  ],
  habits: [
    {
      ...salary("current", 1, 41_060, "Dockside Couriers"),
      when: { weekday: 5 },
      text: "DOCKSIDE COURIERS WAGES",
    },
    standingOrder("current", 1, 62_000, parties.brennan, "RENT ROOM"),
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
  pending: { current: 2 },
};

const pots =
  "Holiday;Christmas;New boiler;Car;Garden;Wedding;Birthdays;Dentist;Bike;Piano;Emergency;Roof;" +
  "School trip;Laptop;Sofa;Insurance;Tax bill;Camping;Theatre;Charity;Kitchen;Dog;Books;Language " +
  "course;Retirement treat;Windows;Visits home";

const potAccounts: PersonaAccount[] = pots.split(";").map((nickname, index) => {
  const openedOn = Temporal.PlainDate.from("2020-03-02").add({ days: index * 23 });
  return pot(grace, `pot-${index + 1}`, nickname, openedOn.toString(), 4_000 + index * 3_150);
});

const potHabits: Habit[] = potAccounts.flatMap(({ key, nickname }, index) => [
  transfer("current", key, 2 + (index % 26), 1_000 + (index % 7) * 500, nickname ?? key),
  interestEarned(key),
]);

const graceHousehold: Household = {
  name: "grace",
  personas: [grace],
  accounts: [
    current(grace, "current", "Current", "2014-09-08", 540_000, 150_000, visa("8841")),
    card(grace, "travel-card", "Travel card", "2016-05-27", -12_630, 600_000, masterCard("2716")),
    card(grace, "home-card", "Home card", "2017-12-01", -47_210, 400_000, visa("5932")),
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
  pending: { current: 1, "travel-card": 1 },
};

const coffeeShop: Holding = { ...sole(harriet), holderName: "Hale and Crumb Coffee Ltd" };

const harrietHousehold: Household = {
  name: "harriet",
  personas: [harriet],
  accounts: [
    business(coffeeShop, "shop", "Shop", "2013-06-10", 1_850_000, 200_000),
    businessSavings(coffeeShop, "reserve", "Reserve", "2014-02-17", 2_400_000),
  ],
  habits: [
    standingOrder("shop", 1, 420_000, parties.marketRow, "SHOP RENT"),
    standingOrder("shop", 28, 1_060_000, parties.payroll, "STAFF WAGES"),
    directDebit("shop", 7, [48_000, 76_000], "Brightspark Energy"),
    directDebit("shop", 12, 31_250, "Card Terminal Rental"),
    transfer("shop", "reserve", 20, 150_000, "Reserve"),
    monthlyCharge("shop", 9, 850, "BUSINESS ACCOUNT MONTHLY CHARGE"),
    interestEarned("reserve"),
  ],
  spending: [{ account: "shop", budget: { keep: 1_850_000 }, groups: ["supply"] }],
  takings: { account: "shop", perDay: 178, from: 260, to: 1_480, text: "CARD SALE" },
  pending: {},
  // of the 100,000 of 18 months, which would double the time of a first start
  newest: 10_000,
};

const irisHousehold: Household = {
  name: "iris",
  personas: [iris],
  accounts: [
    current(iris, "current", "Pounds", "2017-03-06", 624_300, 50_000, visa("3065")),
    { ...foreign(iris, "euros", "Euros", "2018-10-15", 1_240_000), currency: "EUR" },
    { ...foreign(iris, "dollars", "Dollars", "2019-06-03", 1_865_000), currency: "USD" },
  ],
  later: [
    {
      account: "euros",
      inDays: 25,
      sum: 64_000,
      party: parties.bonnard,
      reference: "ACOMPTE 118",
    },
  ],
  habits: [
    received(
      "current",
      { day: 14, roll: "after" },
      [180_000, 240_000],
      parties.fernhill,
      "TRANSLATION",
    ),
    standingOrder("current", 1, 98_000, parties.canalSide, "STUDIO 12"),
    directDebit("current", 6, [4_900, 8_200], "Brightspark Energy"),
    directDebit("current", 16, 2_250, "Lark Mobile"),
    abroad("euros", "in", 5, [240_000, 310_000], parties.quai, "HONORAIRES"),
    abroad("euros", "in", 19, [60_000, 95_000], parties.lindenplatz, "LEKTORAT"),
    abroad("euros", "out", 8, [190_000, 240_000], parties.bonnard, "FACTURE"),
    abroad("euros", "out", 22, 115_000, parties.ruiz, "COLABORACION"),
    abroad("dollars", "in", 11, [320_000, 410_000], parties.brightHarbor, "INV SUBTITLES"),
    abroad("dollars", "out", 17, [330_000, 390_000], parties.lakeshore, "RECORDING"),
  ],
  spending: [
    { account: "current", budget: { keep: 624_300 }, groups: ["food", "out", "travel", "online"] },
  ],
  pending: { current: 1 },
};

/** The household of a customer whose user name is a trigger: its name is the login. */
function outcomeHousehold({ login, name, about }: OutcomeUser): Household {
  const user = newPersona(login, name, about);
  return {
    name: login,
    personas: [user],
    accounts: [current(user, "current", "Current", "2021-05-04", 450_000)],
    habits: [fee("current", 9, 1_200, "UNPAID ITEM FEE")],
    spending: [],
    pending: {},
  };
}

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
  ...outcomeUsers.map(outcomeHousehold),
];
