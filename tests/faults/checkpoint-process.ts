/**
 * Process that only moves points, to be killed: requests are held, write checkpoints, and some are settled. It logs in
 * `said-<round>` what is committed: `h request`, `c request points`, `s request points`.
 * `node tests/faults/checkpoint-process.ts <folder> <round>`
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDatabase } from '../../apps/server/src/db/open-database.ts';
import { type Ledger, openLedger } from '../../apps/server/src/ledger/ledger.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';
import { createConsumeRecord } from './consume-record.ts';

const USER = 1;
const KEY = 7;
const LANES = 8;
const STEPS_OF_A_REQUEST = 6;

const [folder = '', round = ''] = process.argv.slice(2);
const outputFile = openSync(join(folder, `said-${round}`), 'a');
/** Writes synchronously, so that a kill loses no line. */
const writeLine = (line: string): void => void writeSync(outputFile, `${line}\n`);

/** A change is committed once a change that was added after it is committed. */
async function waitUntilCommitted(ledger: Ledger, name: string): Promise<void> {
  await ledger.hold({ requestId: name, userId: USER, apiKeyId: null, limited: false, amount: 0 });
  ledger.release(name);
}

async function runLane(ledger: Ledger, index: number): Promise<void> {
  for (let nth = 0; ; nth += 1) {
    const id = `${round}-${index}-${nth}`;
    await ledger.hold({ requestId: id, userId: USER, apiKeyId: KEY, limited: true, amount: 100 });
    writeLine(`h ${id}`);
    for (let step = 1; step <= STEPS_OF_A_REQUEST; step += 1) {
      const points = step * 10 + (nth % 7);
      ledger.checkpoint(id, points, createConsumeRecord(id, USER, KEY, points));
      await waitUntilCommitted(ledger, `${id}-${step}`);
      writeLine(`c ${id} ${points}`);
      await nextTurn();
    }
    const charge = 90 + (nth % 30);
    await ledger.settle(id, charge, createConsumeRecord(id, USER, KEY, charge));
    writeLine(`s ${id} ${charge}`);
  }
}

const db = await openDatabase(join(folder, 'ledger.db'));
const ledger = await openLedger(db, systemClock, silentLog, folder);
await Promise.all(Array.from({ length: LANES }, (_, index) => runLane(ledger, index)));
