/** The package that `npm run package` builds works when it is installed alone. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setUp } from '@switchyard/contract/accounts/set-up';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createVisitor } from '../../apps/server/src/testing/visitor.ts';
import { buildPackage, compileToScript } from '../../scripts/package.ts';
import { createRootCredentials, setUpProduct, startProduct } from '../faults/start-product.ts';
import { startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';

/** Flags of the Dockerfile. */
const IMAGE_USER = 10_001;
const INSTALL_TIMEOUT_MS = 170_000;

test('files lose only their types, and import each other by relative paths', () => {
  const text = [
    "import { z } from 'zod';",
    "import type { Route } from '@switchyard/contract/route';",
    "import { setUp } from '@switchyard/contract/accounts/set-up';",
    "import { plan } from '@switchyard/relay';",
    "const thread: Worker = new Worker(new URL('./a-worker.ts', import.meta.url));",
  ].join('\n');
  const lines = compileToScript(text, 'apps/server/src/accounts/a/a.ts').split('\n');
  expect(lines.map((line) => line.trim())).toEqual([
    "import { z } from 'zod';",
    '',
    "import { setUp } from '../../../../../packages/contract/src/accounts/set-up.js';",
    "import { plan } from '../../../../../packages/relay/src/relay.js';",
    "const thread         = new Worker(new URL('./a-worker.js', import.meta.url));",
  ]);
});

describe('installed', () => {
  const place = mkdtempSync(join(tmpdir(), 'switchyard-package-'));
  const home = join(place, 'home');
  let missing: string | undefined;

  beforeAll(() => {
    const { tarball } = buildPackage(place);
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    try {
      execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
        cwd: home,
        stdio: 'pipe',
        timeout: INSTALL_TIMEOUT_MS,
      });
    } catch (error) {
      missing = `its dependencies are neither in npm's cache nor to be had: ${String(error).slice(0, 300)}`;
      console.log(`Skipped: ${missing}`);
    }
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('it has no tests, no types and no folder of this repository’s own', () => {
    const files = readdirSync(join(place, 'package'), { recursive: true, encoding: 'utf8' });
    expect(files.length).toBeGreaterThan(600);
    expect(files.filter((file) => /\.ts$|\.tsx$|(^|\/)testing\/|(^|\/)fixtures\//.test(file))).toEqual([]);
    const texts = files.filter((file) => file.endsWith('.js') && file.startsWith('apps/server/'));
    expect(texts.filter((file) => readFileSync(join(place, 'package', file), 'utf8').includes('@switchyard/'))).toEqual(
      [],
    );
  });

  test('every version in it is the tested one', () => {
    const { packages }: { packages: Record<string, { version?: string }> } = JSON.parse(
      readFileSync(join(place, 'package/npm-shrinkwrap.json'), 'utf8'),
    );
    const lock: { packages: Record<string, { version?: string }> } = JSON.parse(
      readFileSync('package-lock.json', 'utf8'),
    );
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    expect(entries.length).toBeGreaterThan(60);
    expect(entries.filter(([path, { version }]) => lock.packages[path]?.version !== version)).toEqual([]);
  });

  test('`switchyard start` is set up by its link, signs in, relays a call and stops at a signal', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const upstream = await startScriptedUpstream();
    onTestFinished(() => upstream.close());
    // Without a database: the first start creates it.
    const folder = { dataDir: join(place, 'data'), root: createRootCredentials() };
    const product = await startProduct(
      { dataDir: folder.dataDir },
      { command: [join(home, 'node_modules/.bin/switchyard'), 'start'], cwd: home },
    );
    onTestFinished(() => void product.process.kill('SIGTERM'));

    const code = new URL(product.setUpLink ?? '').hash.slice(1);
    await createVisitor(product.url, {})
      .api(setUp)
      .createRoot({ body: { code, ...folder.root } });
    const { key } = await setUpProduct(product, folder, upstream.url, ['scripted*']);
    const answer = await fetch(`${product.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted-model', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(answer.status).toBe(200);
    const page = await fetch(product.url);
    expect(await page.text()).toContain('<div id="root"');

    await product.stop('SIGTERM');
    expect(await product.exit).toBe(0);
    await expect(fetch(product.url)).rejects.toThrow('fetch failed');
    const output = execFileSync('npx', ['switchyard', 'verify'], {
      cwd: home,
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: folder.dataDir },
    });
    expect(output).toContain(' 0 problems');
  });

  test('`npx switchyard start` begins, and stops all of its processes at Ctrl+C in a terminal', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const npx = spawn('npx', ['switchyard', 'start'], {
      cwd: home,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PORT: '0', DATA_DIR: join(place, 'npx-data') },
    });
    let output = '';
    npx.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain('/setup#');
    const url = /http:\S+(?=\/setup#)/.exec(output)?.[0] ?? '';
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    if (npx.pid === undefined) throw new Error('npx has no id');
    // All processes in the foreground get the signal.
    process.kill(-npx.pid, 'SIGINT');
    const isUp = (): Promise<boolean> =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await expect.poll(isUp).toBe(false);
  });

  test('its threads find their files: a document is drawn, tokens are counted', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const server = pathToFileURL(join(home, 'node_modules/switchyard/apps/server/src/')).href;
    const script = `
      const { renderPdf } = await import('${server}billing/pdf-documents/pdf-documents.js');
      const { createTokenCounter } = await import('${server}gateway/billing/token-counter.js');
      const { createMemoryBudget } = await import('${server}gateway/limits/memory-budget.js');
      const { systemTimers } = await import('${server}platform/clock.js');
      const words = { title: 'Statement 账单', siteName: 'Gate', note: '', footer: '' };
      const document = { ...words, language: 'zh-CN', createdAt: 0, issuer: [], facts: [], tables: [] };
      const pdf = Buffer.from(await renderPdf(systemTimers, document, 1)).toString('latin1');
      const input = { encoding: 'o200k_base', prompt: 'Hello world', nonTextTokens: 0, answer: '' };
      const purpose = { userId: 1, isSettlement: true };
      const { prompt } = await createTokenCounter(systemTimers, createMemoryBudget(1e6)).count(input, purpose);
      console.log(pdf.slice(0, 5), prompt);
      process.exit();`;
    const node = join(home, 'node_modules/.bin/node');
    const file = join(home, 'threads.mjs');
    writeFileSync(file, script);
    const output = execFileSync(node, [file], { encoding: 'utf8' });
    expect(output.trim()).toBe('%PDF- 2');
  });

  test('it runs without root on a read-only file system, like in its image', async ({ skip }) => {
    skip(missing !== undefined, missing);
    skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'only root can make a file system read-only');
    const dataDir = join(place, 'volume');
    mkdirSync(dataDir);
    chownSync(dataDir, IMAGE_USER, IMAGE_USER);
    chmodSync(place, 0o755);
    const main = join(home, 'node_modules/switchyard/apps/server/src/main.js');
    const node = join(home, 'node_modules/.bin/node');
    const walls = `mount --bind ${dataDir} ${dataDir} && mount -o remount,bind,ro / && cd ${dataDir}`;
    const user = `--reuid ${IMAGE_USER} --regid ${IMAGE_USER} --clear-groups --bounding-set=-all`;
    const command = `${walls} && exec setpriv ${user} ${node} --max-semi-space-size=64 ${main}`;
    const product = await startProduct({ dataDir }, { command: ['unshare', '-m', 'sh', '-c', command] });
    onTestFinished(() => void product.process.kill('SIGKILL'));
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    await product.stop('SIGTERM');
    expect(await product.exit).toBe(0);
    expect(readdirSync(dataDir)).toContain('switchyard.db');
  });
});
