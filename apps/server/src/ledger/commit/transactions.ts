/** Runs feature writes and postings in one transaction, serialized with the group commit. */
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import type { Accounts } from '../ledger-accounts.ts';
import type { OpenHolds } from '../open-holds.ts';
import { createPostings, type Postings } from '../postings.ts';
import type { GroupCommit } from './group-commit.ts';
import { toUnavailable } from './storage-failure.ts';

export interface Transactions {
  /** Running transaction; undefined without one. Until it resolves, the memory state lacks its postings. */
  readonly running: Promise<unknown> | undefined;
  run<T>(work: (trx: Transaction<Schema>, moves: Postings) => Promise<T>): Promise<T>;
}

/** Not a success, because a power failure would lose a confirmed payment; its provider reports it again. */
const UNSYNCED = 'The change was made, but a power failure may undo it. Look for it before you repeat it.';

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
      // Decisions in memory are written first, so that the transaction sees them.
      const transaction = commits.flush().then(async () => {
        const result = await writer.transaction().execute(async (trx) => work(trx, moves.within(trx)));
        // A settlement that took the hold earlier is written before memory is reloaded, and finds no hold.
        for (const requestId of moves.givenBack) open.take(requestId, true);
        return result;
      });
      const forget = (): void => {
        for (const userId of moves.users) accounts.forgetUser(userId);
        for (const keyId of moves.keys) accounts.forgetKey(keyId);
        running = undefined;
      };
      running = transaction.catch(() => {}).then(() => commits.flush(forget));
      const result = await transaction.catch((error: unknown) => {
        throw toUnavailable(error);
      });
      await running;
      for (const requestId of moves.lasting) open.markLasting(requestId);
      await commits.sync().catch((error: unknown) => {
        throw new AppError('unavailable', UNSYNCED, { cause: error });
      });
      return result;
    },
  };
}
