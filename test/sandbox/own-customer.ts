import type { CustomerDocument } from "#src/sandbox/own-data/document.ts";

/** A customer with every kind of data that a document can have, at a bank with this time. */
export function mayaAt(now: Temporal.Instant): CustomerDocument {
  const today = now.toZonedDateTimeISO("UTC").startOfDay();
  const ago = (days: number, hour = 9): string =>
    today.subtract({ days }).add({ hours: hour }).toInstant().toString();
  const dayOfMonth = today.subtract({ days: 10 }).day;
  const landlord = { name: "Larch Lettings", number: "00980012000417" };
  return {
    login: "maya",
    name: "Maya Lind",
    description: "A freelancer.",
    contact: {
      fullLegalName: "Ms Maya Lind",
      email: "maya@mail.example",
      mobile: "+44-7700900888",
      address: {
        streetName: "Quay Street",
        townName: "Bristol",
        postCode: "BS0 1AA",
        country: "GB",
      },
    },
    accounts: [
      {
        key: "main",
        type: "CurrentAccount",
        nickname: "Main",
        product: "Everyday Account",
        openedOn: "2022-05-01",
        limit: "500.00",
        balance: "1250.00",
        transactions: [
          { at: ago(70), amount: "2000.00", indicator: "Credit", type: "PAY", text: "STUDIO PAY" },
          {
            at: ago(40, 3),
            amount: "45.00",
            indicator: "Debit",
            type: "DD",
            text: "BRIGHTSPARK DD",
            reference: "BRIGHT001",
            counterparty: {
              schemeName: "UK.OBIE.SortCodeAccountNumber",
              identification: "00980033001904",
              name: "Brightspark Energy",
            },
          },
          {
            at: ago(10, 1),
            amount: "650.00",
            indicator: "Debit",
            type: "SO",
            text: "Larch Lettings RENT 12",
            reference: "RENT 12",
            counterparty: {
              schemeName: "UK.OBIE.SortCodeAccountNumber",
              identification: landlord.number,
              name: landlord.name,
            },
          },
          {
            at: ago(4),
            amount: "12.50",
            indicator: "Debit",
            type: "DEB",
            text: "QUAY BAKERY BRISTOL GB",
            merchant: { name: "Quay Bakery", categoryCode: "5462" },
            card: { scheme: "VISA", lastFour: "4242", authorisation: "Contactless" },
          },
          {
            at: ago(-1, 0),
            amount: "8.20",
            indicator: "Debit",
            type: "DEB",
            text: "QUAY BAKERY BRISTOL GB",
            status: "Pending",
            merchant: { name: "Quay Bakery", categoryCode: "5462" },
            card: { scheme: "VISA", lastFour: "4242", authorisation: "PIN" },
          },
        ],
        directDebits: [
          {
            reference: "BRIGHT001",
            originator: "Brightspark Energy",
            amount: "40.00",
            mostAmount: "60.00",
            dayOfMonth: today.subtract({ days: 40 }).day,
          },
        ],
        standingOrders: [{ payee: landlord, amount: "650.00", reference: "RENT 12", dayOfMonth }],
        scheduledPayments: [
          {
            on: today.add({ days: 9 }).toPlainDate().toString(),
            payee: { name: "Dora Vale", number: "00980055001234" },
            amount: "25.00",
            reference: "BIRTHDAY",
          },
        ],
      },
      { key: "pot", type: "Savings", balance: "10.00", openedOn: "2024-02-29" },
      {
        key: "card",
        type: "CreditCard",
        openedOn: "2023-01-09",
        card: { scheme: "VISA", lastFour: "4242" },
        limit: "1000.00",
        balance: "-120.40",
      },
      {
        key: "euro",
        type: "CurrentAccount",
        currency: "EUR",
        openedOn: "2024-03-03",
        balance: "88.00",
        transactions: [
          { at: ago(3), amount: "88.00", indicator: "Credit", text: "TRANSFER FROM ABROAD" },
        ],
      },
      {
        key: "home",
        type: "Mortgage",
        openedOn: "2024-06-01",
        limit: "200000.00",
        balance: "-150000.00",
      },
    ],
    beneficiaries: [
      {
        schemeName: "UK.OBIE.SortCodeAccountNumber",
        identification: "00980055001234",
        name: "Dora Vale",
        reference: "FROM MAYA",
        isTrusted: true,
      },
    ],
  };
}
