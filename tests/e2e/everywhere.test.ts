/** Every screen shows a failure and recovers from it, and none is wider than a phone, however long its texts are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../../apps/server/src/accounts/users/create-and-find-users.ts';
import { insertUsageRecords } from '../../apps/server/src/testing/insert-usage-records.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../apps/server/src/testing/payment-order.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { apiKeys, createApiKey } from '../../packages/contract/src/accounts/api-keys.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { staffRoles } from '../../packages/contract/src/accounts/staff-roles.ts';
import { createUserGroup, userGroups } from '../../packages/contract/src/accounts/user-groups.ts';
import { redemptionCodes } from '../../packages/contract/src/billing/redemption-codes.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import { toPoints } from '../../packages/contract/src/money.ts';
import { telegram } from '../../packages/contract/src/operations/telegram.ts';
import { sampleOf } from '../tier.ts';
import { waitUntilLoaded } from './browser.ts';
import {
  clearNetworkErrors,
  findHorizontalOverflow,
  type Panel,
  type PanelPage,
  refuseCall,
  startPanel,
} from './open-panel.ts';

const SCREENS = join(import.meta.dirname, '../../apps/console/src/app/screens.ts');
const MONTH = `${new Date().toISOString().slice(0, 7)}-01`;
const registered = [...readFileSync(SCREENS, 'utf8').matchAll(/^ {4}path: '(.+)',$/gm)].map(([, path = '']) =>
  path.replace('$date', MONTH).replace('$id', '1'),
);
const LIVE = 'system_info?tab=log';
/** Screens that show content without any data; the live log shows its connection itself. */
const withoutData = new Set(['quote', 'playground', 'setting', 'catalogue', 'pricing?show=new', LIVE]);
/** Drawers and forms, and the other tabs. */
const inside = [
  'token?open=1',
  'channel?open=1',
  'channel/new',
  'user?open=1',
  'user/1?tab=tokens',
  'user/1?tab=usage',
  'user/1?tab=balance',
  'user/1?tab=sessions',
  'user/1?tab=audit',
  'user_group?edit=1',
  'pricing?show=new',
  'pricing?show=calculator',
  'log?open=1',
  'payment?open=1',
  'payment_gateway?edit=1',
  'redemption?tab=codes',
  'system_info?tab=jobs',
  LIVE,
  'audit?open=1',
  'telegram?edit=1',
];

/** Every short run tries others; the full run tries all of them. */
const SCREENS_OF_A_DAY = 10;

const WIDE = 'W'.repeat(30);
const names = [WIDE, 'تجربة\u202E طويلة 👩‍👩‍👧‍👦', '<b>&amp;"\'𝕳'];
const LARGEST_POINTS = 9_000_000_000_000_000;

let panel: Panel;
let phone: PanelPage;
let user: SignedInUser;

beforeAll(async () => {
  panel = await startPanel();
  const { ctx, root } = panel;
  await root.api(profile).stepUp({ body: { password: root.password } });
  user = await panel.createUser('user');
  for (const [n, name] of names.entries()) {
    await root.api(apiKeys).create({ body: createApiKey.parse({ name: name.slice(0, 30) }) });
    await root
      .api(channels)
      .create({
        body: createChannel.parse({
          name: name.repeat(2),
          type: 1,
          models: [`${'m'.repeat(120)}${n}`],
          key: 'sk-e2e',
          tag: WIDE,
          priority: 1_000_000,
        }),
      });
    await root
      .api(userGroups)
      .create({
        body: createUserGroup.parse({ symbol: `${'g'.repeat(31)}${n}`, name, ratio: 999.123_456, api_rate: 60 }),
      });
    await root.api(staffRoles).create({ body: { name, permissions: ['orders.write', 'channels.write'] } });
    await root.api(redemptionCodes).create({ body: { name, quota: toPoints(LARGEST_POINTS / 9), count: 1 } });
    await root
      .api(telegram)
      .save({ body: { command: `${'c'.repeat(31)}${n}`, description: name, reply_message: name.repeat(9) } });
    const processor_id = await insertPaymentProvider(ctx, name);
    await insertPaymentOrder(ctx, {
      user_id: root.id,
      processor_id,
      amount_usd: 999_999,
      order_amount: 99_999_999_900,
    });
    const id = await createAccount(ctx, {
      username: `${'u'.repeat(30)}${n}`,
      display_name: name,
      email: `${'e'.repeat(60)}@example.org`,
      role: 'user',
      group: 'default',
    });
    const model = `${'m'.repeat(120)}${n}`;
    await insertUsageRecords(ctx, root.id, [
      { model, quota: LARGEST_POINTS / 9, prompt_tokens: 2_000_000_000 },
      { model, type: 'error', quota: 0, content: name.repeat(20) },
      { model, quota: 0, prompt_tokens: 0, completion_tokens: 0, duration_ms: 0, first_byte_ms: 0 },
    ]);
    await ctx.ledger.transaction((_trx, moves) =>
      moves.post({ kind: 'gift', ref: `huge-${n}`, userId: id, amount: LARGEST_POINTS / 9, note: name }),
    );
  }
  phone = await panel.open('/panel/dashboard', { width: 390 });
});
afterAll(() => panel?.close());

/** Requests of a screen, except for the signed-in user and the site. */
const data = /\/api\/(?!user\/self$|status$|notices)/;

describe('on a phone', () => {
  test.each(sampleOf([...registered, ...inside], SCREENS_OF_A_DAY))(
    '%s says that the server failed, comes back, and is no wider than the screen',
    async (path) => {
      await phone.route(data, refuseCall(500, 'internal'));
      await phone.goto(`${panel.url}/panel/${path}`);
      const again = phone.getByRole('button', { name: 'Try again' });
      if (!withoutData.has(path)) {
        await phone.getByText('An internal server error occurred.', { exact: false }).first().waitFor();
        await again.first().waitFor();
      }
      await phone.unroute(data);
      await expect
        .poll(
          async () => {
            if ((await again.count()) > 0) await again.first().click({ timeout: 1000 });
            return again.count();
          },
          { timeout: 15_000 },
        )
        .toBe(0);
      // The response with the live log never ends.
      if (path === LIVE) await phone.getByRole('log').waitFor();
      else await waitUntilLoaded(phone);
      expect(await findHorizontalOverflow(phone)).toEqual([]);
      clearNetworkErrors(phone);
      expect(phone.complaints.list).toEqual([]);
    },
  );
});

test('shows an error for a forbidden screen and for an unknown address', async () => {
  const page = await panel.open('/panel/channel', { as: user });
  await page.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
  await page.getByRole('link', { name: 'Go to the console' }).click();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  await page.goto(`${panel.url}/panel/no-such-screen`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
