/** Refuses a request that exceeds a limit: names the limit, the remaining amount, and when the limit resets. */
import type { Shortage } from '../../ledger/ledger.ts';
import { RelayError } from '../http/relay-error.ts';

/**
 * @param amount points that the request needs
 * @param now UTC seconds
 */
export function createHoldRefusal(
  { short, available, resetsAt }: Shortage,
  keyName: string,
  amount: number,
  now: number,
): RelayError {
  const left = `${Math.max(0, available)} points are left, and this request may need ${amount}.`;
  switch (short) {
    case 'user':
      return new RelayError('insufficient_user_quota', `The account's balance is too low: ${left}`);
    case 'alarm':
      return new RelayError(
        'account_blocked',
        'This account is locked: its balance does not match the ledger. An administrator must unlock it.',
      );
    case 'key':
      return new RelayError('insufficient_token_quota', `The quota of the token "${keyName}" is too low: ${left}`);
    case 'day':
    case 'week':
    case 'month': {
      const resets = resetsAt ?? now;
      return new RelayError(
        'insufficient_token_quota',
        `The budget of the token "${keyName}" for this ${short} is too low: ${left} It resets at ${new Date(resets * 1000).toISOString()}.`,
      );
    }
  }
}
