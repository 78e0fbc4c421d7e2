/**
 * Records in the ledger what a running stream would cost if it ended now, so that a crash of the gateway loses at
 * most a few seconds of output. A stream that delivers nothing new records nothing. Nor does a background stream that
 * no client has received so far: its events are lost with the process, and its user would pay for what nobody received.
 */

import type { Ledger } from '../../ledger/ledger.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import { estimateConsumption } from './consumption.ts';
import { createSettlement, type LoggedCall, type SettlementParts, type StreamDelivery } from './settlement.ts';

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
    look();
    return CHECK_MS;
  });
}

function recordCheckpoint(
  parts: CheckpointsParts,
  call: LoggedCall,
  { candidate, meter, firstContentAt }: StreamDelivery,
): void {
  const consumption = estimateConsumption(call.request, meter, candidate.price.rule);
  const settlement = createSettlement(parts, call, candidate, consumption, { outcome: 'left', firstContentAt });
  call.log.checkpoint = settlement;
  parts.ledger.checkpoint(call.requestId, settlement.charge, settlement.record);
}
