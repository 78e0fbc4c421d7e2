import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../platform/log.ts';
import { startMoneyScene } from '../../testing/money-scene.ts';

const logged: string[] = [];
const log = createLog('debug', { write: (line) => void logged.push(line) });
const scene = await startMoneyScene('epay', { log });
afterAll(() => scene.close());

test('forged webhooks do not fill the log', async () => {
  const forged = () => fetch(`${scene.gateway.notify_url}?sign_type=MD5&sign=forged`);
  const answers = await Promise.all(Array.from({ length: 200 }, forged));
  for (const answer of answers) expect(await answer.text()).toBe('fail');
  const lines = () => logged.filter((line) => line.includes('a webhook event was rejected'));
  expect(lines()).toHaveLength(30);
  scene.clock.advance(61);
  await forged();
  expect(lines()).toHaveLength(31);
});
