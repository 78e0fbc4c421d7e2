import { type CheckpointsParts, settleAfterFault, startCheckpoints } from '../billing/checkpoints.ts';
import { startHeartbeat } from '../http/heartbeat.ts';
import { isContentRefusal, RelayError } from '../http/relay-error.ts';
import type { OpenTasks } from '../limits/open-tasks.ts';
import type { StoredResponses } from '../responses-api/conversation-state.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import type { AdmittedCall } from './relayed-call-stages.ts';
import { type SettleAndRespondParts, settleAndRespond } from './settle-and-respond.ts';
import { watchRights } from './stop-unauthorized-requests.ts';
import { tryChannel } from './try-channel.ts';
import { findFirstChannel, holdFunds, type TryChannelsParts, tryChannels } from './try-channels.ts';

export interface ServeRequestParts extends TryChannelsParts, CheckpointsParts, SettleAndRespondParts {
  responses: StoredResponses;
  openTasks: OpenTasks;
}

/**
 * Adds the earlier turns of a conversation, serves the request, and stores the response for the next turn.
 * @throws RelayError
 */
export async function serveRequest(parts: ServeRequestParts, call: AdmittedCall): Promise<void> {
  const continued = await parts.responses.resolvePrevious(call, call.slot).catch((error: unknown) => {
    // The stored turns may have expired since the vendor received them in the batch.
    if (call.vendorResponse === undefined || !(error instanceof RelayError)) throw error;
    return {};
  });
  const whole: AdmittedCall = continued === call ? call : { ...call, ...continued };
  return parts.responses.recordAndStore(whole, (client, recording) =>
    serve(parts, recording === undefined ? whole : { ...whole, client, recording }),
  );
}

async function serve(parts: ServeRequestParts, call: AdmittedCall): Promise<void> {
  if (call.vendorResponse !== undefined) return settleVendorResponse(parts, call);
  return call.request.submission === undefined
    ? serveSynchronously(parts, call)
    : parts.openTasks.run(call, (client) => serveSynchronously(parts, { ...call, client }));
}

async function serveSynchronously(parts: ServeRequestParts, call: AdmittedCall): Promise<void> {
  parts.retryBudget.recordRequest(call.principal.user.id);
  const first = await findFirstChannel(parts, call);
  const refusal = await holdFunds(parts, call, first);
  if (refusal !== undefined) throw refusal;
  const watches = [startHeartbeat(parts, call), watchRights(parts, call), startCheckpoints(parts, call)];
  try {
    const last = await tryChannels(parts, call, first).finally(() => {
      // A later heartbeat would send the head, and fix the status of an error that is still to come.
      for (const stop of watches) stop();
    });
    await settleAndRespond(parts, last.call, last.candidate, last.result);
  } catch (error) {
    if (!(error instanceof RelayError)) await settleAfterFault(parts, call);
    throw error;
  }
}

/** Charges for the vendor's response to a batch line; calls no channel. The line keeps its lasting hold until then. */
async function settleVendorResponse(parts: ServeRequestParts, call: AdmittedCall): Promise<void> {
  const candidate = await findFirstChannel(parts, call);
  const result = await tryChannel(parts, call, candidate);
  const { stopReason } = call.client;
  // The gateway stopped it, for lack of memory or to shut down, and settles the line again.
  if (result.outcome === 'left' && !isContentRefusal(stopReason)) throw stopReason ?? createClientError(result);
  await settleAndRespond(parts, call, candidate, result);
}
