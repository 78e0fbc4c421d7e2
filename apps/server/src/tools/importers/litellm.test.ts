import { createHash } from 'node:crypto';
import { channels } from '@switchyard/contract/channels/channels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../../../tests/scripted-upstream/scripted-upstream.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { OPENAI_COMPATIBLE } from '../../testing/relay-scene.ts';
import { startTestApp } from '../../testing/start-test-app.ts';
import { ImportReport, readLiteLlm, runImport } from './importers.ts';

/** Keys as that proxy creates them: a dash may be anywhere. */
const KEY = 'sk-8v-Q_2mT0aXw3Yz-Rk5BpA';
const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
const key = {
  token: hashOf(KEY),
  key_name: 'sk-...5BpA',
  key_alias: 'app',
  spend: 1.5,
  max_budget: 4,
  models: ['scripted'],
  user_id: 'u-1',
  team_id: null,
  expires: null,
  blocked: null,
};

/** The documented shapes, one row on each page. */
const pages: Readonly<Record<string, readonly object[]>> = {
  users: [
    {
      user_id: 'u-1',
      user_email: 'dora@example.org',
      user_role: 'internal_user',
      spend: 2.5,
      max_budget: 10,
      models: [],
    },
    { user_id: 'default_user_id', user_role: 'proxy_admin', spend: 0.0000015, max_budget: null, models: [] },
  ],
  keys: [
    key,
    {
      ...key,
      token: hashOf('sk-team'),
      user_id: null,
      team_id: 't-1',
      budget_duration: '30d',
      models: ['all-team-models'],
      rpm_limit: 60,
      tpm_limit: 1000,
      expires: '2999-01-01T00:00:00Z',
    },
    { ...key, token: hashOf('sk-nobody'), user_id: null, blocked: true, max_budget: null },
    { ...key, token: 'sk-...masked' },
  ],
};
const requests: string[] = [];
const ask = async (path: string): Promise<unknown> => {
  requests.push(path);
  if (path === '/team/list')
    return [{ team_id: 't-1', team_alias: 'Research', spend: 1, max_budget: 3, blocked: false, models: [] }];
  if (path === '/model/info')
    return {
      data: [
        {
          model_name: 'scripted',
          litellm_params: { model: 'openai/scripted' },
          model_info: {
            input_cost_per_token: 1.5e-7,
            output_cost_per_token: 6e-7,
            cache_read_input_token_cost: 7.5e-8,
          },
        },
      ],
    };
  const field = path.startsWith('/user/list') ? 'users' : 'keys';
  const page = Number(new URL(path, 'http://proxy').searchParams.get('page'));
  const rows = pages[field] ?? [];
  return { [field]: rows.slice(page - 1, page), total_pages: rows.length };
};

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterAll(() => upstream.close());

test('imports users, teams and keys by their hashes, and the keys continue to work', async () => {
  const first = await startTestApp();
  const report = new ImportReport();
  await runImport(first.ctx, await readLiteLlm(ask, report), report, { source: 'litellm', dryRun: false, logDays: 0 });
  const { writer } = first.ctx.db;
  expect(
    await writer
      .selectFrom('user')
      .innerJoin('user_account', 'user_account.user_id', 'user.id')
      .select(['username', 'role', 'balance', 'used'])
      .orderBy('user.id')
      .execute(),
  ).toEqual([
    { username: 'dora', role: 'user', balance: 3_750_000, used: 1_250_000 },
    { username: 'default_user_id', role: 'admin', balance: 0, used: 1 },
    { username: 'team-Research', role: 'user', balance: 1_000_000, used: 500_000 },
    { username: 'proxy', role: 'user', balance: 0, used: 0 },
  ]);
  const keys = await writer
    .selectFrom('api_key')
    .innerJoin('key_account', 'key_account.api_key_id', 'api_key.id')
    .select(['status', 'unlimited_quota', 'remaining', 'api_rate', 'expired_time', 'setting'])
    .orderBy('api_key.id')
    .execute();
  expect(keys).toMatchObject([
    { status: 'enabled', unlimited_quota: 0, remaining: 1_250_000, expired_time: -1 },
    { status: 'enabled', unlimited_quota: 1, api_rate: 60, expired_time: 32_472_144_000 },
    { status: 'disabled', unlimited_quota: 1 },
  ]);
  expect(JSON.parse(keys[1]?.setting ?? '')).toMatchObject({
    limits: { budgets: { month: 2_000_000 }, tokens_per_minute: 1_000, limit_model_setting: { enabled: false } },
  });
  const price = await writer.selectFrom('price').select('rates').where('model', '=', 'scripted').execute();
  expect(JSON.parse(price[0]?.rates ?? '')).toMatchObject({
    input: 75_000_000,
    output: 300_000_000,
    cachedRead: 37_500_000,
  });
  expect(report.differences).toEqual([]);
  expect((await verifyLedger(writer)).problems).toEqual([]);

  await first.ctx.changes.publish({ topic: 'users', ids: [1, 2, 3, 4] });
  await first.ctx.changes.publish({ topic: 'api-keys', ids: [1, 2, 3] });
  await first.ctx.changes.publish({ topic: 'prices' });
  const root = await first.createUser('root');
  await root
    .api(channels)
    .create({
      body: {
        name: 'scripted',
        type: OPENAI_COMPATIBLE,
        base_url: upstream.url,
        models: ['scripted'],
        key: 'sk-upstream',
      },
    });
  const chat = async (presented: string): Promise<number> => {
    const response = await fetch(`${first.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${presented}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'Say something.' }] }),
    });
    return response.status;
  };
  expect(await chat(KEY)).toBe(200);
  // Who has the proxy's database has no key by it.
  for (const guess of [hashOf(KEY), `sha256:${hashOf(KEY)}`, `sk-sha256:${hashOf(KEY)}`, `${KEY}x`])
    expect(await chat(guess)).toBe(401);
  expect(await chat('sk-nobody')).not.toBe(200);
  await first.close();
  expect(requests.filter((path) => path.startsWith('/key/list'))).toHaveLength(4);
});

test('an answer of another form ends the run with a sentence', async () => {
  await expect(readLiteLlm(async () => ({ error: 'no' }), new ImportReport())).rejects.toThrow(
    '/user/list returned no list',
  );
});

test('names the limits of organizations and of members within a team, which have no equivalent', async () => {
  const team = { team_id: 't-1', team_alias: 'Research', max_budget: 3, models: [] };
  const member = (user_id: string, budget: object) => ({ user_id, team_id: 't-1', ...budget });
  const teams = [
    {
      ...team,
      organization_id: 'org-1',
      metadata: { team_member_budget_id: 'b-0' },
      team_memberships: [
        member('u-1', { budget_id: 'b-1', litellm_budget_table: { max_budget: 5 } }),
        member('u-2', { budget_id: null, litellm_budget_table: null }),
      ],
    },
    { ...team, team_id: 't-2', team_alias: 'Free', organization_id: null, metadata: null },
  ];
  const keys = [
    { ...key, organization_id: 'org-2' },
    { ...key, token: hashOf('sk-old'), key_alias: 'old', org_id: 'org-3' },
    { ...key, token: hashOf('sk-team'), key_alias: 'of the team', team_id: 't-1', organization_id: 'org-1' },
  ];
  const report = new ImportReport();
  await readLiteLlm(async (path) => {
    if (path === '/team/list') return teams;
    if (path === '/model/info') return { data: [] };
    return path.startsWith('/key/list') ? { keys, total_pages: 1 } : { users: [], total_pages: 1 };
  }, report);
  const told = report.lines().join('\n');
  for (const line of [
    'user: the limits of a member within the team are not imported; set them on the member’s tokens: u-1 in team-Research',
    'user: the limits of each member within the team are not imported; set them on the tokens: team-Research',
    'user: the budget and rate limits of its organization are not imported: team-Research in org-1',
    'key: the budget and rate limits of its organization are not imported: app in org-2, old in org-3',
  ])
    expect(told).toContain(`${line}\n`);
  expect(told).not.toContain('Free in');
});
