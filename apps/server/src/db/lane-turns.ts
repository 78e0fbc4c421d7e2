import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Queue in a table, whose rows are processed in turns by their lane, such as their user. */
interface LaneQueue<Lane> {
  table: keyof Schema;
  lane: string;
  /** Value below all lanes. */
  start: Lane;
  /** Column with the UTC second at which a row is due. */
  due: string;
  /** Condition of the index on the lane and the due time. */
  isWaiting: RawBuilder<boolean>;
}

/**
 * Returns a function that finds the next lane with a due row, in turns. It reads one or two index entries of each lane,
 * so that the many rows of one neither slow it down nor precede those of others.
 */
export function createLaneTurns<Lane extends string | number>(queue: LaneQueue<Lane>) {
  const { start, isWaiting } = queue;
  const [table, lane, due] = [sql.table(queue.table), sql.ref(queue.lane), sql.ref(queue.due)];
  let last = start;
  /** @param busy lanes to skip */
  return async (db: Kysely<Schema>, now: number, busy: readonly Lane[]): Promise<Lane | undefined> => {
    const isFree = busy.length === 0 ? sql`true` : sql`lane not in (${sql.join(busy)})`;
    const findAfter = async (after: Lane): Promise<Lane | undefined> => {
      const { rows } = await sql<{ lane: Lane }>`
        with recursive lanes (lane) as (
          select min(${lane}) from ${table} where ${isWaiting} and ${lane} > ${after}
          union all
          select (select min(${lane}) from ${table} where ${isWaiting} and ${lane} > lanes.lane)
            from lanes where lane is not null
        )
        select lane from lanes where lane is not null and ${isFree}
          and exists (select 1 from ${table} where ${isWaiting} and ${lane} = lanes.lane and ${due} <= ${now})
        limit 1`.execute(db);
      return rows[0]?.lane;
    };
    const found = (await findAfter(last)) ?? (last === start ? undefined : await findAfter(start));
    last = found ?? start;
    return found;
  };
}
