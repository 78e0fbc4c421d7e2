import { offersModel } from '@switchyard/contract/channels/model-mapping';
import type { ChannelState, Snapshot } from '../snapshot/snapshot.ts';

const OFFERS_MAX = 10_000;

/** Lists the channels that offer the model to the group, highest priority first. */
export function createOffers(snapshot: Snapshot): (group: string, model: string) => readonly ChannelState[] {
  const offers = cacheUntilChannelsChange<readonly ChannelState[]>(snapshot);
  const index = cacheUntilChannelsChange<Index>(snapshot);
  return (group, model) =>
    offers(`${group}\n${model}`, () =>
      index('', () => buildIndex(snapshot.channels()))
        .offering(model)
        .filter((channel) => channel.groups.has(group)),
    );
}

/** Returns whether the channel offers the model to the group, without the index of all channels. */
export function offersToGroup({ groups, models }: ChannelState, group: string, model: string): boolean {
  return groups.has(group) && offersModel(models, model);
}

/** Lists the models that some channel offers to the group by their full names. */
export function createNamedModels(snapshot: Snapshot): (group: string) => readonly string[] {
  const named = cacheUntilChannelsChange<readonly string[]>(snapshot);
  return (group) =>
    named(group, () => {
      const models = new Set<string>();
      for (const channel of snapshot.channels()) {
        if (!channel.groups.has(group)) continue;
        for (const model of channel.models) if (!model.endsWith('*')) models.add(model);
      }
      return [...models];
    });
}

/** Caches results by name until a channel changes. */
function cacheUntilChannelsChange<T>(snapshot: Snapshot): (name: string, find: () => T) => T {
  let version = -1;
  const found = new Map<string, T>();
  return (name, find) => {
    if (version !== snapshot.channelsVersion || found.size > OFFERS_MAX) {
      found.clear();
      version = snapshot.channelsVersion;
    }
    const known = found.get(name);
    if (known !== undefined) return known;
    const value = find();
    found.set(name, value);
    return value;
  };
}

interface Index {
  /** Highest priority first. */
  offering(model: string): ChannelState[];
}

/**
 * Indexes the contract's `offersModel` for all channels, so that thousands of lists are read once per change instead
 * of once per requested model.
 */
function buildIndex(channels: readonly ChannelState[]): Index {
  const sorted = channels.toSorted((a, b) => b.priority - a.priority);
  const exact = new Map<string, Set<number>>();
  const beginnings = new Map<string, Set<number>>();
  for (const [place, channel] of sorted.entries())
    for (const model of channel.models)
      if (model.endsWith('*')) addToIndex(beginnings, model.slice(0, -1), place);
      else addToIndex(exact, model, place);
  return {
    offering(model) {
      const places = new Set(exact.get(model));
      for (const [beginning, those] of beginnings)
        if (model.startsWith(beginning)) for (const place of those) places.add(place);
      return [...places].toSorted((a, b) => a - b).flatMap((place) => sorted[place] ?? []);
    },
  };
}

function addToIndex(places: Map<string, Set<number>>, name: string, place: number): void {
  const known = places.get(name);
  if (known === undefined) places.set(name, new Set([place]));
  else known.add(place);
}
