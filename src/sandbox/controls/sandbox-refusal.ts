/** A refusal of a sandbox control: the HTTP status, and a message that says what to do. */
export class SandboxRefusal extends Error {
  readonly statusCode: 400 | 404 | 409;
  constructor(status: SandboxRefusal["statusCode"], message: string) {
    super(message);
    this.statusCode = status;
  }
}
