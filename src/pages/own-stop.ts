// What the bank's own pages say of stopping or pausing. A company can have several consents of one
// kind, so each text is about one of them, and says if the company has others.

/** A consent that is stopped or paused, and how many others like it the company has. */
export type OneOf = { type: "access" | "funds" | "payments"; clientName: string; others: number };

type Texts = {
  /** What follows if the customer stops it. */
  stops(clientName: string): string;
  /** What the customer has done. */
  stopped(clientName: string): string;
  /** What the company still has. */
  other: string;
  others: string;
};

const all: Readonly<Record<OneOf["type"], Texts>> = {
  access: {
    stops: (name) => `${name} will no longer see your accounts through this access.`,
    stopped: (name) => `This access of ${name} has been stopped.`,
    other: "another connection to your accounts",
    others: "other connections to your accounts",
  },
  funds: {
    stops: (name) => `We will no longer answer ${name} under this permission for checks.`,
    stopped: (name) =>
      `Under this permission, ${name} can no longer check whether your account has enough money.`,
    other: "another permission for checks",
    others: "other permissions for checks",
  },
  payments: {
    stops: (name) => `${name} will be able to make no more payments under this permission.`,
    stopped: (name) =>
      `${name} can make no more payments under this permission. ` +
      "Payments already made are not changed.",
    other: "another permission for payments",
    others: "other permissions for payments",
  },
};

/** What the company still has; empty if it has nothing else. */
function still({ type, clientName, others }: OneOf): string {
  if (others === 0) return "";
  const { other, others: several } = all[type];
  return ` ${clientName} still has ${others === 1 ? other : `${others} ${several}`}.`;
}

/** What follows if the customer stops it. */
export const stopsText = (one: OneOf): string => all[one.type].stops(one.clientName) + still(one);

/** What the customer has done by stopping it. */
export const stoppedText = (one: OneOf): string =>
  all[one.type].stopped(one.clientName) + still(one);

/** What follows if the customer pauses payments. */
export const pausesText = (one: OneOf): string =>
  `We will refuse every payment that ${one.clientName} asks for under this permission, until you ` +
  `resume them here.${still(one)}`;

/** What the customer has done by pausing payments. */
export const pausedText = (one: OneOf): string =>
  `Payments by ${one.clientName} under this permission are paused. You can resume them here at ` +
  `any time.${still(one)}`;

const sees = ({ clientName, others }: OneOf): string =>
  ` ${clientName} still sees this account through ${others === 1 ? "another" : others} ` +
  `${others === 1 ? "connection" : "other connections"}.`;

/** What follows if the customer stops sharing an account that `others` include, too. */
export const withdrawsText = (one: OneOf): string =>
  one.others === 0
    ? `${one.clientName} will no longer see this account. It will still see the others.`
    : `This access of ${one.clientName} will only be to the others.${sees(one)}`;

/** What the customer has done by that; `account` is its name. */
export const withdrawnText = (account: string, one: OneOf): string =>
  one.others === 0
    ? `${account} is no longer shared with ${one.clientName}.`
    : `This access of ${one.clientName} no longer includes ${account}.${sees(one)}`;
