/** Runs the work of one name in turn, each after the one before it, in this process. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const over = turn.then(nothing, nothing);
    this.#last.set(name, over);
    void over.then(() => this.#last.get(name) === over && this.#last.delete(name));
    return turn;
  }
}

const nothing = (): void => undefined;
