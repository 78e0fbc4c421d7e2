/**
 * Session affinity: the channel and key that last served a conversation, so that its next turn hits the provider's
 * prompt cache. Bounded, in memory, and only a preference: health takes precedence.
 */
import { hash } from 'node:crypto';
import { type ClientRequest, conversationKey } from '@switchyard/relay';
import { createBoundedMap } from '../../platform/caches.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

/** Account whose prompt cache contains a conversation. */
export interface WarmAccount {
  channelId: number;
  keyId: string;
}

export interface SessionAffinity {
  find(session: string): WarmAccount | undefined;
  remember(session: string, warm: WarmAccount): void;
}

const SESSIONS_MAX = 50_000;
/** Longest standard retention of prompt caches. */
const KEPT_MS = 60 * 60_000;

export function createSessionAffinity(clock: Clock): SessionAffinity {
  const sessions = createBoundedMap<string, WarmAccount>(SESSIONS_MAX, {
    ttl: KEPT_MS,
    updateAgeOnGet: true,
    perf: { now: () => clock.now() },
  });
  return { find: (session) => sessions.get(session), remember: (session, warm) => void sessions.set(session, warm) };
}

/** Cache: each request needs its key when a channel is selected, and after its response. */
const sessionKeys = new WeakMap<ClientRequest, string | undefined>();

/**
 * Returns the key of a conversation of an API key with a model, since prompt caches are per model; undefined when
 * there is nothing to cache.
 */
export function getSessionKey(principal: Principal, request: ClientRequest): string | undefined {
  if (!sessionKeys.has(request)) sessionKeys.set(request, buildSessionKey(principal, request));
  return sessionKeys.get(request);
}

function buildSessionKey({ user, key }: Principal, request: ClientRequest): string | undefined {
  const conversation = conversationKey(request);
  if (conversation === undefined) return undefined;
  return hash('sha1', `${user.id} ${key?.id ?? 0} ${request.facts.model} ${conversation}`, 'base64');
}
