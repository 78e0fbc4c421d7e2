import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestApp } from '../testing/start-test-app.ts';

test('a start with another master key is refused, and the right one still works after it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'));
  const right = randomBytes(32).toString('base64');
  const start = (masterKey: string) => startTestApp({ dataDir, config: { masterKey } });
  await (await start(right)).close();
  await expect(start(randomBytes(32).toString('base64'))).rejects.toThrow('does not fit this database');
  await (await start(right)).close();
  rmSync(dataDir, { recursive: true });
});
