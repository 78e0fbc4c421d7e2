/**
 * `kill -9` while modal tasks of a midjourney-proxy are opened and submitted, by clients that mostly repeat requests
 * without a response. Each image is charged once, whether or not its task had begun; each submission has one task.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger, verifyReceipts } from '../../apps/server/src/ledger/ledger.ts';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { settings } from '../../packages/contract/src/operations/settings.ts';
import { type MidjourneyVendor, startMidjourneyVendor } from '../scripted-tasks/scripted-midjourney.ts';
import { openProductDatabase } from '../test-database.ts';
import { momentOf, pick, reportMeasurement } from '../tier.ts';
import { waitUntilNoHolds } from './compare-charges.ts';
import { createProductFolder, type ProductFolder, setUpProduct, startProduct } from './start-product.ts';

const WINDOWS = pick(80, 300, 3_000);
const KILLS = pick(3, 8, 60);
const LANES = 10;
const POINTS = { mj_imagine: 50_000, mj_variation: 30_000, mj_modal: 40_000 };
const NANO_POINTS = 1_000_000_000;
const MIDJOURNEY = 34;
const TIMEOUT_MS = 240_000;

let vendor: MidjourneyVendor;
let folder: ProductFolder;
let key: string;
/** Modal submissions that the vendor has accepted and not confirmed. */
let unconfirmed = 0;
/** While it is set, the vendor confirms nothing until it resolves. */
let held: Promise<void> | undefined;

beforeAll(async () => {
  vendor = await startMidjourneyVendor('upstream-key');
  vendor.setRemixMode(true);
  vendor.delayModalStatus(async () => {
    unconfirmed += 1;
    await (held ?? sleep(systemTimers, 60));
    unconfirmed -= 1;
    return 'told';
  });
  folder = createProductFolder(mkdtempSync(join(tmpdir(), 'switchyard-windows-kill-')));
  const product = await startProduct(folder);
  const { root, key: made } = await setUpProduct(product, folder, vendor.url, ['scripted*']);
  key = made;
  const { group } = await root.api(profile).get();
  await root
    .api(channels)
    .create({
      body: createChannel.parse({
        name: 'drawings',
        type: MIDJOURNEY,
        base_url: vendor.url,
        key: 'upstream-key',
        models: ['mj_*'],
        group: [group],
      }),
    });
  for (const [model, points] of Object.entries(POINTS))
    await root
      .api(prices)
      .create({ body: savePrice.parse({ model, type: 'times', rates: { input: points * NANO_POINTS, output: 0 } }) });
  await root.api(settings).updateMany({ body: [{ key: 'OpenTasksPerUser', value: '0' }] });
  await product.stop('SIGTERM');
});

afterAll(async () => {
  await vendor.close();
  rmSync(folder.dataDir, { recursive: true, force: true });
});

interface Window {
  nth: number;
  /** Id at the gateway. */
  id?: string;
  isOver?: boolean;
  /** Whether the gateway no longer knew it. */
  isGone?: boolean;
}

/** @returns undefined without a response */
async function submit(url: string, path: string, body: unknown, once: string) {
  try {
    const response = await fetch(`${url}/mj/submit/${path}`, {
      method: 'POST',
      headers: { 'mj-api-secret': key, 'content-type': 'application/json', 'idempotency-key': once },
      body: JSON.stringify(body),
    });
    return { status: response.status, id: ((await response.json()) as { result: string }).result };
  } catch {
    return undefined;
  }
}

/** Every second modal task belongs to a button that has its own cost. */
async function goOn(url: string, origin: string, window: Window): Promise<void> {
  const { nth } = window;
  if (window.id === undefined) {
    const customId = nth % 2 === 0 ? `MJ::CustomZoom::${nth}` : `MJ::JOB::variation::1::${nth}`;
    const opened = await submit(url, 'action', { taskId: origin, customId }, `window-${nth}`);
    if (opened?.status === 200) window.id = opened.id;
  }
  if (window.id === undefined) return;
  const answered = await submit(url, 'modal', { taskId: window.id, prompt: 'x' }, `answer-${nth}`);
  // Its artifacts arrived before the submission was repeated.
  window.isGone = answered?.status === 404;
  // Some clients do not repeat.
  window.isOver = answered === undefined ? nth % 3 === 0 : answered.status === 200 || window.isGone;
}

async function goOnWithAll(url: string, origin: string, windows: readonly Window[]): Promise<void> {
  const left = windows.filter(({ isOver }) => isOver !== true);
  const next = left.values();
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (const window of next) await goOn(url, origin, window);
    }),
  );
}

/** Every submitted modal task is generated. */
function draw(): void {
  for (const drawing of vendor.tasks.values())
    if (drawing.status === 'SUBMITTED' && drawing.prompt !== '') vendor.completeTask(drawing);
}

async function openTasks(): Promise<number> {
  const db = await openProductDatabase(folder.dataDir);
  const rows = await db.writer.selectFrom('task').select('id').where('ended_at', 'is', null).execute();
  await db.close();
  return rows.length;
}

/** Waits until each client has a submission that the vendor has accepted. @returns lets the vendor confirm them */
async function untilNoneIsConfirmed(): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  await expect.poll(() => unconfirmed, { interval: 1 }).toBe(LANES);
  return () => {
    held = undefined;
    resolve();
  };
}

async function untilAllEnded(): Promise<void> {
  const deadline = Date.now() + 120_000;
  while ((await openTasks()) > 0) {
    if (Date.now() > deadline) throw new Error('tasks are still open');
    draw();
    await sleep(systemTimers, 100);
  }
}

test(
  `${KILLS} kills during ${WINDOWS} modal tasks: each image is charged once, and each submission has one task`,
  async () => {
    const first = await startProduct(folder);
    const origin = (await submit(first.url, 'imagine', { prompt: 'a cat' }, 'origin'))?.id ?? '';
    await untilAllEnded();
    await first.stop('SIGTERM');

    const windows = Array.from({ length: WINDOWS }, (_, nth): Window => ({ nth }));
    for (let round = 0; round < KILLS; round += 1) {
      const product = await startProduct(folder);
      let isGoing = true;
      const going = goOnWithAll(product.url, origin, windows).finally(() => {
        isGoing = false;
      });
      const drawing = systemTimers.every(40, draw);
      const enough = vendor.submissions.length + (WINDOWS / KILLS) * (0.5 + momentOf(round));
      while (isGoing && vendor.submissions.length < enough) await sleep(systemTimers, 1);
      // The last kill hits between a submission and its task.
      const release = round === KILLS - 1 ? await untilNoneIsConfirmed() : undefined;
      await product.stop('SIGKILL');
      release?.();
      await going;
      drawing.close();
    }
    const last = await startProduct(folder);
    while (windows.some(({ isOver }) => isOver !== true)) await goOnWithAll(last.url, origin, windows);
    for (const drawing of vendor.tasks.values()) if (drawing.status === 'MODAL') drawing.status = 'CANCEL';
    await untilAllEnded();
    const db = await openProductDatabase(folder.dataDir);
    await waitUntilNoHolds(db);
    await last.stop('SIGTERM');

    const tasks = await db.writer.selectFrom('task').selectAll().execute();
    const charges = await db.writer
      .selectFrom('ledger_entry')
      .select(['ref', 'user_amount'])
      .where('kind', '=', 'charge')
      .execute();
    const chargeOf = new Map(charges.map(({ ref, user_amount }) => [ref, -user_amount]));
    const opened = tasks.filter(({ action }) => action === 'custom_zoom' || action === 'variation');
    expect(opened).toHaveLength(WINDOWS);
    expect(new Set(opened.map(({ id }) => id))).toEqual(new Set(windows.map(({ id }) => id)));
    for (const { id } of windows.filter(({ isGone }) => isGone))
      expect(vendor.tasks.get(opened.find((task) => task.id === id)?.upstream_id ?? '')?.status).toBe('SUCCESS');
    let ownWorks = 0;
    for (const window of opened) {
      const paid = tasks
        .filter(({ upstream_id }) => upstream_id === window.upstream_id)
        .flatMap(({ action, request_id }) => {
          const points = chargeOf.get(request_id) ?? 0;
          return points === 0 ? [] : [{ action, points }];
        });
      const its = window.action === 'variation' ? POINTS.mj_variation : POINTS.mj_modal;
      if (vendor.tasks.get(window.upstream_id)?.status !== 'SUCCESS') expect(paid).toEqual([]);
      else if (paid[0]?.action === 'modal') expect(paid).toEqual([{ action: 'modal', points: POINTS.mj_modal }]);
      else {
        expect(paid).toEqual([{ action: window.action, points: its }]);
        ownWorks += 1;
      }
    }
    expect(ownWorks).toBeGreaterThan(0);
    expect(await db.writer.selectFrom('hold').selectAll().execute()).toEqual([]);
    expect((await verifyLedger(db.writer)).problems).toEqual([]);
    expect((await verifyReceipts(db.writer)).problems).toEqual([]);
    await db.close();
    reportMeasurement(
      'P1',
      `${KILLS} × kill -9 during ${WINDOWS} windows: each drawing was charged once, ${ownWorks} of them to the window, as the process died before the answer's task began`,
    );
  },
  TIMEOUT_MS,
);
