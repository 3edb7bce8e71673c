/** A refusal of a sandbox control: the HTTP status, and a message that says what to do. */
export class SandboxRefusal extends Error {
  readonly statusCode: 400 | 404 | 409;
  constructor(status: SandboxRefusal["statusCode"], message: string) {
    super(message);
    this.statusCode = status;
  }
}

/** The refusal of a login that no customer has. */
export const noCustomer = (login: string): SandboxRefusal =>
  new SandboxRefusal(
    404,
    `There is no customer "${login}". GET /sandbox/v1/customers lists the customers, and so does ` +
      "./aldgate customers list.",
  );
