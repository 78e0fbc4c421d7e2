/** Makes commits that succeed report an error, for tests of lost commit responses. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface CommitFaults {
  /** Lets the next `times` group commits be written and reported as failed. */
  lose(times: number): void;
  readonly lost: number;
  restore(): void;
}

/** Injects the faults. Call it before the database is opened. */
export function injectCommitFaults(): CommitFaults {
  let left = 0;
  let lost = 0;
  const restore = interceptStatements((sql, statement) => {
    if (sql !== 'commit') return;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const changes = run();
      if (left === 0) return changes;
      left -= 1;
      lost += 1;
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    };
  });
  return {
    lose(times) {
      left = times;
    },
    get lost() {
      return lost;
    },
    restore,
  };
}

type Prepare = (this: DatabaseSync, sql: string) => StatementSync;

/**
 * Starts intercepting. Call it before the database is opened.
 * @param watch may replace methods of the statement
 * @returns a function that stops it
 */
export function interceptStatements(watch: (sql: string, statement: StatementSync) => void): () => void {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare: Prepare = original.value;
  const watched: Prepare = function watched(sql) {
    const statement = prepare.call(this, sql);
    watch(sql, statement);
    return statement;
  };
  Object.defineProperty(DatabaseSync.prototype, 'prepare', { ...original, value: watched });
  return () => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original);
}
