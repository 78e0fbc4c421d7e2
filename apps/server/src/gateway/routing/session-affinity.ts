/**
 * Session affinity: the channel and key that last served a conversation, so that its next turn finds the provider's
 * prompt cache warm. Bounded, in memory, and only ever a preference: health decides first.
 */
import { hash } from 'node:crypto';
import { type ClientRequest, conversationKey } from '@switchyard/relay';
import { createBoundedMap } from '../../platform/caches.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Principal } from '../snapshot/authenticate.ts';

/** The account whose prompt cache knows a conversation. */
export interface WarmAccount {
  channelId: number;
  keyId: string;
}

export interface SessionAffinity {
  find(session: string): WarmAccount | undefined;
  remember(session: string, warm: WarmAccount): void;
}

const SESSIONS_MAX = 50_000;
/** The longest that a vendor keeps a prompt cache on ordinary terms. */
const KEPT_MS = 60 * 60_000;

export function createSessionAffinity(clock: Clock): SessionAffinity {
  const sessions = createBoundedMap<string, WarmAccount>(SESSIONS_MAX, {
    ttl: KEPT_MS,
    updateAgeOnGet: true,
    perf: { now: () => clock.now() },
  });
  return {
    find: (session) => sessions.get(session),
    remember: (session, warm) => void sessions.set(session, warm),
  };
}

/** A request asks for its session when a channel is chosen, and again when it was answered. */
const sessionKeys = new WeakMap<ClientRequest, string | undefined>();

/** Names a conversation of a key with a model; caches are kept per model. Undefined when there is none to keep warm. */
export function getSessionKey(principal: Principal, request: ClientRequest): string | undefined {
  if (!sessionKeys.has(request)) sessionKeys.set(request, buildSessionKey(principal, request));
  return sessionKeys.get(request);
}

function buildSessionKey({ user, key }: Principal, request: ClientRequest): string | undefined {
  const conversation = conversationKey(request);
  if (conversation === undefined) return undefined;
  return hash('sha1', `${user.id} ${key?.id ?? 0} ${request.facts.model} ${conversation}`, 'base64');
}
