/**
 * Which channel serves: of those that offer the model to the group and can do what the request asks for, the highest
 * priority that has a healthy one; among equals the one that the conversation knows, else by the group's order. When
 * none is healthy, at most half of them stay out: those that recover first serve all the same.
 */
import { mappedNames } from '@switchyard/contract/model-mapping';
import { type Capability, type ClientRequest, canServe, capabilitiesNeeded } from '@switchyard/relay';
import type { ChannelHealth, LoadedKey } from '../features/channels/channels.ts';
import type { Verdict, VerdictReason } from '../ledger/ledger.ts';
import { createNamedModels, createOffers } from './channel-offers.ts';
import { type Costs, orderOf } from './channel-order.ts';
import { createKeyRotation } from './key-rotation.ts';
import type { Warm } from './session-affinity.ts';
import type { ChannelState, GroupState, Snapshot } from './snapshot.ts';

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

export interface Search {
  request: ClientRequest;
  /** The requested model, or one that may stand in for it. */
  model: string;
  groups: readonly GroupState[];
  /** Channels of this request's earlier attempts with the model. */
  tried: ReadonlySet<number>;
  /** Keys of earlier attempts whose channels may be tried with another. */
  triedKeys?: ReadonlySet<string>;
  /** The account that knows the conversation; only asked for when there is a choice. */
  warm: () => Warm | undefined;
}

export interface ChooseChannel {
  /** Undefined when nothing is left. */
  next(search: Search): Candidate | undefined;
  /** The channel that an administrator pinned, whatever its groups and models. */
  pinned(request: ClientRequest, pin: Pin, group: GroupState): Candidate | undefined;
  /** Models of a group, wildcards left out. */
  modelsOf(groups: readonly GroupState[]): string[];
}

export interface Pin {
  channelId: number;
  /** The only key that may be used; absent, any. */
  keyId?: string | undefined;
  tried: ReadonlySet<string>;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** More are not kept: nobody reads a list of hundreds, and every record would carry it. */
const VERDICTS_MAX = 20;

export interface Choosing {
  snapshot: Snapshot;
  health: ChannelHealth;
  costs?: Costs;
  random?: () => number;
}

export function createChooseChannel(choosing: Choosing): ChooseChannel {
  const { snapshot, health } = choosing;
  const offering = createOffers(snapshot);
  const named = createNamedModels(snapshot);
  const chooseAmongEquals = orderOf(choosing);
  const rotation = createKeyRotation(health);

  const candidate = (
    channel: ChannelState,
    group: GroupState,
    { model, triedKeys = NO_KEYS, warm }: Pick<Search, 'model' | 'triedKeys' | 'warm'>,
    verdicts: readonly Verdict[],
  ): Candidate | undefined => {
    const preferred = channel.keys.length > 1 ? warm() : undefined;
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
      ...mappedNames(channel.modelMapping, model),
    };
  };

  const chooseIn = (search: Search, group: GroupState): Candidate | undefined => {
    const { model } = search;
    const offers = offering(group.symbol, model);
    const { able, resting, verdicts } = sort(offers, search);
    const [first] = able;
    if (first === undefined) {
      if (resting.length === 0) return undefined;
      const [channel] = chooseAmongEquals(recoveringFirst(resting), 'weight', model);
      verdicts.set(channel.id, [channel.id, 'last-resort']);
      const found = candidate(channel, group, search, inOrder(offers, verdicts));
      return found && { ...found, isLastResort: true };
    }
    const equals = able.filter(({ priority }) => priority === first.priority);
    const [channel, reason, loser] = pick(equals, group, search, chooseAmongEquals);
    for (const other of able)
      verdicts.set(other.id, [other.id, other.priority === first.priority ? loser : 'lower-priority']);
    verdicts.set(channel.id, [channel.id, reason]);
    return candidate(channel, group, search, inOrder(offers, verdicts));
  };

  const sort = (offers: readonly ChannelState[], search: Search): Sorted => {
    const { request, model, tried: triedChannels, triedKeys = NO_KEYS } = search;
    const lacking = createLacking(request, model);
    const sorted: Sorted = { able: [], resting: [], verdicts: new Map() };
    for (const [index, channel] of offers.entries()) {
      const { id, keys, priority } = channel;
      // Of hundreds, those behind the ones that serve are neither chosen nor told of.
      const [best] = sorted.able;
      if (index >= VERDICTS_MAX && best !== undefined && priority < best.priority) break;
      const tried = triedChannels.has(id) || keys.every((key) => triedKeys.has(key.id));
      const lack = lacking(channel);
      const rest = tried || lack !== undefined ? undefined : restOf(channel, model, triedKeys);
      if (tried) sorted.verdicts.set(id, [id, 'tried']);
      else if (lack !== undefined) sorted.verdicts.set(id, [id, 'lacks', lack]);
      else if (rest === undefined) sorted.able.push(channel);
      else {
        sorted.verdicts.set(id, [id, rest.reason, Math.ceil(rest.until / 1000)]);
        sorted.resting.push({ channel, until: rest.until });
      }
    }
    return sorted;
  };

  const restOf = (
    channel: ChannelState,
    model: string,
    triedKeys: ReadonlySet<string>,
  ): { reason: VerdictReason; until: number } | undefined => {
    const { id } = channel;
    const { breaker, openUntil, restsUntil } = health.of(id, model);
    if (breaker !== 'closed' && !health.admits(id, model))
      return { reason: breaker === 'half-open' ? 'probing' : 'open', until: openUntil };
    const until = Math.max(restsUntil, rotation.restsUntil(channel, model, triedKeys));
    return until > 0 ? { reason: 'resting', until } : undefined;
  };

  return {
    next(search) {
      let resort: Candidate | undefined;
      for (const group of search.groups) {
        const found = chooseIn(search, group);
        if (found?.isLastResort === false) return found;
        resort ??= found;
      }
      return resort;
    },
    pinned(request, { channelId, keyId, tried }, group) {
      const channel = snapshot.channel(channelId);
      const { model } = request.facts;
      if (channel === undefined || createLacking(request, model)(channel) !== undefined) return undefined;
      const others = keyId === undefined ? [] : channel.keys.filter(({ id }) => id !== keyId);
      const triedKeys = new Set([...tried, ...others.map(({ id }) => id)]);
      const search = { model, triedKeys, warm: () => undefined };
      return candidate(channel, group, search, [[channel.id, 'pinned']]);
    },
    modelsOf(groups) {
      const models = new Set(groups.flatMap(({ symbol }) => named(symbol)));
      return [...models].toSorted();
    },
  };
}

/** Channels that may serve, and those that only rest; of all others a verdict says why not. */
interface Sorted {
  able: ChannelState[];
  resting: Resting[];
  verdicts: Map<number, Verdict>;
}

interface Resting {
  channel: ChannelState;
  /** UTC ms. */
  until: number;
}

type ChooseAmongEquals = ReturnType<typeof orderOf>;

/** The one that the conversation knows, else by the group's order; and what is said of the others. */
function pick(
  equals: readonly ChannelState[],
  group: GroupState,
  { model, warm: warmOf }: Search,
  chooseAmongEquals: ChooseAmongEquals,
): readonly [ChannelState, Verdict[1], Verdict[1]] {
  const [only] = equals;
  if (equals.length === 1 && only !== undefined) return [only, 'chosen', 'outweighed'];
  const warmId = warmOf()?.channelId;
  const warm = warmId === undefined ? undefined : equals.find(({ id }) => id === warmId);
  if (warm !== undefined) return [warm, 'warm', 'colder'];
  return chooseAmongEquals(equals, group.order, model);
}

/** In the order in which they were looked at. */
function inOrder(offers: readonly ChannelState[], verdicts: ReadonlyMap<number, Verdict>): Verdict[] {
  const ordered = offers.slice(0, VERDICTS_MAX).map(({ id }) => verdicts.get(id));
  return ordered.filter((verdict) => verdict !== undefined);
}

/** What a channel cannot do of what the request needs, looked up once and only where a channel has limits. */
function createLacking(
  request: ClientRequest,
  model: string,
): (channel: ChannelState) => Capability | 'operation' | undefined {
  let needed: ReadonlySet<Capability> | undefined;
  return (channel) => {
    const target = { ...channel.target, model: mappedNames(channel.modelMapping, model).upstreamModel };
    if (!canServe(target, request)) return 'operation';
    if (channel.lacks.size === 0) return undefined;
    needed ??= capabilitiesNeeded(request);
    return [...channel.lacks].find((capability) => needed?.has(capability));
  };
}

/** The half that recovers first, so that no single one takes everybody's requests in an outage. */
function recoveringFirst(resting: readonly Resting[]): ChannelState[] {
  const sorted = resting.toSorted((a, b) => a.until - b.until);
  return sorted.slice(0, Math.ceil(sorted.length / 2)).map(({ channel }) => channel);
}
