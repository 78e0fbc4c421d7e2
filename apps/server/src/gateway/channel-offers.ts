import { offersModel } from '@switchyard/contract/model-mapping';
import type { ChannelState, Snapshot } from './snapshot.ts';

const OFFERS_MAX = 10_000;

/** Channels that offer the model to the group, highest priority first. */
export function createOffers(snapshot: Snapshot): (group: string, model: string) => readonly ChannelState[] {
  let version = -1;
  const offers = new Map<string, readonly ChannelState[]>();
  return (group, model) => {
    if (version !== snapshot.channelsVersion || offers.size > OFFERS_MAX) {
      offers.clear();
      version = snapshot.channelsVersion;
    }
    const name = `${group}\n${model}`;
    const known = offers.get(name);
    if (known !== undefined) return known;
    const sorted = snapshot
      .channels()
      .filter((channel) => channel.groups.has(group) && offersModel(channel.models, model))
      .toSorted((a, b) => b.priority - a.priority);
    offers.set(name, sorted);
    return sorted;
  };
}
