/**
 * A check that a handler makes after those of the kit. The handler runs a list of steps, and
 * `./aldgate routes --steps` prints the same list.
 */
export type HandlerStep<State> = {
  name: string;
  /** Throws if the request is refused. */
  check: (state: State) => void;
  /** Whether a request that has passed this check needs no further ones; false by default. */
  isEnough?: (state: State) => boolean;
};

/** Runs steps in their order. */
export function runSteps<State>(steps: readonly HandlerStep<State>[], state: State): void {
  for (const { check, isEnough } of steps) {
    check(state);
    if (isEnough?.(state)) return;
  }
}

/** The names of steps, for the operation that runs them. */
export const namesOf = (steps: readonly { name: string }[]): string[] =>
  steps.map(({ name }) => name);
