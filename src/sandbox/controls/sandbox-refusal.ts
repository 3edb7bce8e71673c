/** A refusal of a call of the sandbox's functions: the status, and words that say what to do. */
export class SandboxRefusal extends Error {
  readonly status: 400 | 404 | 409;
  constructor(status: SandboxRefusal["status"], message: string) {
    super(message);
    this.status = status;
  }
}
