/** A disk that writes, and then says that it did not: for tests of what happens when the news of a commit is lost. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface LostCommits {
  /** So many of the next group commits are written and reported as failed. */
  lose(times: number): void;
  readonly lost: number;
  restore(): void;
}

type Prepare = (this: DatabaseSync, sql: string) => StatementSync;

/** Call before the database is opened. */
export function watchCommits(): LostCommits {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare: Prepare = original.value;
  let left = 0;
  let lost = 0;
  const watched: Prepare = function watched(sql) {
    const statement = prepare.call(this, sql);
    if (sql !== 'commit') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const changes = run();
      if (left === 0) return changes;
      left -= 1;
      lost += 1;
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    };
    return statement;
  };
  Object.defineProperty(DatabaseSync.prototype, 'prepare', { ...original, value: watched });
  return {
    lose(times) {
      left = times;
    },
    get lost() {
      return lost;
    },
    restore: () => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original),
  };
}
