/**
 * Tracks the estimated costs of running requests and open tasks until they are settled, so that channels over their
 * cap are skipped.
 */
import { type CapPeriod, getCapEnd, listReachedCaps } from '../../channels/registry/registry.ts';
import { getPeriodStart, type Ledger } from '../../ledger/ledger.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { OpenTaskCosts } from '../../tasks/tasks.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

type CappedChannel = Pick<ChannelState, 'id' | 'caps'>;

export interface RunningCosts {
  /**
   * Sets the points of a request on a channel, replacing its earlier ones, while `hold` runs, and afterwards if it
   * succeeds. The points of an account that has just lacked the funds don't count before: its refused requests would
   * make the channel look capped for others.
   */
  setDuring<Reply extends { held: boolean }>(cost: RunningCost, hold: () => Promise<Reply>): Promise<Reply>;
  /** Returns whether a request of the user runs whose cost has no known limit. */
  hasUnknownCost(userId: number): boolean;
  /** Ends a request whose task continues. @param points expected cost of the task */
  continueAsTask(requestId: string, points: number): void;
  /** Ends a request, after its charge is settled. */
  end(requestId: string): void;
  /** Returns whether the settled costs alone have reached a cap. */
  isCapReached(channel: CappedChannel): boolean;
  /** Returns the UTC seconds until which the channel is skipped; 0 when it is not. */
  cappedUntil(channel: CappedChannel): number;
}

interface RunningCost {
  requestId: string;
  userId: number;
  channel: CappedChannel;
  points: number;
  hasUnknownCost: boolean;
}

const SHORT_MS = 60_000;
const SHORT_ACCOUNTS_MAX = 100_000;

interface Parts {
  ledger: Pick<Ledger, 'getChannelSpend'>;
  openTaskCosts: Pick<OpenTaskCosts, 'add' | 'get'>;
  clock: Clock;
  /** @param since start of the period, UTC seconds; called once per period */
  onReached?: (channelId: number, period: CapPeriod, since: number) => void;
}

export function createRunningCosts({ ledger, openTaskCosts, clock, onReached }: Parts): RunningCosts {
  /** `clock.elapsed()` at which an account last lacked the funds. */
  const shortAt = createBoundedMap<number, number>(SHORT_ACCOUNTS_MAX);
  const requests = new Map<string, RunningCost>();
  /** Number of running requests of unknown cost, by user. */
  const unknown = new Map<number, number>();
  const running = new Map<number, number>();
  /** Start of the last period whose reached cap was reported, by channel and period. */
  const reported = new Map<string, number>();

  const add = (cost: RunningCost, direction: 1 | -1): void => {
    addTo(running, cost.channel.id, direction * cost.points);
    if (cost.hasUnknownCost) addTo(unknown, cost.userId, direction);
  };
  const remove = (requestId: string): CappedChannel | undefined => {
    const request = requests.get(requestId);
    if (request === undefined) return undefined;
    requests.delete(requestId);
    add(request, -1);
    return request.channel;
  };
  const report = (channel: CappedChannel): void => {
    for (const period of listReachedCaps(ledger, channel)) {
      const since = getPeriodStart(period, nowSeconds(clock));
      const name = `${channel.id} ${period}`;
      if (reported.get(name) === since) continue;
      reported.set(name, since);
      onReached?.(channel.id, period, since);
    }
  };

  return {
    async setDuring(cost, hold) {
      const { requestId, userId } = cost;
      const set = (points: number): void => {
        remove(requestId);
        const request = { ...cost, points };
        requests.set(requestId, request);
        add(request, 1);
      };
      const wasShort = clock.elapsed() - (shortAt.get(userId) ?? Number.NEGATIVE_INFINITY) < SHORT_MS;
      set(wasShort ? 0 : cost.points);
      const reply = await hold();
      if (!reply.held) shortAt.set(userId, clock.elapsed());
      // The request may have ended meanwhile.
      else if (wasShort && requests.has(requestId)) set(cost.points);
      return reply;
    },
    hasUnknownCost: (userId) => unknown.has(userId),
    continueAsTask(requestId, points) {
      const channel = remove(requestId);
      if (channel !== undefined) openTaskCosts.add(channel.id, points);
    },
    end(requestId) {
      const channel = remove(requestId);
      if (channel !== undefined) report(channel);
    },
    isCapReached: (channel) => listReachedCaps(ledger, channel).length > 0,
    cappedUntil(channel) {
      const { id } = channel;
      return getCapEnd(clock, listReachedCaps(ledger, channel, (running.get(id) ?? 0) + openTaskCosts.get(id)));
    },
  };
}

function addTo(sums: Map<number, number>, key: number, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}
