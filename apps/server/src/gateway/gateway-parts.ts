import type { Settings } from '@switchyard/contract/settings';
import type { UpstreamError } from '@switchyard/relay';
import type { AttemptCounts } from '../features/channel-history/channel-history.ts';
import type {
  ChannelHealth,
  DisabledOffer,
  OwnFinding,
  VendorTokens,
} from '../features/channels/channels.ts';
import type { LoadedRules, SafetyCounts } from '../features/content-safety/content-safety.ts';
import type { FindFacts } from '../features/models/models.ts';
import type { MissingRates } from '../features/prices/prices.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Metrics, Tracing } from '../metrics/metrics.ts';
import type { ClientAddress } from '../platform/client-address.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Overload } from '../platform/overload.ts';
import type { LocalLimit } from '../platform/rate-limit.ts';
import type { SharedLimits } from '../platform/shared-limits.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Works } from '../works/works.ts';
import type { Principal } from './authenticate.ts';
import type { RunningCosts } from './channel-caps.ts';
import type { ChooseChannel } from './choose-channel.ts';
import type { Deadlines } from './deadlines.ts';
import type { FairTurns } from './fair-turns.ts';
import type { Idempotency } from './idempotency.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { OpenTasks } from './open-tasks.ts';
import type { Places } from './places.ts';
import type { ReadOn } from './read-on.ts';
import type { RealtimeTraffic } from './realtime-traffic.ts';
import type { RequestRate } from './request-rate.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { SessionAffinity } from './session-affinity.ts';
import type { ChannelState, Snapshot } from './snapshot.ts';
import type { SpacedWork } from './spaced-work.ts';
import type { StoredResponses } from './stored-responses.ts';
import type { TokenCounter } from './token-counter.ts';
import type { TokenRate } from './token-rate.ts';
import type { UnreadRequests } from './unread-requests.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** What the steps of a relayed request share. */
export interface GatewayParts {
  snapshot: Snapshot;
  choose: ChooseChannel;
  health: ChannelHealth;
  /** Of requests on their way, for the caps of channels. */
  running: RunningCosts;
  history: AttemptCounts;
  affinity: SessionAffinity;
  retries: RetryBudget;
  rate: RequestRate;
  tokenRate: TokenRate;
  /** One budget for all that relayed requests hold. */
  memory: MemoryBudget;
  places: Places;
  unread: UnreadRequests;
  /** Of a user, for records of refusals, which cost nothing. */
  refusalRecords: LocalLimit;
  sharedLimits: SharedLimits;
  overload: Overload;
  siteOf: ClientAddress['siteOf'];
  pool: UpstreamPool;
  /** For addresses that a vendor told: a connection of one pool is never used by the other. */
  publicPool: UpstreamPool;
  outbound: Outbound;
  vendorTokens: VendorTokens;
  /** The proxy of a channel for whoever asks; empty for none. */
  proxyOf: (channel: ChannelState, principal: Principal) => string;
  deadlines: Deadlines;
  turns: FairTurns;
  spaced: SpacedWork;
  traffic: RealtimeTraffic;
  readOn: ReadOn;
  tokens: TokenCounter;
  ledger: Ledger;
  idempotency: Idempotency;
  responses: StoredResponses;
  tasks: Tasks;
  openTasks: OpenTasks;
  works: Works;
  safety: LoadedRules;
  safetyCounts: SafetyCounts;
  missingRates: MissingRates;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** How a model is called where names must be few. */
  modelLabel: (model: string) => string;
  /** Undefined: no traces are sent. */
  tracing: Tracing | undefined;
  bodyMaxBytes: number;
  readonly settings: Settings;
  /** Models that disabled channels would offer. */
  disabledOffers(): Promise<readonly DisabledOffer[]>;
  /** What is known of models. */
  findFacts(): Promise<FindFacts>;
  /** Takes a key out until somebody or a test brings it back, if a request of our own fails in the same way. */
  disableIfConfirmed(
    channelId: number,
    refusal: { keyId: string; model: string; error: UpstreamError },
    isFatal: (error: UpstreamError) => boolean,
  ): Promise<OwnFinding>;
}
