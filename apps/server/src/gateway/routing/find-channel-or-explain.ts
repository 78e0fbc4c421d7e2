/**
 * Finds a channel for a request: the pinned one, else a healthy one for its model, else a healthy one for a fallback
 * model, else an unhealthy one.
 */
import { offersModel, resolveModelNames } from '@switchyard/contract/channels/model-mapping';
import type { Settings } from '@switchyard/contract/operations/settings';
import type { ClientRequest } from '@switchyard/relay';
import type { AttemptKey, AttemptRecorder, ChannelHealth, DisabledOffer } from '../../channels/registry/registry.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { REPORT_ADVICE } from '../../platform/http/app-error.ts';
import { RelayError } from '../http/relay-error.ts';
import { isChannelAdministrator, isPinnedByCaller, type Principal } from '../snapshot/authenticate-api-key.ts';
import type { GroupState, Snapshot } from '../snapshot/snapshot.ts';
import type { Candidate, ChannelSelector } from './channel-selector.ts';
import { type PricedCandidate, priceCandidate } from './price-candidate.ts';
import { getSessionKey, type SessionAffinity, type WarmAccount } from './session-affinity.ts';

export interface FindChannelParts {
  snapshot: Snapshot;
  channelSelector: ChannelSelector;
  health: ChannelHealth;
  affinity: SessionAffinity;
  clock: Clock;
  readonly settings: Settings;
  /** Models that disabled channels would offer. */
  disabledOffers(): Promise<readonly DisabledOffer[]>;
}

interface ChannelRequest {
  request: ClientRequest;
  principal: Principal;
  groups: readonly GroupState[];
}

/** Failed attempt. */
export interface FailedAttempt extends Candidate {
  /** True if another key of the channel may succeed. */
  isKeyFailure: boolean;
}

/** @param tried earlier attempts of this request; the limit of retries applies to each model separately */
export function findChannel(
  parts: FindChannelParts,
  seeking: ChannelRequest,
  tried: readonly FailedAttempt[],
): Candidate | undefined {
  const candidate = selectChannel(parts, seeking, tried);
  const model = seeking.request.facts.imageTool?.model;
  if (candidate === undefined || model === undefined || !mayUseModel(parts, seeking, model)) return candidate;
  return { ...candidate, imageTool: resolveModelNames(candidate.channel.modelMapping, model) };
}

/**
 * Returns whether the caller may use a model that runs within a request for another one: the token may, and it is not
 * offered to other groups only. A model that no channel lists belongs to the requested one, such as the transcription
 * model of a realtime session. A chosen channel serves every group, and a batch had its check when it was sent.
 */
export function mayUseModel(
  { channelSelector }: Pick<FindChannelParts, 'channelSelector'>,
  { principal, groups }: Pick<ChannelRequest, 'principal' | 'groups'>,
  model: string,
): boolean {
  if (principal.key?.models?.has(model) === false) return false;
  if (isPinnedByCaller(principal) || principal.batch?.answeredIn !== undefined) return true;
  return !channelSelector.isForOtherGroups(groups, model);
}

function selectChannel(
  parts: FindChannelParts,
  { request, principal, groups }: ChannelRequest,
  tried: readonly FailedAttempt[],
): Candidate | undefined {
  const { channelSelector, affinity, settings } = parts;
  const { pinnedChannelId } = principal;
  const [group] = groups;
  if (pinnedChannelId !== undefined && group !== undefined) {
    if (tried.length > settings.retryTimes || tried.some(({ isKeyFailure }) => !isKeyFailure)) return undefined;
    const pin = {
      channelId: pinnedChannelId,
      keyId: principal.pinnedKeyId,
      despiteCaps: principal.batch?.answeredIn !== undefined,
      tried: listKeyIds(tried),
    };
    return channelSelector.selectPinned(request, pin, group);
  }
  const warm = (): WarmAccount | undefined => {
    const session = settings.sessionAffinity ? getSessionKey(principal, request) : undefined;
    return session === undefined ? undefined : affinity.find(session);
  };
  let resort: Candidate | undefined;
  for (const model of modelsFor(parts, principal, request.facts.model)) {
    const attempts = tried.filter((attempt) => attempt.model === model);
    if (attempts.length > settings.retryTimes) continue;
    const out = new Set(attempts.filter(({ isKeyFailure }) => !isKeyFailure).map(({ channel }) => channel.id));
    const candidate = channelSelector.selectNext({
      request,
      model,
      groups,
      tried: out,
      triedKeys: listKeyIds(attempts),
      findWarmAccount: warm,
    });
    if (candidate?.isLastResort === false) return candidate;
    resort ??= candidate;
  }
  return resort;
}

const listKeyIds = (tried: readonly FailedAttempt[]): Set<string> => new Set(tried.map(({ key }) => key.id));

/** Yields the requested model and its fallback models that the key may use. */
function* modelsFor({ settings }: FindChannelParts, { key }: Principal, model: string): Generator<string> {
  yield model;
  if (!Object.hasOwn(settings.modelFallbacks, model)) return;
  for (const fallback of settings.modelFallbacks[model] ?? []) if (key?.models?.has(fallback) !== false) yield fallback;
}

/** Candidate with a begun attempt. Its holder must end the watch, even if nothing is sent. */
export interface Booked extends PricedCandidate {
  watch: AttemptRecorder;
}

/**
 * Begins an attempt on the candidate. Must be called as soon as the candidate is found: a half-open channel allows
 * only one attempt, which this takes.
 */
export function book(
  { channelSelector, health, snapshot }: FindChannelParts,
  principal: Principal,
  candidate: Candidate,
): Booked {
  channelSelector.recordAttempt(candidate);
  const key = toAttemptKey(candidate);
  const watch = health.beginAttempt(candidate.channel.id, candidate.model, key, principal.user.id);
  return { ...priceCandidate(snapshot, principal, candidate), watch };
}

export function toAttemptKey({ key, channel }: Candidate): AttemptKey {
  return { id: key.id, all: channel.keys.map(({ id }) => id) };
}

/** Remembers the account for the conversation's next turn, if there was a choice. */
export function rememberChannel(
  { affinity, settings }: FindChannelParts,
  { principal, request }: ChannelRequest,
  { channel, key, verdicts }: Candidate,
): void {
  if (!settings.sessionAffinity || (verdicts.length < 2 && channel.keys.length < 2)) return;
  const session = getSessionKey(principal, request);
  if (session !== undefined) affinity.remember(session, { channelId: channel.id, keyId: key.id });
}

/**
 * Returns the error when no channel is found before any attempt: not retryable for an unknown model, retryable for a
 * known one.
 */
export async function noChannelError(parts: FindChannelParts, seeking: ChannelRequest): Promise<RelayError> {
  const { request, principal, groups } = seeking;
  const { operation } = request;
  const { model } = request.facts;
  const capped = [...modelsFor(parts, principal, model)]
    .map((name) => parts.channelSelector.cappedUntil({ request, model: name, groups }, principal.pinnedChannelId))
    .filter((until) => until > 0);
  if (capped.length > 0) return capReachedError(parts.clock, model, Math.min(...capped));
  const unavailable = await explainUnavailability(parts, seeking);
  if (unavailable !== undefined) return new RelayError('no_available_channel', unavailable, { param: 'model' });
  const refusal = `The model ${model.slice(0, 80)} does not exist, or ${nameGroups(groups)} cannot use it for ${operation}.`;
  return new RelayError('model_not_found', `${refusal} GET /v1/models lists your models.`, { param: 'model' });
}

export function nameGroups(groups: readonly GroupState[]): string {
  return `your ${groups.length > 1 ? 'groups' : 'group'} ${groups.map(({ symbol }) => symbol).join(' and ')}`;
}

/**
 * Resolves with the reason why no channel of a known model can serve the request; undefined if no channel, not even a
 * disabled one, offers the model. Channels in cooldown serve as the last resort, so that they are no reason.
 */
async function explainUnavailability(
  parts: FindChannelParts,
  { request, principal, groups }: ChannelRequest,
): Promise<string | undefined> {
  const shown = request.facts.model.slice(0, 80);
  const { pinnedChannelId } = principal;
  if (isPinnedByCaller(principal))
    return `Channel ${pinnedChannelId} is disabled, or does not support this request. Choose another channel.`;
  const models = [...modelsFor(parts, principal, request.facts.model)];
  const lacks = models.flatMap((model) => parts.channelSelector.listLacks({ request, model, groups }));
  const [lack] = lacks;
  const atPresent = `No channel for ${shown} can serve this request at the moment. Retry in a minute. ${REPORT_ADVICE}`;
  if (pinnedChannelId !== undefined || lacks.includes(undefined)) return atPresent;
  if (lack !== undefined) {
    const feature = lack.replace('-', ' ');
    return `No channel for ${shown} supports ${feature}. Send the request without ${feature}, or choose another model.`;
  }
  const symbols = new Set(groups.map(({ symbol }) => symbol));
  const disabled = await parts.disabledOffers();
  const isDisabled = disabled.some(
    (offer) =>
      offer.groups.some((symbol) => symbols.has(symbol)) && models.some((model) => offersModel(offer.models, model)),
  );
  if (!isDisabled) return undefined;
  // Users need not know what the operator has disabled.
  return isChannelAdministrator(parts, principal) ? `All channels for ${shown} are disabled. Enable one.` : atPresent;
}

/** @param until UTC seconds */
function capReachedError(clock: Clock, model: string, until: number): RelayError {
  const anew = new Date(until * 1000).toISOString();
  return new RelayError(
    'channel_cap_reached',
    `The operator's spending limit for ${model} is reached until ${anew}. Choose another model, or retry then.`,
    { param: 'model', retryAfterSeconds: Math.max(1, until - nowSeconds(clock)) },
  );
}
