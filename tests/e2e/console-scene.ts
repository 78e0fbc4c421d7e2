/** A product with sample data, an upstream, and a browser. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { runSql } from '../../apps/server/src/testing/any-table.ts';
import { startRedis } from '../../apps/server/src/testing/redis-server.ts';
import { startNodes } from '../faults/nodes.ts';
import { createProductFolder, type ProductSetUp, setUpProduct, startProduct } from '../faults/start-product.ts';
import { startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { findDatabase, openProductDatabase } from '../test-database.ts';
import { startBrowser } from './browser.ts';

/** Time after which each node knows a new key. */
const PROPAGATION_MS = 10_000;

export interface E2eStage extends ProductSetUp {
  browser: Browser;
  url: string;
  account: { username: string; password: string };
  /** Dates every sign-in back by more than ten minutes, so that sensitive actions require the password again. */
  expireStepUp(): Promise<void>;
  /** Adds a hundred successful requests of the channel in every hour of the last two days. */
  addChannelHistory(): Promise<void>;
  close(): Promise<void>;
}

interface Gateway {
  url: string;
  account: E2eStage['account'];
  stop(): Promise<void>;
}

/** With `TEST_NODES=3` and PostgreSQL, starts that many nodes with a shared Redis, behind a load balancer. */
async function startGateway(dataDir: string): Promise<Gateway> {
  const count = Number(process.env['TEST_NODES'] ?? 1);
  if (count === 1) {
    const folder = createProductFolder(dataDir);
    const product = await startProduct(folder);
    return { url: product.url, account: folder.root, stop: () => product.stop('SIGTERM') };
  }
  const [databaseUrl, redis] = await Promise.all([findDatabase(dataDir), startRedis()]);
  if (databaseUrl === undefined || redis === undefined)
    throw new Error('TEST_NODES needs TEST_DATABASE=postgres and a Redis');
  const nodes = await startNodes(dataDir, { DATABASE_URL: databaseUrl, REDIS_URL: redis.url }, count);
  return {
    url: nodes.balancer.url,
    account: nodes.root,
    async stop() {
      await nodes.close();
      await redis.close();
    },
  };
}

export async function startStage(): Promise<E2eStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-e2e-'));
  const [browser, upstream, gateway] = await Promise.all([
    startBrowser(),
    startScriptedUpstream(),
    startGateway(dataDir),
  ]);
  const { url, account } = gateway;
  const setUp = await setUpProduct({ url }, { root: account }, upstream.url, ['scripted-model']);
  await call(url, setUp.key);
  const inDatabase = async (write: string): Promise<void> => {
    const db = await openProductDatabase(dataDir);
    await runSql(db, write);
    await db.close();
  };
  return {
    ...setUp,
    browser,
    url,
    account,
    expireStepUp: () => inDatabase('UPDATE session SET stepped_up_until = 0'),
    addChannelHistory: () =>
      inDatabase(`WITH RECURSIVE back(hours) AS (SELECT 1 UNION ALL SELECT hours + 1 FROM back WHERE hours < 48)
        INSERT INTO channel_hour (channel_id, model, hour, answered)
        SELECT channel.id, 'scripted-model', unixepoch() / 3600 - back.hours, 100 FROM channel, back`),
    async close() {
      await Promise.all([browser.close(), upstream.close(), gateway.stop()]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Makes one call, so that the log and the figures are not empty. */
async function call(url: string, key: string): Promise<void> {
  for (const until = Date.now() + PROPAGATION_MS; ; await pause(250)) {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted-model', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    if (answer.ok) return;
    if (Date.now() > until) throw new Error(`The first call failed: ${await answer.text()}`);
  }
}
