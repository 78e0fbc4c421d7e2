/** Relays a request of a batch as if the key that created the batch had sent it now, at the batch price. */
import { hasVendorBatches, InvalidRequestError, readRequest } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { BatchRelay, BatchRow, LinePrice } from '../../batches/batches.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { resolveRoute } from '../http/relay-paths.ts';
import { usableGroups } from '../pipeline/admit-request.ts';
import type { InternalResponse, SendInternalRequest } from '../pipeline/internal-request.ts';
import { findChannel } from '../routing/find-channel-or-explain.ts';
import { priceCandidate } from '../routing/price-candidate.ts';
import type { BatchTerms, Principal } from '../snapshot/authenticate-api-key.ts';
import { type PrepareLineParts, releaseLine } from './prepare-vendor-batch-line.ts';

export interface BatchRequestParts extends PrepareLineParts {
  tasks: Tasks;
}

export function createBatchExecution(parts: BatchRequestParts, callInside: SendInternalRequest): BatchRelay {
  return {
    async sendRequest(batch, { requestId, body, isPaid, vendorResponse, storeLargeBody }) {
      const answer = await callInside({
        path: batch.endpoint,
        body,
        requestId,
        address: batch.address,
        identify: () =>
          vendorResponse === undefined
            ? resolvePrincipal(parts, batch, isPaid ? 'paid' : 'gateway')
            : resolveResponseOwner(parts, batch),
        vendorResponse,
        ...(storeLargeBody && {
          onLargeBody: ({ status, headers, pieces }) =>
            storeLargeBody({ status, isJson: isJsonType(headers['content-type']), pieces }),
        }),
      });
      return toBatchResponse(answer);
    },
    async prepareLine(batch, { requestId, body }) {
      const answer = await callInside({
        path: batch.endpoint,
        body,
        requestId,
        address: batch.address,
        identify: () => resolvePrincipal(parts, batch, 'vendor'),
        isPrepareOnly: true,
      });
      const line = answer.status === 200 ? parseJson(answer.body.toString()) : undefined;
      if (!isObject(line) || typeof line['url'] !== 'string' || typeof line['body'] !== 'string')
        return { refusal: toBatchResponse(answer) };
      return { url: line['url'], body: line['body'] };
    },
    release: (requestId) => releaseLine(parts, requestId),
    runPaced: (userId, work) => parts.pacedExecutor.run(userId, work),
    selectVendor: (batch, body) => vendorFor(parts, batch, body),
    findAccount: ({ channel_id, channel_key_id }) => parts.tasks.findAccount(channel_id ?? 0, channel_key_id ?? ''),
  };
}

const isJsonType = (contentType = ''): boolean => contentType.startsWith('application/json');

function toBatchResponse({ status, headers, body }: InternalResponse) {
  return { status, body, retryAfterSeconds: Number(headers['retry-after'] ?? 0) || 0 };
}

/** Returns the account that would serve the request, if its vendor runs batches. */
function vendorFor(parts: BatchRequestParts, batch: BatchRow, body: Buffer) {
  const route = resolveRoute(batch.endpoint);
  if (route === undefined) return undefined;
  try {
    const request = readRequest(route, body, {});
    const principal = resolvePrincipal(parts, batch, 'vendor');
    const groups = usableGroups(parts.snapshot, principal);
    const candidate = findChannel(parts, { request, principal, groups }, []);
    if (candidate === undefined || !hasVendorBatches(candidate.key.target)) return undefined;
    // The fallback model's channel does not offer the requested model.
    if (candidate.model !== request.facts.model) return undefined;
    const { rule, ratios } = priceCandidate(parts.snapshot, principal, candidate).price;
    return {
      channelId: candidate.channel.id,
      keyId: candidate.key.id,
      groupSymbol: candidate.group.symbol,
      price: { rule, ratios },
    };
  } catch (error) {
    // The response to each line reports the refusal.
    if (error instanceof InvalidRequestError) return 'unreadable';
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

/**
 * @param runsAt `vendor` in a batch of the vendor's, `gateway` by a call, or `paid` by a call that is already paid
 * @throws RelayError
 */
function resolvePrincipal(parts: BatchRequestParts, batch: BatchRow, runsAt: 'vendor' | 'gateway' | 'paid'): Principal {
  const { snapshot, settings } = parts;
  const key = snapshot.key(batch.api_key_id);
  const user = key === undefined ? undefined : snapshot.user(key.userId);
  if (key === undefined) throw ownerError('The token that created this batch was deleted. Create a new batch.');
  if (user?.enabled !== true) throw ownerError('The user of this batch is disabled. Ask an administrator.');
  const ratioMicros = Math.round(settings.batchPriceRatio * RATIO_ONE);
  const { group_symbol, channel_id, channel_key_id } = batch;
  return {
    user,
    key: group_symbol === null ? key : { ...key, group: group_symbol, backupGroup: '' },
    pinnedChannelId: channel_id ?? undefined,
    pinnedKeyId: channel_key_id ?? undefined,
    batch: {
      id: batch.id,
      ratioMicros,
      ...(runsAt === 'vendor' ? readVendorPrice(batch) : {}),
      isSingleCall: runsAt === 'gateway',
      isPaid: runsAt === 'paid',
    },
  };
}

/**
 * Returns the principal that pays for a line that the provider has answered. The line is paid for even if the user or
 * the key has changed since, in the group in which the batch was submitted, and by another key of the channel too,
 * since no request is sent.
 * @throws RelayError
 */
function resolveResponseOwner({ snapshot, settings }: BatchRequestParts, batch: BatchRow): Principal {
  const user = snapshot.user(batch.user_id);
  if (user === undefined) throw ownerError('The user of this batch was deleted. Create a new batch.');
  const ratioMicros = Math.round(settings.batchPriceRatio * RATIO_ONE);
  return {
    user,
    key: snapshot.key(batch.api_key_id),
    pinnedChannelId: batch.channel_id ?? undefined,
    batch: { id: batch.id, ratioMicros, ...readVendorPrice(batch), answeredIn: batch.group_symbol ?? user.group },
  };
}

function readVendorPrice({ vendor_price }: BatchRow): Pick<BatchTerms, 'price'> {
  return vendor_price === null ? {} : { price: JSON.parse(vendor_price) as LinePrice };
}

const ownerError = (message: string): RelayError => new RelayError('invalid_api_key', message);
