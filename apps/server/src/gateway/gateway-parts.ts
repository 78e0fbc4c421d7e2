import type { Settings } from '@switchyard/contract/settings';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Overload } from '../platform/overload.ts';
import type { ChannelHealth } from './channel-health.ts';
import type { ChooseChannel } from './choose-channel.ts';
import type { Deadlines } from './deadlines.ts';
import type { Idempotency } from './idempotency.ts';
import type { Places } from './places.ts';
import type { RequestRate } from './request-rate.ts';
import type { Snapshot } from './snapshot.ts';
import type { TokenCounter } from './token-counter.ts';
import type { TokenRate } from './token-rate.ts';
import type { UnreadRequests } from './unread-requests.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** What the steps of a relayed request share. */
export interface GatewayParts {
  snapshot: Snapshot;
  choose: ChooseChannel;
  health: ChannelHealth;
  rate: RequestRate;
  tokenRate: TokenRate;
  places: Places;
  unread: UnreadRequests;
  overload: Overload;
  pool: UpstreamPool;
  deadlines: Deadlines;
  tokens: TokenCounter;
  ledger: Ledger;
  idempotency: Idempotency;
  clock: Clock;
  log: Log;
  bodyMaxBytes: number;
  readonly settings: Settings;
  /** Takes a channel out until somebody or a test brings it back. */
  disableChannel(channelId: number, reason: string): Promise<void>;
  /** Shows in the console that a channel rests. UTC ms. */
  noteRest(channelId: number, until: number): void;
}
