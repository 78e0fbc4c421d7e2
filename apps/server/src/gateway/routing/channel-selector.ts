/**
 * Selects a channel. Among the channels that offer the model to the group and support the request, the highest
 * priority with a healthy channel wins; among equals the one that served the conversation before, else by the group's
 * order. If none is healthy, one of the half that recovers first serves.
 */
import { type ModelNames, resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { Capability, ClientRequest } from '@switchyard/relay';
import type { LoadedKey } from '../../channels/registry/registry.ts';
import type { Verdict } from '../../ledger/ledger.ts';
import type { ChannelState, GroupState } from '../snapshot/snapshot.ts';
import { createChannelOrder, createKeyRotation } from './channel-and-key-order.ts';
import { createNamedModels, createOffers } from './channel-offers.ts';
import {
  type ChannelSearch,
  createCapabilityCheck,
  createChannelClassifier,
  NO_KEYS,
  type SelectorOptions,
  selectEarliestRecovering,
  VERDICTS_MAX,
} from './classify-channels.ts';

export interface Candidate {
  channel: ChannelState;
  /** Key of the channel. */
  key: LoadedKey;
  group: GroupState;
  /** Model as the client, or a fallback rule, named it. */
  model: string;
  /** Name of the model at the vendor. */
  upstreamModel: string;
  /** Name of the model in the price list. */
  billedModel: string;
  /** True if no channel was healthy. */
  isLastResort: boolean;
  /** Image tool's model; absent if the request names none, or one that the caller may not use. */
  imageTool?: ModelNames | undefined;
  /** Reasons why this channel was selected and others were not. */
  verdicts: readonly Verdict[];
}

export interface ChannelSelector {
  /** Returns undefined when no channel is left. */
  selectNext(search: ChannelSearch): Candidate | undefined;
  /** Selects the channel that an administrator pinned, whatever its groups and models. */
  selectPinned(request: ClientRequest, pin: Pin, group: GroupState): Candidate | undefined;
  /** Returns the UTC seconds until which caps alone exclude every capable channel; 0 when a channel is not capped. */
  cappedUntil(search: Pick<ChannelSearch, 'request' | 'model' | 'groups'>, pinned?: number): number;
  /** Lists what each channel that offers the model for such a request lacks, whatever the channel's state. */
  listLacks(search: Pick<ChannelSearch, 'request' | 'model' | 'groups'>): (Capability | undefined)[];
  /** Records that an attempt begins, which moves its key to the end of the rotation. */
  recordAttempt(candidate: Candidate): void;
  /** Returns whether channels offer the model to other groups only, whatever their state. */
  isForOtherGroups(groups: readonly GroupState[], model: string): boolean;
  /** Lists the models of the groups without wildcards. */
  listModels(groups: readonly GroupState[]): string[];
}

export interface Pin {
  channelId: number;
  /** Only permitted key; absent: any. */
  keyId?: string | undefined;
  /** True to ignore spending caps, for a call that is already paid. */
  despiteCaps?: boolean | undefined;
  tried: ReadonlySet<string>;
}

const groupsOf = (snapshot: SelectorOptions['snapshot']): string[] => [
  ...new Set(snapshot.channels().flatMap((channel) => [...channel.groups])),
];

export function createChannelSelector(choosing: SelectorOptions): ChannelSelector {
  const { snapshot, health, cappedUntil = () => 0 } = choosing;
  const offering = createOffers(snapshot);
  const named = createNamedModels(snapshot);
  const chooseAmongEquals = createChannelOrder(choosing);
  const rotation = createKeyRotation(health);
  const sort = createChannelClassifier(choosing, rotation);

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
    listLacks({ request, model, groups }) {
      const lacking = createCapabilityCheck({ request, model });
      const lacks = groups.flatMap(({ symbol }) => offering(symbol, model)).map(lacking);
      return lacks.filter((lack) => lack !== 'operation');
    },
    recordAttempt: ({ key }) => rotation.recordAttempt(key),
    isForOtherGroups(groups, model) {
      const hasModel = (symbol: string): boolean => offering(symbol, model).length > 0;
      return !groups.some(({ symbol }) => hasModel(symbol)) && groupsOf(snapshot).some(hasModel);
    },
    listModels(groups) {
      return [...new Set(groups.flatMap(({ symbol }) => named(symbol)))].toSorted();
    },
  };
}

type ChooseAmongEquals = ReturnType<typeof createChannelOrder>;

/**
 * Selects the channel that the conversation used, else one by the group's order; also returns the verdict of the
 * others.
 */
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
