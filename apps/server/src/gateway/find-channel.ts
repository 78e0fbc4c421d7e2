/**
 * A channel for a request: the pinned one, else a healthy one for its model, else a healthy one for a model that stands
 * in for it; only then one that is not healthy.
 */
import type { ClientRequest } from '@switchyard/relay';
import type { AttemptWatch } from '../features/channels/channels.ts';
import { type Priced, priced } from './applied-price.ts';
import type { Principal } from './authenticate.ts';
import type { Candidate } from './choose-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RelayError } from './relay-error.ts';
import { sessionOf } from './session-affinity.ts';
import type { GroupState } from './snapshot.ts';

interface Seeking {
  request: ClientRequest;
  principal: Principal;
  groups: readonly GroupState[];
}

/** @param tried this request's earlier attempts; each model has the retries of the settings for itself */
export function findChannel(
  parts: GatewayParts,
  { request, principal, groups }: Seeking,
  tried: readonly Candidate[],
): Candidate | undefined {
  const { choose, affinity, settings } = parts;
  const { pinnedChannelId } = principal;
  const [group] = groups;
  if (pinnedChannelId !== undefined && group !== undefined)
    return choose.pinned(request, pinnedChannelId, group);
  const warmChannel = (): number | undefined => {
    const session = settings.sessionAffinity ? sessionOf(principal, request) : undefined;
    return session === undefined ? undefined : affinity.warmChannel(session);
  };
  let resort: Candidate | undefined;
  for (const model of modelsFor(parts, principal, request.facts.model)) {
    const asked = tried.filter((candidate) => candidate.model === model).map(({ channel }) => channel.id);
    if (asked.length > settings.retryTimes) continue;
    const candidate = choose.next({ request, model, groups, tried: new Set(asked), warmChannel });
    if (candidate?.isLastResort === false) return candidate;
    resort ??= candidate;
  }
  return resort;
}

/** The requested model and those that stand in for it, as far as the key may use them. */
function* modelsFor({ settings }: GatewayParts, { key }: Principal, model: string): Generator<string> {
  yield model;
  if (!Object.hasOwn(settings.modelFallbacks, model)) return;
  for (const fallback of settings.modelFallbacks[model] ?? [])
    if (key?.models?.has(fallback) !== false) yield fallback;
}

/** A candidate whose channel expects the attempt. Whoever has it must end its watch, also if nothing is attempted. */
export interface Booked extends Priced {
  watch: AttemptWatch;
}

/** To be called at once for what was found: of a channel that is on trial, the only attempt is taken by it. */
export function book({ health, snapshot }: GatewayParts, principal: Principal, candidate: Candidate): Booked {
  const watch = health.begin(candidate.channel.id, candidate.model);
  return { ...priced(snapshot, principal, candidate), watch };
}

/** The conversation's next turn goes to the same channel, if it had a choice. */
export function rememberChannel(
  { affinity, settings }: GatewayParts,
  { principal, request }: Seeking,
  { channel, verdicts }: Candidate,
): void {
  if (!settings.sessionAffinity || verdicts.length < 2) return;
  const session = sessionOf(principal, request);
  if (session !== undefined) affinity.remember(session, channel.id);
}

export function noChannel({ facts }: ClientRequest): RelayError {
  return new RelayError('no_available_channel', `No channel offers the model ${facts.model} to your group.`, {
    param: 'model',
  });
}
