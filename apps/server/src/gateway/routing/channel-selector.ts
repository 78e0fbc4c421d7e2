/**
 * Channel selection. Among the channels that offer the model to the group and support what the request needs, the
 * highest priority with a healthy channel wins; among equals the one that served the conversation before, else by the
 * group's order. If none is healthy, the half that recovers first serves all the same.
 */
import { resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { ClientRequest } from '@switchyard/relay';
import type { LoadedKey } from '../../channels/registry/registry.ts';
import type { Verdict } from '../../ledger/ledger.ts';
import type { ChannelState, GroupState } from '../snapshot/snapshot.ts';
import { createNamedModels, createOffers } from './channel-offers.ts';
import { createChannelOrder } from './channel-order.ts';
import { createKeyRotation } from './key-rotation.ts';
import {
  type ChannelSearch,
  createCapabilityCheck,
  createChannelSorter,
  NO_KEYS,
  type SelectorOptions,
  selectEarliestRecovering,
  VERDICTS_MAX,
} from './sort-channels.ts';

export interface Candidate {
  channel: ChannelState;
  /** One of the channel's. */
  key: LoadedKey;
  group: GroupState;
  /** The name that the client, or a fallback rule, asked for. */
  model: string;
  /** The model's name at the vendor. */
  upstreamModel: string;
  /** The name by which it is priced. */
  billedModel: string;
  /** None was healthy. */
  isLastResort: boolean;
  /** Why this channel, and why not the others. */
  verdicts: readonly Verdict[];
}

export interface ChannelSelector {
  /** Undefined when nothing is left. */
  selectNext(search: ChannelSearch): Candidate | undefined;
  /** The channel that an administrator pinned, whatever its groups and models. */
  selectPinned(request: ClientRequest, pin: Pin, group: GroupState): Candidate | undefined;
  /** UTC seconds until which caps alone keep every channel out that could serve; 0 when no cap does. */
  cappedUntil(search: Pick<ChannelSearch, 'request' | 'model' | 'groups'>, pinned?: number): number;
  /** Returns whether a channel offers the model for such a request, whatever state the channel is in. */
  offers(search: Pick<ChannelSearch, 'request' | 'model' | 'groups'>): boolean;
  /** The candidate's attempt begins: its key has had its turn. */
  recordAttempt(candidate: Candidate): void;
  /** Models of a group, wildcards left out. */
  listModels(groups: readonly GroupState[]): string[];
}

export interface Pin {
  channelId: number;
  /** The only key that may be used; absent, any. */
  keyId?: string | undefined;
  /** Also when it has cost as much as it may: what it is asked is paid for already. */
  despiteCaps?: boolean | undefined;
  tried: ReadonlySet<string>;
}

export function createChannelSelector(choosing: SelectorOptions): ChannelSelector {
  const { snapshot, health, cappedUntil = () => 0 } = choosing;
  const offering = createOffers(snapshot);
  const named = createNamedModels(snapshot);
  const chooseAmongEquals = createChannelOrder(choosing);
  const rotation = createKeyRotation(health);
  const sort = createChannelSorter(choosing, rotation);

  const candidate = (
    channel: ChannelState,
    group: GroupState,
    { model, triedKeys = NO_KEYS, findWarmAccount }: Pick<ChannelSearch, 'model' | 'triedKeys' | 'findWarmAccount'>,
    verdicts: readonly Verdict[],
  ): Candidate | undefined => {
    const preferred = channel.keys.length > 1 ? findWarmAccount() : undefined;
    const warmKey = preferred?.channelId === channel.id ? preferred.keyId : undefined;
    const key = rotation.next(channel, model, triedKeys, warmKey);
    if (key === undefined) return undefined;
    return {
      channel,
      key,
      group,
      model,
      isLastResort: false,
      verdicts,
      ...resolveModelNames(channel.modelMapping, model),
    };
  };

  const chooseIn = (search: ChannelSearch, group: GroupState): Candidate | undefined => {
    const { model } = search;
    const offers = offering(group.symbol, model);
    const { available, coolingDown, verdicts } = sort(offers, search);
    const [first] = available;
    if (first === undefined) {
      if (coolingDown.length === 0) return undefined;
      const [channel] = chooseAmongEquals(selectEarliestRecovering(coolingDown), 'weight', model);
      verdicts.set(channel.id, [channel.id, 'last-resort']);
      const found = candidate(channel, group, search, sortVerdicts(offers, verdicts));
      return found && { ...found, isLastResort: true };
    }
    const equals = available.filter(({ priority }) => priority === first.priority);
    const [channel, reason, loser] = selectAmongEquals(equals, group, search, chooseAmongEquals);
    for (const other of available)
      verdicts.set(other.id, [other.id, other.priority === first.priority ? loser : 'lower-priority']);
    verdicts.set(channel.id, [channel.id, reason]);
    return candidate(channel, group, search, sortVerdicts(offers, verdicts));
  };

  return {
    selectNext(search) {
      let resort: Candidate | undefined;
      for (const group of search.groups) {
        const found = chooseIn(search, group);
        if (found?.isLastResort === false) return found;
        resort ??= found;
      }
      return resort;
    },
    selectPinned(request, { channelId, keyId, despiteCaps = false, tried }, group) {
      const channel = snapshot.channel(channelId);
      const { model } = request.facts;
      if (channel === undefined || createCapabilityCheck({ request, model })(channel) !== undefined) return undefined;
      if (!despiteCaps && cappedUntil(channel) > 0) return undefined;
      const others = keyId === undefined ? [] : channel.keys.filter(({ id }) => id !== keyId);
      const triedKeys = new Set([...tried, ...others.map(({ id }) => id)]);
      const search = { model, triedKeys, findWarmAccount: () => undefined };
      return candidate(channel, group, search, [[channel.id, 'pinned']]);
    },
    cappedUntil({ request, model, groups }, pinned) {
      const lacking = createCapabilityCheck({ request, model });
      const offers =
        pinned === undefined
          ? groups.flatMap(({ symbol }) => offering(symbol, model))
          : [snapshot.channel(pinned)].filter((channel) => channel !== undefined);
      const able = offers.filter((channel) => lacking(channel) === undefined);
      return able.length === 0 ? 0 : Math.min(...able.map(cappedUntil));
    },
    offers({ request, model, groups }) {
      const lacking = createCapabilityCheck({ request, model });
      return groups.some(({ symbol }) => offering(symbol, model).some((channel) => lacking(channel) !== 'operation'));
    },
    recordAttempt: ({ key }) => rotation.recordAttempt(key),
    listModels(groups) {
      return [...new Set(groups.flatMap(({ symbol }) => named(symbol)))].toSorted();
    },
  };
}

type ChooseAmongEquals = ReturnType<typeof createChannelOrder>;

/** The one that the conversation knows, else by the group's order; and what is said of the others. */
function selectAmongEquals(
  equals: readonly ChannelState[],
  group: GroupState,
  { model, findWarmAccount: warmOf }: ChannelSearch,
  chooseAmongEquals: ChooseAmongEquals,
): readonly [ChannelState, Verdict[1], Verdict[1]] {
  const [only] = equals;
  if (equals.length === 1 && only !== undefined) return [only, 'chosen', 'outweighed'];
  const warmId = warmOf()?.channelId;
  const warm = warmId === undefined ? undefined : equals.find(({ id }) => id === warmId);
  if (warm !== undefined) return [warm, 'warm', 'colder'];
  return chooseAmongEquals(equals, group.order, model);
}

/** Returns the verdicts in the order in which the channels were examined. */
function sortVerdicts(offers: readonly ChannelState[], verdicts: ReadonlyMap<number, Verdict>): Verdict[] {
  const ordered = offers.slice(0, VERDICTS_MAX).map(({ id }) => verdicts.get(id));
  return ordered.filter((verdict) => verdict !== undefined);
}
