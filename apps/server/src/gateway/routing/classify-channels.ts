/**
 * Sorts the channels that offer a model into those that may serve a request, those in cooldown, and the others with
 * the reason.
 */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import { type Capability, type ClientRequest, canServe, requiredCapabilities } from '@switchyard/relay';
import type { ChannelHealth } from '../../channels/registry/registry.ts';
import type { Verdict, VerdictReason } from '../../ledger/ledger.ts';
import type { ChannelState, GroupState, Snapshot } from '../snapshot/snapshot.ts';
import type { GetChannelCost, KeyRotation } from './channel-and-key-order.ts';
import type { WarmAccount } from './session-affinity.ts';

export interface ChannelSearch {
  request: ClientRequest;
  /** Requested model, or a fallback model. */
  model: string;
  groups: readonly GroupState[];
  /** Channels of this request's earlier attempts with the model. */
  tried: ReadonlySet<number>;
  /** Keys of earlier attempts, whose channels may be tried with another key. */
  triedKeys?: ReadonlySet<string>;
  /** Returns the account that last served the conversation; called only when there is a choice. */
  findWarmAccount: () => WarmAccount | undefined;
}

export interface SelectorOptions {
  snapshot: Snapshot;
  health: ChannelHealth;
  /** Returns the UTC seconds until which a cap excludes a channel, even as the last resort; 0 without one. */
  cappedUntil?: (channel: ChannelState) => number;
  costs?: GetChannelCost;
  random?: () => number;
}

/** Maximum number of reported verdicts. */
export const VERDICTS_MAX = 20;
export const NO_KEYS: ReadonlySet<string> = new Set();

/** Available channels, channels in cooldown, and verdicts on all others. */
export interface ClassifiedChannels {
  available: ChannelState[];
  coolingDown: CoolingChannel[];
  verdicts: Map<number, Verdict>;
}

export interface CoolingChannel {
  channel: ChannelState;
  /** UTC ms. */
  until: number;
}

export function createChannelClassifier(
  { health, cappedUntil = () => 0 }: SelectorOptions,
  rotation: KeyRotation,
): (offers: readonly ChannelState[], search: ChannelSearch) => ClassifiedChannels {
  const restOf = (
    channel: ChannelState,
    { model, triedKeys = NO_KEYS }: ChannelSearch,
  ): { reason: VerdictReason; until: number } | undefined => {
    const { id } = channel;
    const { circuitBreaker, openUntil, cooldownUntil } = health.get(id, model);
    if (circuitBreaker !== 'closed' && !health.allowsAttempt(id, model))
      return { reason: circuitBreaker === 'half-open' ? 'probing' : 'open', until: openUntil };
    const until = Math.max(cooldownUntil, rotation.cooldownUntil(channel, model, triedKeys));
    return until > 0 ? { reason: 'resting', until } : undefined;
  };

  return (offers, search) => {
    const { tried, triedKeys = NO_KEYS } = search;
    const lacking = createCapabilityCheck(search);
    const sorted: ClassifiedChannels = { available: [], coolingDown: [], verdicts: new Map() };
    const refusalOf = (channel: ChannelState): Verdict | undefined => {
      const { id, keys } = channel;
      if (tried.has(id) || keys.every((key) => triedKeys.has(key.id))) return [id, 'tried'];
      const lack = lacking(channel);
      if (lack !== undefined) return [id, 'lacks', lack];
      const until = cappedUntil(channel);
      return until > 0 ? [id, 'capped', until] : undefined;
    };
    for (const [index, channel] of offers.entries()) {
      const { id, priority } = channel;
      // Lower priorities than an available one are neither selected nor, beyond the first few, reported.
      const [best] = sorted.available;
      if (index >= VERDICTS_MAX && best !== undefined && priority < best.priority) break;
      const refusal = refusalOf(channel);
      const rest = refusal === undefined ? restOf(channel, search) : undefined;
      if (refusal !== undefined) sorted.verdicts.set(id, refusal);
      else if (rest === undefined) sorted.available.push(channel);
      else {
        sorted.verdicts.set(id, [id, rest.reason, Math.ceil(rest.until / 1000)]);
        sorted.coolingDown.push({ channel, until: rest.until });
      }
    }
    return sorted;
  };
}

/**
 * Returns a function that returns what a channel lacks for the request. The needed capabilities are determined once,
 * and only if a channel has limits.
 */
export function createCapabilityCheck({
  request,
  model,
}: Pick<ChannelSearch, 'request' | 'model'>): (channel: ChannelState) => Capability | 'operation' | undefined {
  let needed: ReadonlySet<Capability> | undefined;
  return (channel) => {
    const { upstreamModel } = resolveModelNames(channel.modelMapping, model);
    if (!canServe(channel.target, upstreamModel, request)) return 'operation';
    if (channel.lacks.size === 0) return undefined;
    needed ??= requiredCapabilities(request);
    return [...channel.lacks].find((capability) => needed?.has(capability));
  };
}

/** Returns the half that recovers first, so that no single channel gets all requests in an outage. */
export function selectEarliestRecovering(resting: readonly CoolingChannel[]): ChannelState[] {
  const sorted = resting.toSorted((a, b) => a.until - b.until);
  return sorted.slice(0, Math.ceil(sorted.length / 2)).map(({ channel }) => channel);
}
