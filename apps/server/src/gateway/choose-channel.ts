/**
 * Which channel serves: of those that offer the model to the group, the highest priority that has one able to serve,
 * and by weight among equals. A channel that rests after a failure is used only when no other is left.
 */
import { type ClientRequest, canServe } from '@switchyard/relay';
import type { ChannelHealth } from './channel-health.ts';
import type { ChannelState, GroupState, Snapshot } from './snapshot.ts';

export interface Candidate {
  channel: ChannelState;
  group: GroupState;
  /** The model's name at the vendor. */
  upstreamModel: string;
  /** The name by which it is priced. */
  billedModel: string;
}

export interface ChooseChannel {
  /** Undefined when nothing is left. @param tried channels of this request's earlier attempts */
  next(
    request: ClientRequest,
    groups: readonly GroupState[],
    tried: ReadonlySet<number>,
  ): Candidate | undefined;
  /** The channel that an administrator pinned, whatever its groups and models. */
  pinned(request: ClientRequest, channelId: number, group: GroupState): Candidate | undefined;
  /** Models of a group, wildcards left out. */
  modelsOf(groups: readonly GroupState[]): string[];
}

const OFFERS_MAX = 10_000;

export function createChooseChannel(
  snapshot: Snapshot,
  health: ChannelHealth,
  random: () => number = Math.random,
): ChooseChannel {
  let version = -1;
  const offers = new Map<string, readonly ChannelState[]>();

  /** Channels that offer the model to the group, highest priority first. */
  const offering = (group: string, model: string): readonly ChannelState[] => {
    if (version !== snapshot.channelsVersion || offers.size > OFFERS_MAX) {
      offers.clear();
      version = snapshot.channelsVersion;
    }
    const name = `${group}\n${model}`;
    const known = offers.get(name);
    if (known !== undefined) return known;
    const found = snapshot
      .channels()
      .filter((channel) => channel.groups.has(group) && offersModel(channel, model));
    const sorted = found.toSorted((a, b) => b.priority - a.priority);
    offers.set(name, sorted);
    return sorted;
  };

  return {
    next(request, groups, tried) {
      const { model } = request.facts;
      let resting: Candidate | undefined;
      for (const group of groups) {
        const able = offering(group.symbol, model).filter(
          (channel) => !tried.has(channel.id) && isAble(channel, request),
        );
        const awake = able.filter((channel) => !health.isResting(channel.id, model));
        const channel = pickByWeight(topPriority(awake), random);
        if (channel !== undefined) return candidate(channel, group, model);
        const [first] = able.toSorted(
          (a, b) => health.restsUntil(a.id, model) - health.restsUntil(b.id, model),
        );
        if (first !== undefined) resting ??= candidate(first, group, model);
      }
      return resting;
    },
    pinned(request, channelId, group) {
      const channel = snapshot.channel(channelId);
      return channel === undefined || !isAble(channel, request)
        ? undefined
        : candidate(channel, group, request.facts.model);
    },
    modelsOf(groups) {
      const models = new Set<string>();
      for (const channel of snapshot.channels()) {
        if (!groups.some((group) => channel.groups.has(group.symbol))) continue;
        for (const model of channel.models) if (!model.endsWith('*')) models.add(model);
      }
      return [...models].toSorted();
    },
  };
}

function offersModel(channel: ChannelState, model: string): boolean {
  return channel.models.some((offered) =>
    offered.endsWith('*') ? model.startsWith(offered.slice(0, -1)) : offered === model,
  );
}

function isAble(channel: ChannelState, request: ClientRequest): boolean {
  if (channel.onlyChat && request.facts.hasTools) return false;
  return canServe(channel.target.provider, request.operation);
}

function topPriority(channels: readonly ChannelState[]): readonly ChannelState[] {
  const top = channels[0]?.priority;
  return channels.filter((channel) => channel.priority === top);
}

function pickByWeight(channels: readonly ChannelState[], random: () => number): ChannelState | undefined {
  if (channels.length <= 1) return channels[0];
  const total = channels.reduce((sum, channel) => sum + channel.weight, 0);
  let rest = random() * total;
  return channels.find((channel) => (rest -= channel.weight) < 0) ?? channels.at(-1);
}

/** A mapped name that begins with `+` is sent without it and billed by the requested name. */
function candidate(channel: ChannelState, group: GroupState, model: string): Candidate {
  const mapped = mappedName(channel, model);
  if (mapped.startsWith('+')) return { channel, group, upstreamModel: mapped.slice(1), billedModel: model };
  return { channel, group, upstreamModel: mapped, billedModel: mapped };
}

/** Clients choose the name, and `constructor` is one, so only the mapping's own entries count. */
function mappedName({ modelMapping }: ChannelState, model: string): string {
  return (Object.hasOwn(modelMapping, model) ? modelMapping[model] : undefined) ?? model;
}
