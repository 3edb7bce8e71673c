import Type, { type Static } from "typebox";
import { verdicts } from "#src/sandbox/robust/misbehaviour.ts";
import { misbehaviours } from "#src/sandbox/robust/misbehaviours.ts";
import type { RobustReport } from "#src/sandbox/robust/report.ts";
import { orNull } from "./common-shapes.ts";

const text = Type.String();
const time = Type.String({ format: "date-time" });
const seconds = (least: number, most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: least, maximum: most, description }));

const names = misbehaviours.map(({ name }) => Type.Literal(name));
/** A row of the table. */
export const misbehaviourShape = {
  name: text,
  title: text,
  plays: text,
  touches: text,
  robust: text,
};

/** What is to be played, and for how long. */
export const runRequest = Type.Object(
  {
    names: Type.Optional(
      Type.Array(Type.Unsafe<string>(Type.Union(names)), {
        minItems: 1,
        maxItems: names.length,
        description: "What is played. The default is everything, in a new run.",
      }),
    ),
    lasts: seconds(10, 7200, "Seconds until the run ends. The default is 900."),
    patience: seconds(1, 600, "Seconds in which the client must react. The default is 20."),
    slow: seconds(1, 120, "Seconds that slow answers take. The default is 8."),
    retryAfter: seconds(1, 60, "Seconds that Retry-After names. The default is 2."),
  },
  { additionalProperties: false },
);

/** What is to be played, and for how long. */
export type RobustRequest = Static<typeof runRequest>;

/** The report on a run. */
export const robustReport = Type.Object(
  {
    clientId: text,
    state: Type.Union(["running", "ended"].map((word) => Type.Literal(word))),
    startedAt: time,
    endsAt: time,
    settings: Type.Object(
      {
        lasts: Type.Integer(),
        patience: Type.Integer(),
        slow: Type.Integer(),
        retryAfter: Type.Integer(),
      },
      { title: "RobustSettings" },
    ),
    isRobust: Type.Boolean({
      description: "Whether the client coped with everything that could be judged.",
    }),
    summary: Type.Object(Object.fromEntries(verdicts.map((verdict) => [verdict, Type.Integer()])), {
      title: "RobustSummary",
    }),
    rows: Type.Array(
      Type.Object(
        {
          ...misbehaviourShape,
          state: Type.Union(["waiting", "playing", "done"].map((word) => Type.Literal(word))),
          played: Type.Array(
            Type.Object(
              {
                at: time,
                method: text,
                path: text,
                interactionId: orNull(text),
                logId: orNull(text),
              },
              { title: "PlayedCall" },
            ),
          ),
          verdict: orNull(Type.Union(verdicts.map((verdict) => Type.Literal(verdict)))),
          seen: orNull(text),
          advice: orNull(text),
        },
        { title: "RobustRow" },
      ),
    ),
  },
  { title: "RobustReport" },
);

/** What is played on clients, to find out whether they are robust. */
export type RobustControls = {
  open(clientId: string, request: RobustRequest): Promise<RobustReport>;
  /** The newest run of a TPP; null if there is none. */
  report(clientId: string): Promise<RobustReport | null>;
  end(clientId: string): Promise<RobustReport | null>;
  /** The TPPs on which something is played now. */
  listOpen(): string[];
};
