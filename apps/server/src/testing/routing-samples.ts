/** Sample groups and channels, for tests of routing. */
import { channelId } from '@switchyard/contract/ids';
import { findProvider } from '@switchyard/relay';
import type { ChannelState, GroupState, Snapshot } from '../gateway/snapshot/snapshot.ts';
import type { PhaseLimits } from '../gateway/upstream/phase-timeouts.ts';

export function sampleGroup(symbol = 'default'): GroupState {
  return {
    symbol,
    enabled: true,
    public: true,
    ratioMicros: 1_000_000,
    apiRate: 0,
    order: 'weight',
    tokensPerMinute: 0,
  };
}

/** Returns a channel that offers `gpt-4o` to the default group. */
export function sampleChannel(number: number, changes: Partial<ChannelState> = {}): ChannelState {
  const provider = findProvider('openai');
  if (provider === undefined) throw new Error('the provider openai is missing');
  const target = { provider, baseUrl: 'http://127.0.0.1', credentials: {}, options: {}, headers: {} };
  return {
    id: channelId.parse(number),
    name: `channel ${number}`,
    target,
    keys: [{ id: `key-${number}`, hint: '', isFirst: true, target }],
    groups: new Set(['default']),
    models: ['gpt-4o'],
    modelMapping: {},
    proxy: '',
    priority: 0,
    heldPrompt: 'all',
    weight: 1,
    lacks: new Set(),
    caps: { day: null, month: null },
    cost: { ratioMicros: undefined, models: new Map() },
    deadlines: defaultPhaseLimits,
    ...changes,
  };
}

/** Returns a snapshot with channels and groups only. */
export function sampleSnapshot(channels: readonly ChannelState[]): Snapshot {
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  return {
    keyByHash: unused,
    key: unused,
    user: unused,
    group: sampleGroup,
    priceOf: unused,
    priceBook: unused,
    channels: () => channels,
    channel: (id) => channels.find((channel) => channel.id === id),
    channelsVersion: 0,
  };
}

/** Phase limits of a channel without settings. */
export const defaultPhaseLimits: PhaseLimits = {
  connectMs: 10_000,
  firstByteMs: 60_000,
  firstContentMs: 120_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  drainMs: 0,
};
