import type { PlantedFault } from "./planted-fault.ts";

/** Faults in events and the history. */
export const eventFaults: readonly PlantedFault[] = [
  {
    name: "an acknowledged event stays open",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "then 'refused' else 'accepted' end",
        replace: "then 'refused' else 'waiting' end",
      },
    ],
    rules: {
      load: "a settled event does not return",
      simulation: "a settled event does not return",
    },
  },
  {
    name: "the collector stores every second event of a batch",
    patches: [
      {
        file: "src/events/collect-events.ts",
        find: "JSON.stringify(events)}::json",
        replace: "JSON.stringify(events.filter((_, n) => n % 2 === 0))}::json",
      },
    ],
    rules: {
      load: "each status of an order that was seen has an event",
      simulation: "each change of an order by the bank has an event",
    },
  },
  {
    name: "an event is signed again each time it is sent",
    patches: [
      {
        file: "src/events/event-set.ts",
        find: "if (event.token === null || !deps",
        replace: "if (event.token === null || event.token !== null || !deps",
      },
    ],
    rules: {
      load: "an event always has the same bytes",
      simulation: "an event always has the same bytes",
    },
  },
  {
    name: "a poll returns the latest events first",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "order by e.sequence limit",
        replace: "order by e.sequence desc limit",
      },
    ],
    rules: {
      load: "the events of a resource arrive in order",
      simulation: "the events of a resource arrive in order",
    },
  },
  {
    name: "a poll returns each event once",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "\n    order by e.sequence limit",
        replace: " and e.token is null\n    order by e.sequence limit",
      },
    ],
    rules: { simulation: "every event arrives" },
  },
  {
    name: "an event is stored again when its change is read again",
    // the constraint and the order of the two writes each hold this promise
    patches: [
      {
        statement:
          "alter table event drop constraint event_client_id_object_id_change_sequence_key",
      },
      {
        file: "src/events/collect-events.ts",
        find: "\n    on conflict (client_id, object_id, change_sequence) do nothing",
        replace: "",
      },
      {
        file: "src/events/collect-events.ts",
        find: "return database.transaction(async (on) => {",
        replace: `let moving: Sql | null = null;
        const stored = await database.transaction(async (on) => {`,
      },
      {
        file: "src/events/collect-events.ts",
        find: "await on.query(sql`\n        update",
        replace: "moving = (sql`\n        update",
      },
      {
        file: "src/events/collect-events.ts",
        find: "      return written;\n    });",
        replace: `      return written;
        });
        if (moving) await database.query(moving);
        return stored;`,
      },
    ],
    rules: { simulation: "a change has one event" },
  },
  {
    name: "events are stored after the transaction that moves the cursor",
    patches: [
      {
        file: "src/events/collect-events.ts",
        find: "return database.transaction(async (on) => {",
        replace: `let found: NewEvent[] = [];
        await database.transaction(async (on) => {`,
      },
      {
        file: "src/events/collect-events.ts",
        find: "const written = await storeEvents(on, await readEvents(on, from, to, ofTpps));",
        replace: "found = await readEvents(on, from, to, ofTpps);",
      },
      {
        file: "src/events/collect-events.ts",
        find: "      return written;\n    });",
        replace: `      return 0;
        });
        return storeEvents(database, found);`,
      },
    ],
    rules: { simulation: "each change of an order by the bank has an event" },
  },
  {
    name: "a rejection leaves no mark in the history",
    patches: [
      {
        file: "src/payments/execution/settle.ts",
        find: "from followed`)}\n    )",
        replace: "from followed where status <> 'RJCT'`)}\n    )",
      },
    ],
    rules: { simulation: "each status of an order that was seen has an event" },
  },
  {
    name: "an acknowledged event is stored as refused",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "then 'refused' else 'accepted' end",
        replace: "then 'refused' else 'refused' end",
      },
    ],
    rules: { simulation: "a settled event is stored as its client settled it" },
  },
  {
    name: "a settled event is deleted after an hour",
    patches: [
      {
        file: "src/events/poll.ts",
        find: "now.subtract({ hours: retentionDays * 24 })",
        replace: "now.subtract({ hours: 1 })",
      },
    ],
    rules: { simulation: "an event that arrived is the bank's" },
  },
];
