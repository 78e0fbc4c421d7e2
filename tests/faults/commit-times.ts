/** How long the group commits of this process take, from their begin to their end. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface CommitTimes {
  /** Milliseconds, in the order they were made. */
  readonly times: number[];
  restore(): void;
}

type Prepare = (this: DatabaseSync, sql: string) => StatementSync;

/** Call before the database is opened. A feature's transaction takes several turns and is not counted. */
export function watchCommitTimes(): CommitTimes {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare: Prepare = original.value;
  const times: number[] = [];
  let begun: number | undefined;
  const watched: Prepare = function watched(sql) {
    const statement = prepare.call(this, sql);
    const run = statement.run.bind(statement);
    if (sql === 'begin immediate')
      statement.run = () => {
        begun = performance.now();
        queueMicrotask(() => {
          begun = undefined;
        });
        return run();
      };
    if (sql === 'commit')
      statement.run = () => {
        const changes = run();
        if (begun !== undefined) times.push(performance.now() - begun);
        return changes;
      };
    return statement;
  };
  Object.defineProperty(DatabaseSync.prototype, 'prepare', { ...original, value: watched });
  return { times, restore: () => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original) };
}
