/** A stop lets requests finish; others end with an error, and are charged for the delivered part. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { startTestApp } from '../../apps/server/src/testing/start-test-app.ts';

test('streams that outlast the drain end with an error event and are charged', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'));
  const scene = await startRelayScene({ dataDir, config: { drainSeconds: 1 } });
  await scene.newChannel({});
  const chats = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      scene.chat(index < 5 ? 'scripted+tokens-20+drip-10ms' : 'scripted+tokens-2000+drip-10ms', { stream: true }),
    ),
  );
  const texts = chats.map((chat) => chat.text());
  await scene.app.close();
  const ends = (await Promise.all(texts)).map((text) => text.slice(-200));
  expect(ends.filter((end) => end.includes('[DONE]'))).toHaveLength(5);
  expect(ends.filter((end) => end.includes('gateway_stopping'))).toHaveLength(5);
  await scene.upstream.close();

  const again = await startTestApp({ dataDir });
  const records = await again.ctx.db.writer
    .selectFrom('usage_record')
    .selectAll()
    .where('type', '=', 'consume')
    .execute();
  expect(records).toHaveLength(10);
  expect((await verifyLedger(again.ctx.db.writer)).problems).toEqual([]);
  await again.close();
  rmSync(dataDir, { recursive: true, force: true });
});
