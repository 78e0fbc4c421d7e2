/** Measures the group commits of this process. */
import { interceptStatements } from '../../apps/server/src/testing/commit-faults.ts';

export interface CommitTimes {
  /** Durations in milliseconds, in the order of the commits. */
  readonly times: number[];
  restore(): void;
}

/** Call before the database is opened. Transactions of features take several turns and are not counted. */
export function measureCommitTimes(): CommitTimes {
  const times: number[] = [];
  let begun: number | undefined;
  const restore = interceptStatements((sql, statement) => {
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
  });
  return { times, restore };
}
