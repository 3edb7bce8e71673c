/**
 * A named check. It reads `Needs`; what it returns, the steps after it may read. It throws if the
 * request is refused.
 */
export type Step<Needs, Gives = unknown, On = unknown> = {
  name: string;
  /** Whether it concerns an operation, a kind or an endpoint; by default, it concerns all. */
  applies?: (on: On) => boolean;
  check: (state: Needs) => Gives;
};

/** Steps that are ready to run. */
export type StepList<Needs> = readonly Step<Needs>[];

type Checking = { check: (state: never) => unknown };

/** The result of a step; if the step does not always apply, its result may be absent. */
type Given<S extends Checking> =
  Awaited<ReturnType<S["check"]>> extends infer Gives extends object
    ? "applies" extends keyof S
      ? Partial<Gives>
      : Gives
    : unknown;

/** Whether a step may return a promise. */
type MayWait<S extends Checking> = [Extract<ReturnType<S["check"]>, Promise<unknown>>] extends [
  never,
]
  ? false
  : true;

/** A run that waits if one of its steps does. */
type Run<State, Waits> = true extends Waits ? State | Promise<State> : State;

/** A list of steps that wait for nothing: its runs begin with `Start` and end with `State`. */
export type Checks<Start, State, On> = {
  of(on: On): { names: string[]; run: (state: Start, passed?: number[]) => State };
};

/** Takes the times at which steps were passed. */
type Passed = { push(time: number): unknown };

/** Steps that concern one operation, kind or endpoint. */
type ReadySteps<Start, State, Waits> = {
  names: string[];
  /**
   * Runs the steps; throws what the first one throws that refuses. Adds to `passed` when each step
   * was passed.
   */
  run: (state: Start, passed?: Passed) => Run<State, Waits>;
  /**
   * Runs the steps although one of them refuses: `refused` returns what the step gives nonetheless,
   * or null to stop. Returns null if it was stopped.
   */
  runOn: (
    state: Start,
    refused: (error: unknown, name: string) => object | null,
    passed?: Passed,
  ) => Promise<State | null>;
};

/**
 * Steps in their order. The type of each step's `check` has what the steps before it give, so an
 * order in which a step lacks what it needs does not compile.
 */
class Steps<Start extends object, State extends Start, On, Waits = false> {
  readonly #steps: StepList<State>;

  constructor(steps: StepList<State>) {
    this.#steps = steps;
  }

  /** Adds the next step. */
  add<S extends Step<State, unknown, On>>(step: S) {
    // safe: a step runs after those that give what it needs
    const steps = [...this.#steps, step] as unknown as StepList<State & Given<S>>;
    return new Steps<Start, State & Given<S>, On, Waits | MayWait<S>>(steps);
  }

  /** Adds the steps of another list, which needs no more than the steps so far give. */
  addAll<Needs extends object, Then extends Needs, More>(
    list: Steps<Needs, Then, On, More> & ([State] extends [Needs] ? unknown : never),
  ) {
    const steps = [...this.#steps, ...list.#steps] as unknown as StepList<State & Then>;
    return new Steps<Start, State & Then, On, Waits | More>(steps);
  }

  /** The steps that concern one operation, kind or endpoint. */
  of(on: On): ReadySteps<Start, State, Waits> {
    const steps = this.#steps.filter(({ applies }) => applies?.(on) ?? true);
    return {
      names: steps.map(({ name }) => name),
      run: (state, passed) => {
        const pending = runSteps(steps as unknown as StepList<Start>, state, passed);
        const done = state as State; // each step has added what it gives
        return (pending ? pending.then(() => done) : done) as Run<State, Waits>;
      },
      async runOn(state, refused, passed) {
        for (const { name, check } of steps) {
          try {
            Object.assign(state, await check(state as State));
            passed?.push(performance.now());
          } catch (error) {
            const given = refused(error, name);
            if (given === null) return null;
            Object.assign(state, given);
          }
        }
        return state as State;
      },
    };
  }
}

/** Begins a list of steps, whose first step reads `Start`. */
export const stepsFrom = <Start extends object, On = unknown>() => new Steps<Start, Start, On>([]);

/**
 * Runs steps in their order, from one on, and adds to the state what they give, and to `passed`
 * when each was passed. Returns a promise only if one of them does.
 */
export function runSteps<State extends object>(
  steps: StepList<State>,
  state: State,
  passed?: Passed,
  from = 0,
): Promise<void> | undefined {
  for (let at = from; at < steps.length; at++) {
    const given = steps[at]?.check(state);
    if (given instanceof Promise) {
      return given.then((later: unknown) => {
        Object.assign(state, later);
        passed?.push(performance.now());
        return runSteps(steps, state, passed, at + 1);
      });
    }
    Object.assign(state, given);
    passed?.push(performance.now());
  }
  return undefined;
}
