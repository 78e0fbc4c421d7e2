/** The screens of model details and owners are accessible, and fit a phone. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelDetails } from '../../packages/contract/src/catalog/model-details.ts';
import { modelOwners } from '../../packages/contract/src/catalog/model-owners.ts';
import { sampleOf } from '../tier.ts';
import { findViolations, installAxe } from './axe.ts';
import { openPage, signIn, waitUntilLoaded } from './browser.ts';
import { type E2eStage, startStage } from './console-scene.ts';
import { findHorizontalOverflow } from './open-panel.ts';

const PHONE = { width: 390, height: 900 };
/** Every short run tries others; the full run tries all of them. */
const PATHS_OF_A_DAY = 2;

let stage: E2eStage;
beforeAll(async () => {
  stage = await startStage();
  const details = [{ model: 'readable', name: 'Readable', tags: ['house'], context_length: 5 }];
  await stage.root.api(modelDetails).import({ body: { details, known: 'overwrite' } });
  await stage.root.api(modelOwners).create({ body: { id: 2_000, name: 'Lab', icon: 'qwen' } });
});
afterAll(() => stage?.close());

const paths = [
  'model_info?keyword=readable',
  'model_info?show=edit&model=readable',
  'model_info?show=import',
  'model_ownedby?origin=added',
  'model_ownedby?edit=new',
];

test('both screens are accessible', async () => {
  const page = await openPage(stage.browser, stage.url);
  await installAxe(page);
  await signIn(page, stage.url, stage.account);
  for (const path of sampleOf(paths, PATHS_OF_A_DAY)) {
    await page.goto(`${stage.url}/panel/${path}`);
    await waitUntilLoaded(page);
    expect(await findViolations(page, path)).toEqual([]);
    await page.setViewportSize(PHONE);
    await expect.poll(() => findHorizontalOverflow(page)).toEqual([]);
  }
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
