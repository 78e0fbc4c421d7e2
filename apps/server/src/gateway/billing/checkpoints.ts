/**
 * Records in the ledger what a running stream would cost if it ended now, so that a crash of the gateway loses at
 * most a few seconds of output. A stream that delivers nothing new records nothing. Nor does a background stream that
 * no client has received so far: its events are lost with the process, and its user would pay for what nobody received.
 */

import { copyMeter } from '@switchyard/relay';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import { createSettlement, type SettlementParts } from './charge-and-usage-record.ts';
import { estimateConsumption } from './determine-usage.ts';
import type { LoggedCall, StreamDelivery } from './logged-call.ts';

export interface CheckpointsParts extends SettlementParts {
  deadlines: Deadlines;
  ledger: Ledger;
}

const CHECK_MS = 500;
const EVERY_MS = 5_000;
/** About 2,000 tokens. */
const EVERY_CHARACTERS = 8_000;

/** Returns a function that stops the checkpoints. */
export function startCheckpoints(parts: CheckpointsParts, call: LoggedCall): () => void {
  if (!call.request.facts.stream) return () => {};
  const { deadlines, clock } = parts;
  let noted = 0;
  let notedAt = clock.elapsed();
  const look = (): void => {
    const { delivery } = call.log;
    if (delivery === undefined || call.audience?.hasReceived() === false) return;
    const { deliveredCharacters } = delivery.meter;
    const fresh = deliveredCharacters - noted;
    if (fresh === 0 || (fresh < EVERY_CHARACTERS && clock.elapsed() - notedAt < EVERY_MS)) return;
    noted = deliveredCharacters;
    notedAt = clock.elapsed();
    recordCheckpoint(parts, call, delivery);
  };
  return deadlines.repeat(CHECK_MS, () => {
    try {
      look();
      return CHECK_MS;
    } catch {
      // A fault here must not end the process. The settlement has the same one, and reports it.
      return undefined;
    }
  });
}

function recordCheckpoint(parts: CheckpointsParts, call: LoggedCall, delivery: StreamDelivery): void {
  const settlement = estimateSettlement(parts, call, delivery);
  call.log.checkpoint = settlement;
  parts.ledger.checkpoint(call.requestId, settlement.charge, settlement.record);
}

/** Charges what a stream has delivered before a fault of the gateway, of which its reported usage may be the cause. */
export async function settleAfterFault(parts: CheckpointsParts, call: LoggedCall): Promise<void> {
  const { delivery, charged } = call.log;
  if (delivery === undefined || charged !== undefined || call.audience?.hasReceived() === false) return;
  const meter = { ...copyMeter(delivery.meter), usage: undefined };
  const { charge, record } = estimateSettlement(parts, call, { ...delivery, meter });
  call.log.charged = record;
  await parts.ledger.settle(call.requestId, charge, record, true);
}

function estimateSettlement(
  parts: CheckpointsParts,
  call: LoggedCall,
  { candidate, meter, firstContentAt }: StreamDelivery,
) {
  const consumption = estimateConsumption(call.request, meter, candidate.price.rule);
  return createSettlement(parts, call, candidate, consumption, { outcome: 'left', firstContentAt });
}
