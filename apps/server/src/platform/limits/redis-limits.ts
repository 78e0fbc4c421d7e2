/** Shared limits as Redis keys, each with an expiry. */
import { createHash } from 'node:crypto';
import type { Timers } from '../clock.ts';
import type { Log } from '../log.ts';
import { RedisConnection } from './redis-connection.ts';
import {
  acquireSlotsScript,
  adjustBucketsScript,
  consumeBucketsScript,
  countInWindowScript,
  listTextsScript,
  publishTextScript,
  renewSlotsScript,
  resetWindowScript,
  withdrawTextsScript,
} from './redis-scripts.ts';
import type { BucketRequest, SharedLimits } from './shared-limits.ts';

/** Short, because requests wait for it. */
const DEADLINE_MS = 50;
const LEASE_MS = 15_000;

const PREFIX = 'switchyard:';
const TEXTS = `${PREFIX}texts`;
const LEASES = `${PREFIX}node:`;
const scripts = [
  consumeBucketsScript,
  adjustBucketsScript,
  acquireSlotsScript,
  renewSlotsScript,
  countInWindowScript,
  resetWindowScript,
  publishTextScript,
  withdrawTextsScript,
  listTextsScript,
];

export interface RedisOptions {
  log: Log;
  timers: Timers;
  /** Milliseconds within which Redis must respond. */
  deadlineMs?: number | undefined;
  /** Milliseconds of silence after which a node's slots expire. */
  leaseMs?: number | undefined;
}

type Listener = (text: string, forMs: number) => void;

export async function openRedisLimits(
  url: string,
  { log, timers, deadlineMs = DEADLINE_MS, leaseMs = LEASE_MS }: RedisOptions,
): Promise<SharedLimits> {
  // A message reaches all databases of one Redis, so the channel includes the database.
  const channel = `${TEXTS}:${new URL(url).pathname.slice(1) || '0'}`;
  const listeners: Listener[] = [];
  let readSlots: () => ReadonlyMap<string, number> = () => new Map();
  const receive: Listener = (text, forMs) => {
    for (const listener of listeners) listener(text, forMs);
  };

  const reportSlots = (used: ReadonlyMap<string, number>): void => {
    if (used.size === 0) return;
    const keys = [...used.keys()].map(slotKey);
    void redis.run(renewSlotsScript, keys, [redis.node, ...[...used.values()].map(String)]);
  };
  const loadPublishedTexts = async (): Promise<void> => {
    const answer = (await redis.run(listTextsScript, [TEXTS], [])) ?? [];
    for (let i = 0; i + 1 < answer.length; i += 2) receive(String(answer[i]), Number(answer[i + 1]));
  };

  const redis = new RedisConnection({
    url,
    log,
    timers,
    deadlineMs,
    leaseMs,
    scripts,
    leaseKeyPrefix: LEASES,
    channel,
    onLease() {
      reportSlots(readSlots());
      void loadPublishedTexts();
    },
    onSubscribed: () => void loadPublishedTexts(),
    onMessage(message) {
      const [, from, forMs, text = ''] = /^(\S+) (\d+) (.*)$/s.exec(message) ?? [];
      if (from !== undefined && from !== redis.node) receive(text, Number(forMs));
    },
  });
  await redis.start();

  return {
    get isUp() {
      return redis.isUp;
    },
    async consumeBuckets(wants) {
      const values = wants.flatMap((want) => [...toScriptArguments(want), String(want.needed), String(want.taken)]);
      const answer = await redis.run(consumeBucketsScript, wants.map(bucketKey), values);
      if (answer === undefined) return undefined;
      const [lacking = 0, ...levels] = answer.map(Number);
      return { levels: parseLevels(levels), insufficientIndex: lacking === 0 ? undefined : lacking - 1 };
    },
    adjustBuckets(wants) {
      const values = wants.flatMap((want) => [...toScriptArguments(want), String(want.taken)]);
      void redis.run(adjustBucketsScript, wants.map(bucketKey), values);
    },
    async acquireConcurrencySlots(wants) {
      const values = wants.flatMap(({ usedSlots, limit }) => [String(usedSlots), String(limit)]);
      const keys = wants.map(({ name }) => slotKey(name));
      const answer = await redis.run(acquireSlotsScript, keys, [redis.node, LEASES, ...values]);
      return answer && { full: wants[Number(answer[0]) - 1]?.name };
    },
    reportConcurrencySlots: reportSlots,
    setSlotSource(read) {
      readSlots = read;
    },
    async countInWindow(name, windowMs, change) {
      const answer = await redis.run(countInWindowScript, [windowKey(name)], [String(windowMs), String(change)]);
      return answer && { count: Number(answer[0]), ageMs: Number(answer[1]) };
    },
    resetWindow: (name) => void redis.run(resetWindowScript, [windowKey(name)], []),
    publishText: (text, forMs) =>
      void redis.run(publishTextScript, [TEXTS], [channel, redis.node, text, String(Math.ceil(forMs))]),
    withdrawTexts: (beginning) => void redis.run(withdrawTextsScript, [TEXTS], [channel, redis.node, beginning]),
    subscribeToTexts(listener) {
      listeners.push(listener);
      void loadPublishedTexts();
    },
    close: () => redis.close(),
  };
}

/** Hashes names, which contain addresses and typed logins. */
function buildKey(kind: string, name: string): string {
  return `${PREFIX}${kind}:${createHash('sha256').update(name).digest('base64url')}`;
}

const bucketKey = ({ name }: { name: string }): string => buildKey('bucket', name);
const slotKey = (name: string): string => buildKey('seats', name);
const windowKey = (name: string): string => buildKey('window', name);

function toScriptArguments({ isWindow, perMinute, capacity }: Omit<BucketRequest, 'needed'>): string[] {
  return [isWindow ? '1' : '0', String(perMinute), String(capacity)];
}

function parseLevels(numbers: readonly number[]): { tokens: number; ageMs: number }[] {
  return numbers.flatMap((tokens, i) => (i % 2 === 0 ? [{ tokens, ageMs: numbers[i + 1] ?? 0 }] : []));
}
