import type { ChannelState, Snapshot } from './snapshot.ts';

const OFFERS_MAX = 10_000;

/** Channels that offer the model to the group, highest priority first. */
export function createOffers(snapshot: Snapshot): (group: string, model: string) => readonly ChannelState[] {
  const offers = untilChannelsChange<readonly ChannelState[]>(snapshot);
  return (group, model) =>
    offers(`${group}\n${model}`, () =>
      snapshot
        .channels()
        .filter((channel) => channel.groups.has(group) && offersModel(channel, model))
        .toSorted((a, b) => b.priority - a.priority),
    );
}

/** Models that some channel offers to the group by their full names. */
export function createNamedModels(snapshot: Snapshot): (group: string) => readonly string[] {
  const named = untilChannelsChange<readonly string[]>(snapshot);
  return (group) =>
    named(group, () => {
      const models = new Set<string>();
      for (const channel of snapshot.channels())
        if (channel.groups.has(group)) for (const model of namesOf(channel).exact) models.add(model);
      return [...models];
    });
}

/** Keeps what was found by a name until some channel changes. */
function untilChannelsChange<T>(snapshot: Snapshot): (name: string, find: () => T) => T {
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

interface OfferedNames {
  exact: ReadonlySet<string>;
  /** What stands before a `*`. */
  beginnings: readonly string[];
}

/** By a channel's list of models, which stays the same object while the channel stays as it is. */
const names = new WeakMap<readonly string[], OfferedNames>();

function namesOf({ models }: ChannelState): OfferedNames {
  const known = names.get(models);
  if (known !== undefined) return known;
  const offered: OfferedNames = {
    exact: new Set(models.filter((model) => !model.endsWith('*'))),
    beginnings: models.filter((model) => model.endsWith('*')).map((model) => model.slice(0, -1)),
  };
  names.set(models, offered);
  return offered;
}

/** What the contract's `offersModel` says, without reading thousands of lists for each name. */
function offersModel(channel: ChannelState, model: string): boolean {
  const { exact, beginnings } = namesOf(channel);
  return exact.has(model) || beginnings.some((beginning) => model.startsWith(beginning));
}
