/** Feature writes and movements in one transaction, in turn with what the group commit writes. */
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import type { Accounts } from '../ledger-accounts.ts';
import type { OpenHolds } from '../open-holds.ts';
import { createPostings, type Postings } from '../postings.ts';
import type { GroupCommit } from './group-commit.ts';
import { toUnavailable } from './storage-failure.ts';

export interface Transactions {
  /** Undefined when none runs. Until it resolves, memory does not know what is being moved. */
  readonly running: Promise<unknown> | undefined;
  run<T>(work: (trx: Transaction<Schema>, moves: Postings) => Promise<T>): Promise<T>;
}

export function createTransactions(
  writer: Kysely<Schema>,
  clock: Clock,
  commits: GroupCommit,
  accounts: Accounts,
  open: Pick<OpenHolds, 'markLasting' | 'take'>,
): Transactions {
  let running: Promise<unknown> | undefined;
  return {
    get running() {
      return running;
    },
    async run(work) {
      while (running !== undefined) await running;
      const moves = createPostings(clock);
      // What memory has decided is written first, so that the transaction sees it.
      const transaction = commits.flush().then(async () => {
        const result = await writer.transaction().execute(async (trx) => work(trx, moves.within(trx)));
        // Who took one before has its end written before memory is read anew, and that end finds no hold.
        for (const requestId of moves.givenBack) open.take(requestId, true);
        return result;
      });
      const forget = (): void => {
        for (const userId of moves.users) accounts.forgetUser(userId);
        for (const keyId of moves.keys) accounts.forgetKey(keyId);
        running = undefined;
      };
      running = transaction.catch(() => {}).then(() => commits.flush(forget));
      try {
        const result = await transaction;
        await running;
        for (const requestId of moves.lasting) open.markLasting(requestId);
        await commits.sync();
        return result;
      } catch (error) {
        throw toUnavailable(error);
      }
    },
  };
}
