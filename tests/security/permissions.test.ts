/** The product only needs permission to read its own files and to write its data folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProductFolder, setUpProduct, startProduct } from '../faults/start-product.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';

const repository = join(import.meta.dirname, '../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchyard-')));
const dataDir = join(folder, 'data');
const elsewhere = join(folder, 'elsewhere');
/** No child process, no native module; threads for reading and counting. */
const flags = [
  '--permission',
  `--allow-fs-read=${repository}`,
  `--allow-fs-read=${dataDir}`,
  `--allow-fs-write=${dataDir}`,
  '--allow-worker',
];
let upstream: ScriptedUpstream;

beforeAll(async () => {
  upstream = await startScriptedUpstream();
  // Node takes a path that does not exist yet for a file.
  for (const path of [dataDir, elsewhere]) mkdirSync(path);
});
afterAll(async () => {
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

test('starts, relays and bills with these permissions only', async () => {
  const own = createProductFolder(dataDir);
  const product = await startProduct(own, { flags });
  const { root, key } = await setUpProduct(product, own, upstream.url, ['scripted']);
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Say something.' }] }),
  });
  expect(response.status).toBe(200);
  await response.text();
  const page = await root.fetch('/api/log/self?size=1');
  expect(page.status).toBe(200);
  expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
  await product.stop('SIGTERM');
  expect(await product.exit).toBe(0);
});

test('writes nowhere else', async () => {
  await expect(
    startProduct(createProductFolder(elsewhere), { flags: [...flags, `--allow-fs-read=${elsewhere}`] }),
  ).rejects.toThrow('--allow-fs-write');
});
