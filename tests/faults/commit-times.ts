/** How long the group commits of this process take, from their begin to their end. */
import { interceptStatements } from '../../apps/server/src/testing/commit-faults.ts';

export interface CommitTimes {
  /** Milliseconds, in the order they were made. */
  readonly times: number[];
  restore(): void;
}

/** Call before the database is opened. A feature's transaction takes several turns and is not counted. */
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
