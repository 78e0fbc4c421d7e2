/** On tables of a hundred rows the next frame follows a press within 100 ms. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleUnlessLong } from '../tier.ts';
import { openPage, signIn } from './browser.ts';
import { type DemoScene, startDemoScene } from './demonstration.ts';
import {
  observeEventTiming,
  openTable,
  tableScreens,
  timeCalibration,
  timeInteraction,
} from './measure-interactions.ts';

const LIMIT_MS = 100;
/** The best of several passes counts, because a busy machine slows single passes and a slow console all of them. */
const PASSES_MAX = 6;
/** Duration of the reference work on the idle machine for which the limit is defined. */
const QUIET_MS = 64;

let demonstration: DemoScene;
let page: Page;
/** Best pass of every interaction, scaled to the idle machine. */
const times: number[] = [];

beforeAll(async () => {
  demonstration = await startDemoScene();
  await demonstration.addBulkData(100);
  page = await openPage(demonstration.browser, demonstration.url);
  await observeEventTiming(page);
  await signIn(page, demonstration.url, demonstration.account);
});
afterAll(async () => {
  const sorted = times.toSorted((a, b) => a - b);
  const p75 = sorted[Math.ceil(sorted.length * 0.75) - 1];
  console.log(`From a press to the next picture: p75 ${p75} ms, worst ${sorted.at(-1)} ms`);
  await demonstration?.close();
});

describe.each(sampleUnlessLong(Object.entries(tableScreens), 2))(
  'a hundred rows answer at once: %s',
  (_name, screen) => {
    beforeAll(() => openTable(page, demonstration.url, screen));

    test.each(screen.interactions.map((interaction) => [interaction.name, interaction] as const))(
      '%s',
      async (_what, interaction) => {
        let best = await timeInteraction(page, interaction);
        for (let pass = 1; pass < PASSES_MAX && best > LIMIT_MS; pass += 1) {
          const before = await timeCalibration(page);
          const took = await timeInteraction(page, interaction);
          const after = await timeCalibration(page);
          const strain = Math.max(1, Math.min(before, after) / QUIET_MS);
          best = Math.min(best, Math.round(took / strain));
        }
        times.push(best);
        expect(best).toBeLessThanOrEqual(LIMIT_MS);
      },
    );
  },
);
