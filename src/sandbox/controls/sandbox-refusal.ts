/** A refusal of a sandbox control: the HTTP status, and a message that says what to do. */
export class SandboxRefusal extends Error {
  readonly status: 400 | 404 | 409;
  constructor(status: SandboxRefusal["status"], message: string) {
    super(message);
    this.status = status;
  }
}
