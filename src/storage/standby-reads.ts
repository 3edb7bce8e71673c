import type { BatchLimits } from "#src/lib/batched.ts";
import type { PostgresLimits } from "./connection.ts";
import type { Queryable, StandbyUse } from "./database.ts";
import type { Host } from "./database-url.ts";
import type { Position, PrimaryFacts } from "./primary.ts";
import { sharedReadLimits } from "./shared-reads.ts";
import type { Sql } from "./sql.ts";
import { type Group, type Groups, Standby } from "./standby.ts";

/**
 * Sends reads to standbys, and to the primary if no standby can answer. A read asks the primary for
 * its position first, and the standby must have got so far. So a read shows everything that was
 * acknowledged before it began, as on the primary: every revocation, every fact of the feed, and
 * what any earlier read has shown, whichever server answered it.
 */
export class StandbyReads {
  readonly #standbys: readonly Standby[];
  readonly #facts: PrimaryFacts;
  #turn = 0;
  #onPrimary = 0;

  constructor(hosts: readonly Host[], facts: PrimaryFacts, limits: PostgresLimits, groups: Groups) {
    this.#facts = facts;
    this.#standbys = hosts.map((host) => new Standby(host, facts, limits, groups));
  }

  open(): void {
    for (const standby of this.#standbys) standby.open();
  }

  async close(): Promise<void> {
    await Promise.all(this.#standbys.map((standby) => standby.close()));
  }

  /** The limits of shared reads: each standby has its share of batches. */
  get limits(): BatchLimits {
    const { asks, batches } = sharedReadLimits;
    return { asks, batches: batches * this.#standbys.length };
  }

  get use(): StandbyUse {
    return {
      standbys: this.#standbys.map(({ report }) => report),
      readsOnPrimary: this.#onPrimary,
    };
  }

  /** Runs statements on a group of connections of a standby, or else on `primary`. */
  on(group: Group, primary: Queryable): Queryable {
    return {
      query: async <Row>(statement: Sql): Promise<Row[]> => {
        const reads = countReads(statement);
        const standby = this.#choose();
        const position = standby && (await this.#position());
        if (standby && position) {
          const rows = await standby
            .query<Row>(group, { statement, reads }, position)
            .catch(() => null); // whatever has failed, the primary answers
          if (rows) return rows;
        }
        this.#onPrimary += reads;
        return primary.query<Row>(statement);
      },
    };
  }

  /** The primary's position; null if it does not say, and would not answer the read either. */
  #position(): Promise<Position | null> {
    return this.#facts.position().catch(() => null);
  }

  /** The standby with the fewest statements under way. Those with equally many take turns. */
  #choose(): Standby | undefined {
    this.#turn += 1;
    const usable = this.#standbys.filter(({ isInUse }) => isInUse);
    const from = this.#turn % Math.max(1, usable.length);
    return [...usable.slice(from), ...usable.slice(0, from)].reduce<Standby | undefined>(
      (best, one) => (best && best.underWay <= one.underWay ? best : one),
      undefined,
    );
  }
}

// a shared read has the parameters of several calls in arrays
const countReads = ({ values: [first] }: Sql): number => (Array.isArray(first) ? first.length : 1);
