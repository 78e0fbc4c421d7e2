import { RATIO_ONE, type Ratios } from '../ledger/ledger.ts';
import type { Principal } from './authenticate.ts';
import type { GroupState } from './snapshot.ts';

/** What multiplies the prices of a call: the ratio of the group that serves it, and the key's own. */
export function ratiosOf(group: GroupState, { key }: Principal): Ratios {
  return { group: group.ratioMicros, key: key?.ratioMicros ?? RATIO_ONE };
}
