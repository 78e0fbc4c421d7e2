/** Ten thousand running video tasks: the cost of polling them, and whether each is polled in time. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { createProductFolder, setUpProduct, startProduct } from '../../tests/faults/start-product.ts';
import { listen } from '../../tests/listen.ts';
import { cpuSeconds } from '../processes.ts';
import type { Row } from '../report.ts';
import { quantile } from '../statistics.ts';

const CHANNELS = 10;
const TASKS = 10_000;
const OPENAI = 1;
/** Latency of a vendor, as fast as most. */
const ANSWER_MS = 80;
/** Tasks that are an hour old are polled every 90 seconds; the first round is distributed over as many. */
const AGE_SECONDS = 3_600;
const WAIT_SECONDS = 90;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 2 * WAIT_SECONDS * 1_000;

export async function measureWaitingTasks(folder: string): Promise<Row[]> {
  const productFolder = createProductFolder(join(folder, 'waiting-tasks'));
  const vendor = await startVendor();
  let product = await startProduct(productFolder);
  const models = Array.from({ length: CHANNELS }, (_, nth) => `film-${nth}`);
  const { root, key } = await setUpProduct(product, productFolder, vendor.url, models);
  const { group } = await root.api(profile).get();
  for (const model of models) {
    await root.api(channels).create({
      body: createChannel.parse({
        name: model,
        type: OPENAI,
        models: [model],
        key: `sk-${model}`,
        base_url: vendor.url,
        // Created before the channel of the set-up, which serves all models.
        priority: 1,
        group: [group],
      }),
    });
    await orderFilm(product.url, key, model);
  }
  await product.stop('SIGTERM');
  fill(join(productFolder.dataDir, 'switchyard.db'));
  product = await startProduct(productFolder);
  const { pid } = product.process;
  if (pid === undefined) throw new Error('The product did not start');
  await pause(WARM_UP_MS);
  const before = { cpu: cpuSeconds(pid), asked: vendor.asked.length };
  await pause(MEASURED_MS);
  const share = (cpuSeconds(pid) - before.cpu) / (MEASURED_MS / 1000);
  const waits = vendor.waits();
  const late = quantile(waits, 0.99);
  await product.stop('SIGTERM');
  await vendor.close();
  return [
    {
      what: `${TASKS} waiting tasks of ${CHANNELS} channels, one question each`,
      wanted: `< 5 % of a core; each asked about every ${WAIT_SECONDS} s`,
      measured: `${(share * 100).toFixed(1)} % of a core, ${((vendor.asked.length - before.asked) / (MEASURED_MS / 1000)).toFixed(0)} questions/s, ${waits.length} waits, p99 ${late.toFixed(1)} s`,
      verdict: share < 0.05 && late <= WAIT_SECONDS + 5 && waits.length >= TASKS ? 'met' : 'missed',
    },
  ];
}

async function orderFilm(url: string, key: string, model: string): Promise<void> {
  const answer = await fetch(`${url}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt: 'a cat walks' }),
  });
  if (!answer.ok) throw new Error(`The order was refused: ${await answer.text()}`);
}

/** Copies each task a thousand times; nothing ends here, so that missing holds do not matter. */
function fill(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`
    UPDATE task SET created_at = unixepoch() - ${AGE_SECONDS}, next_look_at = unixepoch();
    CREATE TEMP TABLE ordered AS SELECT * FROM task;
    CREATE TEMP TABLE copy AS
      WITH RECURSIVE n(nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM n WHERE nth + 1 < ${TASKS / CHANNELS})
      SELECT ordered.*, nth FROM ordered, n;
    UPDATE copy SET id = id || nth, request_id = request_id || nth, upstream_id = upstream_id || nth,
      next_look_at = next_look_at + nth % ${WAIT_SECONDS};
    ALTER TABLE copy DROP COLUMN nth;
    INSERT INTO task SELECT * FROM copy`);
  db.close();
}

async function startVendor() {
  const asked: string[] = [];
  const lastAt = new Map<string, number>();
  const waits: number[] = [];
  const server = createServer((request, response) => {
    // A submission gets a new id, a poll repeats it.
    const id = request.method === 'POST' ? `film-${lastAt.size}` : (request.url?.split('/').at(-1) ?? '');
    const now = performance.now();
    const last = lastAt.get(id);
    if (last !== undefined) waits.push((now - last) / 1000);
    lastAt.set(id, now);
    asked.push(id);
    const video = {
      id,
      object: 'video',
      status: 'in_progress',
      progress: 10 + (asked.length % 80),
      seconds: '8',
      size: '1280x720',
    };
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(video));
    }, ANSWER_MS);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    waits: () => waits,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
