/**
 * Notes in the ledger what a running stream would cost if it ended now, so that a crash of the gateway costs at most
 * a few seconds of output. A stream that delivers nothing new writes nothing.
 */
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import { consumptionSoFar } from './consumption.ts';
import type { Deadlines } from './deadlines.ts';
import { type Delivery, type Logged, settlementOf } from './settlement.ts';
import type { Snapshot } from './snapshot.ts';

const LOOK_MS = 500;
const EVERY_MS = 5_000;
/** About 2,000 tokens. */
const EVERY_CHARACTERS = 8_000;

interface Parts {
  deadlines: Deadlines;
  clock: Clock;
  ledger: Ledger;
  snapshot: Snapshot;
}

/** Returns what stops it. */
export function startCheckpoints(parts: Parts, call: Logged): () => void {
  const { deadlines, clock } = parts;
  let noted = 0;
  let notedAt = clock.elapsed();
  const look = (): void => {
    const { delivery } = call.log;
    const fresh = delivery === undefined ? 0 : delivery.meter.deliveredCharacters - noted;
    if (delivery === undefined || fresh === 0) return;
    if (fresh < EVERY_CHARACTERS && clock.elapsed() - notedAt < EVERY_MS) return;
    noted = delivery.meter.deliveredCharacters;
    notedAt = clock.elapsed();
    note(parts, call, delivery);
  };
  const wait = {
    at: clock.elapsed() + LOOK_MS,
    expire() {
      look();
      wait.at = clock.elapsed() + LOOK_MS;
      deadlines.add(wait);
    },
  };
  if (!call.request.facts.stream) return () => {};
  deadlines.add(wait);
  return () => deadlines.remove(wait);
}

function note({ ledger, snapshot, clock }: Parts, call: Logged, delivery: Delivery): void {
  const { candidate, meter, firstContentAt } = delivery;
  const { charge, record } = settlementOf(
    call,
    candidate,
    consumptionSoFar(call.request, meter),
    { outcome: 'left', firstContentAt },
    snapshot.priceOf(candidate.billedModel),
    clock.now(),
  );
  ledger.checkpoint(call.log.requestId, charge, record);
}
