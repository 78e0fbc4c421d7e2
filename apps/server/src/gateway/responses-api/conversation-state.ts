/**
 * Conversations that continue by `previous_response_id`. If the channel's vendor stores the earlier response, the
 * request is sent there unchanged; otherwise it is sent with the earlier turns, which the gateway stores.
 */
import { type ClientRequest, isPassedThrough } from '@switchyard/relay';
import { textOf } from '@switchyard/relay/json';
import type { LoadedKey } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import {
  isCompleted,
  type RunWork,
  readConversationUpTo,
  STORED_BYTES_MAX,
  type StoredResponse,
  storeResponse,
  updateOrigin,
  updateResponse,
} from '../../stored-responses/stored-responses.ts';
import { retryStorage } from '../billing/retry-while-storage-fails.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RecordingResponse } from '../http/recording-response.ts';
import { RelayError } from '../http/relay-error.ts';
import { FinalEventMemory, findFinalResponse, toItemList } from '../http/responses-final-event.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { createPacedRunner, isLongRequest, LONG_BYTES, type PacedExecutor } from '../limits/paced-executor.ts';
import { createOffers } from '../routing/channel-offers.ts';
import type { RunningCosts } from '../routing/running-costs-and-caps.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { ChannelState, GroupState, Snapshot } from '../snapshot/snapshot.ts';
import { withHistory, withStoredHistory } from './add-earlier-turns.ts';
import { INTERRUPTED, isResponseCharged } from './background-responses-across-nodes.ts';

interface Call {
  client: ClientResponse;
  principal: Principal;
  request: ClientRequest;
  /** Request as the client sent it. */
  original: ClientRequest;
  requestId: string;
  log: { attempts: readonly { channel_id: number | null }[]; keyId?: string; charged?: { quota: number } };
  slot: ConcurrencySlot;
  /** Id under which the response is stored; a client already polls it. */
  storeAs?: string;
}

export interface ContinuedRequest {
  request: ClientRequest;
  principal: Principal;
  groups: readonly GroupState[];
  /** Request with the full history, sent if the provider no longer has the conversation. */
  withFullHistory?: ContinuedRequest | undefined;
}

export interface StoredResponses {
  /**
   * Returns the request with its earlier turns, or pinned to the channel whose vendor stores them.
   * @param slot counts the earlier turns while the request runs
   * @throws RelayError `previous_response_not_found`, `request_too_large`, `overloaded`
   */
  resolvePrevious(asked: ContinuedRequest, slot: ConcurrencySlot): Promise<ContinuedRequest>;
  /**
   * Serves with a recording client, and stores the response before its end is sent.
   * @param serve gets `recording` only if the response is stored
   */
  recordAndStore(
    call: Call,
    serve: (client: ClientResponse, recording?: RecordingResponse) => Promise<void>,
  ): Promise<void>;
}

export function createStoredResponses(
  ctx: Pick<Context, 'db' | 'clock' | 'settings' | 'log' | 'config' | 'ledger'>,
  snapshot: Snapshot,
  running: Pick<RunningCosts, 'cappedUntil'>,
  pacedExecutor: PacedExecutor,
): StoredResponses {
  const offering = createOffers(snapshot);

  /** Returns the channel whose vendor stores the conversation, if it still serves the model to one of the groups. */
  const keeperOf = (
    { request, principal, groups }: ContinuedRequest,
    last: StoredResponse,
  ): { channel: ChannelState; keyId: string; group: GroupState } | undefined => {
    if (last.channelId !== (principal.pinnedChannelId ?? last.channelId)) return undefined;
    // The vendor knows the response by another id.
    if (last.response['background'] === true) return undefined;
    for (const group of groups) {
      const channel = offering(group.symbol, request.facts.model).find(({ id }) => id === last.channelId);
      if (channel === undefined || running.cappedUntil(channel) > 0) continue;
      const key = findAccountKey(channel, last);
      return key && { channel, keyId: key.id, group };
    }
    return undefined;
  };

  const remember = async (call: Call, recording: RecordingResponse): Promise<void> => {
    const { principal, original, log, storeAs } = call;
    const { response: recorded } = recording;
    const runLong = createPacedRunner(pacedExecutor, principal.user.id);
    const response = await runLong(recorded?.body.length ?? 0, () => findFinalResponse(recorded));
    const requestBytes = isLongRequest(original) ? LONG_BYTES : 0;
    const run: RunWork = (work) => runLong(requestBytes, work);
    // A background response that is too large to be recorded is stored by the code that generates it.
    const isStoredLater = recorded === undefined && storeAs !== undefined;
    if (response === undefined && !isStoredLater) return;
    const channel = snapshot.channel(log.attempts.at(-1)?.channel_id ?? 0);
    const isAtVendor =
      channel !== undefined && response?.fields['store'] !== false && isPassedThrough(original, channel.target);
    const origin = {
      channelId: isAtVendor ? channel.id : undefined,
      keyId: isAtVendor ? log.keyId : undefined,
      input: toItemList(original.json['input']),
    };
    try {
      if (storeAs !== undefined)
        return await completeBackgroundResponse(ctx, call, { id: storeAs, ...origin, response: response?.fields }, run);
      if (response === undefined) return;
      const { id, fields } = response;
      const stored = { ...origin, id, previousId: getPreviousResponseId(original), response: fields };
      await storeResponse(ctx, principal.user.id, stored, { run });
    } catch (error) {
      if (error instanceof RelayError) throw error;
      ctx.log.error({ err: error }, 'a response could not be stored');
    }
  };

  return {
    async resolvePrevious(asked, slot) {
      const { request, principal, groups } = asked;
      const previousId = getPreviousResponseId(request);
      if (previousId === undefined) return asked;
      const userId = principal.user.id;
      const inTime = createPacedRunner(pacedExecutor, userId);
      const grow = createBoundedGrow(ctx.config.relayBodyMaxBytes - request.body.length, slot);
      const turns = await readConversationUpTo(ctx, userId, previousId, { reserveBytes: grow, runPaced: inTime });
      const last = turns?.at(-1);
      if (turns === undefined || last === undefined) throw notFoundError(previousId);
      // The content of a failed response was never checked.
      const unfinished = turns.find((turn) => !isCompleted(turn));
      if (unfinished !== undefined) throw notFinishedError(unfinished);
      const keeper = keeperOf(asked, last);
      const whole = await inTime(isLongRequest(request) ? LONG_BYTES : 0, () => withHistory(request, turns));
      const withFullHistory = { request: whole, principal, groups };
      if (keeper === undefined) return withFullHistory;
      return {
        withFullHistory,
        request: withStoredHistory(request, whole),
        principal: { ...principal, pinnedChannelId: keeper.channel.id, pinnedKeyId: keeper.keyId },
        groups: [keeper.group],
      };
    },

    async recordAndStore(call, serve) {
      if (!shouldStore(call.original) || ctx.settings.storedResponseHours === 0) return serve(call.client);
      const recording = new RecordingResponse(call.client, {
        // The request's own body is stored with the response.
        maxBytes: STORED_BYTES_MAX - call.original.body.length,
        grow: (bytes) => call.slot.grow(bytes),
        memory: new FinalEventMemory(),
      });
      await serve(recording, recording);
      await remember(call, recording);
      recording.release();
    },
  };
}

/**
 * Stores a background response, or only its origin if the code that generates it stores the response. Waits for its
 * charge and for the storage if necessary: its client can receive it in no other way.
 * @throws RelayError when another node has ended its hold, so that it is not charged
 */
async function completeBackgroundResponse(
  ctx: Pick<Context, 'db' | 'clock' | 'settings' | 'ledger'>,
  { principal: { user }, requestId, log }: Call,
  made: Pick<StoredResponse, 'id' | 'channelId' | 'keyId' | 'input'> & {
    response: StoredResponse['response'] | undefined;
  },
  run: RunWork,
): Promise<void> {
  const { id, response, ...origin } = made;
  await retryStorage(ctx.clock, async () => {
    if (!(await isResponseCharged(ctx, requestId, log.charged?.quota)))
      throw new RelayError('gateway_stopping', INTERRUPTED);
    if (response === undefined) await updateOrigin(ctx, user.id, id, origin, run);
    else if (isCompleted({ response }))
      await updateResponse(ctx, user.id, { ...response, id, background: true }, { origin, run });
  });
}

/** Returns the key of the account that stores a response; another key only if the channel has no other. */
export function findAccountKey(
  { keys }: ChannelState,
  { keyId }: Pick<StoredResponse, 'keyId'>,
): LoadedKey | undefined {
  if (keys.length === 1) return keys[0];
  // Responses that were stored before the channel had several keys belong to the first key's account.
  return keys.find(({ id, isFirst }) => (keyId === undefined ? isFirst : id === keyId));
}

/** Returns the id of the response that a request continues. */
export function getPreviousResponseId({ format, json }: ClientRequest): string | undefined {
  const id = format === 'openai-responses' ? json['previous_response_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Returns whether the response is stored, which is the API's default. */
function shouldStore({ format, json }: ClientRequest): boolean {
  return format === 'openai-responses' && json['store'] !== false;
}

/** Limits the earlier turns to the maximum size of a request that contains all of them. */
function createBoundedGrow(maxBytes: number, slot: ConcurrencySlot): (bytes: number) => void {
  return (bytes) => {
    if (bytes > maxBytes)
      throw new RelayError(
        'request_too_large',
        'The conversation of previous_response_id exceeds the maximum request size. Send a shorter one in input.',
        { param: 'previous_response_id' },
      );
    slot.grow(bytes);
  };
}

const SEND_WHOLE_INPUT = 'Send the whole conversation in input instead.';

function notFinishedError({ id, response: { status } }: StoredResponse): RelayError {
  const isRunning = status === 'queued' || status === 'in_progress';
  const remedy = isRunning ? 'Wait until it is completed.' : SEND_WHOLE_INPUT;
  return new RelayError('invalid_request', `The response ${id} has the status ${textOf(status)}. ${remedy}`, {
    param: 'previous_response_id',
  });
}

function notFoundError(id: string): RelayError {
  return new RelayError(
    'previous_response_not_found',
    `There is no response ${id.slice(0, 80)} to continue, or it is no longer stored. ${SEND_WHOLE_INPUT}`,
    { param: 'previous_response_id' },
  );
}
