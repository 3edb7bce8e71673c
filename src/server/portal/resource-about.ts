const consent = (payment: string): string =>
  `A consent is the customer's agreement to ${payment}. Create one, send the customer to the bank ` +
  "to approve it, and then use it for one order.";

const order = (payment: string): string =>
  `An order makes the bank carry out ${payment} that the customer has approved. Submit it with ` +
  "the token of the consent, then read it until its status is final.";

const account = (what: string, why: string): string => `${what} ${why}`;

/**
 * What each resource is for, in two sentences, by its name. A resource without a text, such as that
 * of a kind that a bank adds, is introduced by the summaries of its operations.
 */
export const resourceAbout: Readonly<Record<string, string>> = {
  "Domestic Payment Consents": consent("one payment in pounds, made at once"),
  "Domestic Payments": order("one payment in pounds"),
  "Domestic Scheduled Payment Consents": consent("one payment in pounds on a later day"),
  "Domestic Scheduled Payments": order("one payment in pounds on a later day"),
  "Domestic Standing Order Consents": consent("a standing order in pounds"),
  "Domestic Standing Orders": order("a standing order in pounds"),
  "International Payment Consents": consent("one payment abroad or in another currency"),
  "International Payments": order("one payment abroad or in another currency"),
  "International Scheduled Payment Consents": consent("one payment abroad on a later day"),
  "International Scheduled Payments": order("one payment abroad on a later day"),
  "International Standing Order Consents": consent("a standing order abroad"),
  "International Standing Orders": order("a standing order abroad"),
  "File Payment Consents":
    "A consent for the payments of one file. Create it with the file's hash, upload the file, and " +
    "send the customer to the bank to approve both.",
  "File Payments": order("the payments of an uploaded file"),
  "Domestic VRP Consents":
    "A consent for variable recurring payments: the customer approves limits once. Within them, " +
    "you make any number of payments without the customer.",
  "Domestic VRPs":
    "A payment under a consent for variable recurring payments. The bank rejects it if it exceeds " +
    "a limit of the consent.",
  "Account Access":
    "A consent to read accounts, with the permissions that say what you may read. Create one, " +
    "and send the customer to the bank to choose the accounts.",
  Accounts: account(
    "The accounts that the customer chose, with their identifiers.",
    "Read them first: every other resource needs an `AccountId`.",
  ),
  Balances: account(
    "The balances of an account or of all accounts of the consent.",
    "They say how much money there is, of which kind, and when that was so.",
  ),
  Transactions: account(
    "The bookings on an account, the newest first, in pages.",
    "`fromBookingDateTime` and `toBookingDateTime` choose a period.",
  ),
  Products: account(
    "The product behind an account, with its fees, interest and overdraft.",
    "Comparison services read it.",
  ),
  Offers: account(
    "Offers that the bank has made to the customer for an account.",
    "An increased limit or a balance transfer are examples.",
  ),
  Parties: account(
    "The people and companies that own or use an account.",
    "One operation returns the party that gave the consent.",
  ),
  Statements: account(
    "The statements of an account: what they sum up, their transactions and the document.",
    "A statement file is a PDF.",
  ),
  Beneficiaries: account(
    "The payees that the customer has stored.",
    "Their details need the permission `ReadBeneficiariesDetail`.",
  ),
  "Direct Debits": account(
    "The direct debit mandates of an account, with the last payment of each.",
    "Read them to show what will be collected.",
  ),
  "Scheduled Payments": account(
    "The single payments that an account will make on a later day.",
    "It has those of every channel.",
  ),
  "Standing Orders": account(
    "The standing orders of an account, with their rhythm and next payment.",
    "It has those of every channel.",
  ),
  "Funds Confirmation Consents":
    "A consent with which a card issuer may ask whether an account has enough money. The customer " +
    "approves it for one account.",
  "Funds Confirmations":
    "The question of a card issuer: does the account have this amount? The bank answers yes or no, " +
    "and sets nothing aside.",
  "Event Subscriptions":
    "Your registration to be told of changes, such as a withdrawn consent. It names a callback " +
    "URL, or none if you poll.",
  "Callback URLs":
    "The URL to which the bank sends event notifications. It belongs to the older form of " +
    "registration.",
  Events:
    "The event notifications that wait for you. Fetch them, and confirm those that you have " +
    "processed in the next request.",
  ...sandboxAbout(),
};

function sandboxAbout(): Record<string, string> {
  return {
    Tpps: "TPPs of the sandbox, with keys and certificates. Make one, revoke its certificate, or delete it.",
    Authorisations:
      "The consent journey without a browser. A persona approves or declines for you.",
    Customers:
      "The customers of the sandbox, with their logins, accounts and open challenges. Your tests " +
      "act as them.",
    Clock:
      "The bank's time. Move it forward, and everything that falls due meanwhile happens in order.",
    "Multi authorisations":
      "The decisions of further signatories. Approve or reject an order as the next one.",
    "Exchange contracts":
      "Rates that a customer has agreed with the bank. A payment with `RateType` `Agreed` names one.",
    Explorer:
      "Calls that the sandbox sends for you, signed and with a token. The forms of these pages use it.",
    Verify:
      "The check of the bank's books. It counts the ledger and the orders, and lists what does not add up.",
    "Vrp contracts":
      "The contracts of TPPs for variable recurring payments. A contract allows more than sweeping.",
    "Vrp metering":
      "The payments that TPPs have made under contracts. Invoices are made from them.",
    Consents: "Consents as their customers see them. Withdraw one for its customer.",
    Directory:
      "The sandbox's directory of organisations and software. It issues software statements, keys and certificates.",
    Clients:
      "The registered clients, as the bank's operators see them. Suspend, restore or remove one.",
    Registrations:
      "A check of registration requests. It lists the rules that a request breaks, and registers nothing.",
    "Signing keys":
      "The keys with which the bank signs. Rotate, retire or withdraw one to see how your client copes.",
    Payments:
      "The payments that do not proceed, as operators see them. Each has the last error of the bank's core.",
    Worlds: "Banks of your own beside the sandbox. Open, reset, copy or delete one.",
    Outcomes:
      "What becomes of a payment, by its payee, amount, reference or customer. The scenarios are " +
      "the same list.",
    Judgements:
      "Judges a message, a JWT or a certificate that nobody has sent. Paste it, and read each check.",
    Requests:
      "The log of your requests. Find one, and read what was sent, what was checked and what was answered.",
    Explanations:
      "The reasons of an answer. They say what was expected, what was found and what to do next.",
  };
}
