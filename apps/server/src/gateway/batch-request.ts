/** A request of a batch: relayed as if the key that made the batch had sent it now, at the price of batches. */
import type { AskForBatch, BatchRow } from '../batches/batches.ts';
import { RATIO_ONE } from '../ledger/ledger.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { CallInside } from './inner-call.ts';
import { RelayError } from './relay-error.ts';

export function createAskForBatch(parts: GatewayParts, callInside: CallInside): AskForBatch {
  return async (batch, { requestId, body, isPaid }) => {
    const answer = await callInside({
      path: batch.endpoint,
      body,
      requestId,
      address: batch.address,
      identify: () => principalOf(parts, batch, isPaid),
    });
    const retryAfterSeconds = Number(answer.headers['retry-after'] ?? 0) || 0;
    return { status: answer.status, body: answer.body, retryAfterSeconds };
  };
}

/** @throws RelayError */
function principalOf(
  { snapshot, settings }: GatewayParts,
  { id, api_key_id }: BatchRow,
  isPaid: boolean,
): Principal {
  const key = snapshot.key(api_key_id);
  const user = key === undefined ? undefined : snapshot.user(key.userId);
  if (key === undefined || user?.enabled !== true)
    throw new RelayError('invalid_api_key', 'The API key that made this batch is not valid any more.');
  const ratioMicros = isPaid ? 0 : Math.round(settings.batchPriceRatio * RATIO_ONE);
  return { user, key, pinnedChannelId: undefined, batch: { id, ratioMicros } };
}
