import type { Settings } from '@switchyard/contract/operations/settings';
import type { UpstreamError } from '@switchyard/relay';
import type { Works } from '../../artifacts/artifacts.ts';
import type { FindFacts } from '../../catalog/models/models.ts';
import type { MissingRates } from '../../catalog/prices/prices.ts';
import type { AttemptCounts } from '../../channels/attempt-stats/attempt-stats.ts';
import type {
  ChannelHealth,
  DisabledOffer,
  OwnFinding,
  VendorTokens,
} from '../../channels/registry/registry.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LoadedRules, SafetyCounts } from '../../operations/content-safety/content-safety.ts';
import type { Metrics, Tracing } from '../../operations/metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ClientAddress } from '../../platform/http/client-address.ts';
import type { LocalLimit } from '../../platform/limits/rate-limit.ts';
import type { SharedLimits } from '../../platform/limits/shared-limits.ts';
import type { Overload } from '../../platform/load-shedding.ts';
import type { Log } from '../../platform/log.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import type { TokenCounter } from '../billing/token-counter.ts';
import type { UnreadRequests } from '../limits/abandoned-requests.ts';
import type { ConcurrencyLimiter } from '../limits/concurrency-limiter.ts';
import type { FairTurns } from '../limits/fair-scheduler.ts';
import type { MemoryBudget } from '../limits/memory-budget.ts';
import type { OpenTasks } from '../limits/open-tasks.ts';
import type { RequestRate } from '../limits/request-rate.ts';
import type { SpacedWork } from '../limits/spaced-work.ts';
import type { TokenRate } from '../limits/token-rate.ts';
import type { RealtimeTraffic } from '../realtime/realtime-traffic.ts';
import type { StoredResponses } from '../responses/stored-responses.ts';
import type { ChooseChannel } from '../routing/choose-channel.ts';
import type { RetryBudget } from '../routing/retry-budget.ts';
import type { SessionAffinity } from '../routing/session-affinity.ts';
import type { RunningCosts } from '../routing/spending-caps.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { ChannelState, Snapshot } from '../snapshot/snapshot.ts';
import type { Deadlines } from '../upstream/deadlines.ts';
import type { DrainBudget } from '../upstream/disconnect-grace.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { Idempotency } from './replay-request.ts';

/** Parts that the steps of a relayed request share. */
export interface GatewayParts {
  snapshot: Snapshot;
  choose: ChooseChannel;
  health: ChannelHealth;
  /** Estimated costs of running requests, for the spending caps of channels. */
  running: RunningCosts;
  history: AttemptCounts;
  affinity: SessionAffinity;
  retries: RetryBudget;
  rate: RequestRate;
  tokenRate: TokenRate;
  /** One budget for all that relayed requests hold. */
  memory: MemoryBudget;
  places: ConcurrencyLimiter;
  unread: UnreadRequests;
  /** Limit per user on records of refusals, which cost nothing. */
  refusalRecords: LocalLimit;
  sharedLimits: SharedLimits;
  overload: Overload;
  siteOf: ClientAddress['siteOf'];
  pool: UpstreamPool;
  /** Connection pool for addresses that a provider has sent; the two pools never share a connection. */
  publicPool: UpstreamPool;
  outbound: Outbound;
  vendorTokens: VendorTokens;
  /** The proxy of a channel for whoever asks; empty for none. */
  proxyOf: (channel: ChannelState, principal: Principal) => string;
  deadlines: Deadlines;
  turns: FairTurns;
  spaced: SpacedWork;
  traffic: RealtimeTraffic;
  readOn: DrainBudget;
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
  /** Returns the label of a model where the number of labels must stay small. */
  modelLabel: (model: string) => string;
  /** Undefined: no traces are sent. */
  tracing: Tracing | undefined;
  bodyMaxBytes: number;
  readonly settings: Settings;
  /** Models that disabled channels would offer. */
  disabledOffers(): Promise<readonly DisabledOffer[]>;
  /** Resolves with a function that finds the known facts of a model. */
  findFacts(): Promise<FindFacts>;
  /** Takes a key out until somebody or a test brings it back, if a request of our own fails in the same way. */
  disableIfConfirmed(
    channelId: number,
    refusal: { keyId: string; model: string; error: UpstreamError },
    isFatal: (error: UpstreamError) => boolean,
  ): Promise<OwnFinding>;
}
