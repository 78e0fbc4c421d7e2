/**
 * Methods of the ledger about a request that both ledgers share. Holds and settlements are recorded in memory at once,
 * and written with a commit.
 */
import type { LogError } from '../platform/log.ts';
import type { ChannelSpend } from './budgets/channel-spend.ts';
import type { WriteCommitter } from './commit/group-commit.ts';
import { commitOrLog } from './commit/submit-write.ts';
import type { Ledger, LedgerObserver } from './ledger-interface.ts';
import type { Hold, NewUsageRecord } from './ledger-write-types.ts';
import type { OpenHolds } from './open-holds.ts';
import type { Settlements } from './settlements.ts';

interface Parts {
  commits: WriteCommitter;
  ends: Settlements;
  open: OpenHolds;
  channels: Pick<ChannelSpend, 'add'>;
  logError: LogError;
}

interface LedgerRequestMethods
  extends Pick<Ledger, 'checkpoint' | 'settle' | 'release' | 'record' | 'state' | 'observe'> {
  /** Charges for a hold, or releases it without a charge; ignores an ended hold. */
  end: (hold: Hold | undefined, record: NewUsageRecord, charge: number | undefined) => Promise<void>;
}

export function createLedgerRequestMethods({ commits, ends, open, channels, logError }: Parts): LedgerRequestMethods {
  let observer: LedgerObserver | undefined;
  const end: LedgerRequestMethods['end'] = async (hold, record, charge) => {
    if (hold === undefined) return;
    if (charge !== undefined) {
      channels.add(record);
      observer?.charged(charge, record);
    }
    await new Promise<void>((resolve) =>
      ends.settle(
        charge === undefined ? { type: 'void', hold, record } : { type: 'settle', hold, charge, record },
        resolve,
      ),
    );
  };
  return {
    end,
    checkpoint(requestId, charge, record) {
      if (open.get(requestId) === undefined) return;
      const checkpoint = { charge, record };
      commitOrLog(commits, logError, { type: 'checkpoint', requestId, checkpoint }, 'a checkpoint');
    },
    settle(requestId, charge, record, isReceived = true) {
      const hold = open.take(requestId);
      return end(isReceived ? hold : hold && { ...hold, endsWithNode: false }, record, charge);
    },
    release(requestId, record) {
      const hold = open.take(requestId);
      if (hold !== undefined) ends.settle({ type: 'void', hold, record });
    },
    record: (record) => commitOrLog(commits, logError, { type: 'record', record }, 'a record'),
    state: () => ({ lasting: open.lasting, oldestAt: open.oldestAt, waiting: commits.waiting }),
    observe(watch) {
      observer = watch;
      commits.observe(watch);
    },
  };
}
