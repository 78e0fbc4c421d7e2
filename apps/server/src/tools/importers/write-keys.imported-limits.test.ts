import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readLiteLlm } from './litellm.ts';
import { readLiteLlmKey } from './litellm-keys.ts';
import { readKey } from './one-api-family-keys.ts';
import { ImportReport } from './report.ts';

const sha256 = createHash('sha256').update('sk-x').digest('hex');
const owners = new Map([
  ['u-1', { user_id: 'u-1', models: [] }],
  ['u-2', { user_id: 'u-2', models: ['gpt-4o'] }],
  ['team:t-1', { team_id: 't-1', models: ['gpt-4o', 'o3'] }],
  ['team:t-2', { team_id: 't-2', blocked: true }],
]);

function readProxyKey(fields: object) {
  const report = new ImportReport();
  const key = readLiteLlmKey({ token: sha256, key_alias: 'app', user_id: 'u-1', ...fields }, owners, report);
  return { key, text: report.lines().join('\n') };
}

describe('a key of LiteLLM', () => {
  test.each<[string, object]>([
    ['rpm_limit', { rpm_limit: 0 }],
    ['rpm_limit', { rpm_limit: -3 }],
    ['rpm_limit', { rpm_limit: 0.5 }],
    ['rpm_limit', { rpm_limit: 'many' }],
    ['tpm_limit', { tpm_limit: -7 }],
    ['max_parallel_requests', { max_parallel_requests: 0 }],
    ['max_budget', { max_budget: 'NaN' }],
    ['max_budget', { max_budget: 1e41, budget_duration: '1d' }],
    ['budget_id', { budget_id: 'b-1' }],
    ['allowed_routes', { allowed_routes: ['info_routes'] }],
  ])('is disabled with its name if its %s cannot be imported: %j', (field, fields) => {
    const { key, text } = readProxyKey(fields);
    expect(key).toMatchObject({ enabled: false });
    expect(text).toContain(`the limit ${field} cannot be imported; the token is disabled: app`);
  });

  test.each<[object, object]>([
    [
      { max_parallel_requests: 3, rpm_limit: '60' },
      { concurrency: 3, requestsPerMinute: 60 },
    ],
    [
      { budget_id: 'b', litellm_budget_table: { max_budget: 2, tpm_limit: 9 } },
      { remaining: 1_000_000n, tokensPerMinute: 9 },
    ],
    [{ max_budget: -1 }, { unlimited: false, remaining: -500_000n }],
    [{ max_budget: -1, budget_duration: '1d' }, { budgets: { day: 0, week: null, month: null } }],
    [
      { max_budget: 1e30, budget_duration: '1d' },
      { budgets: { day: Number.MAX_SAFE_INTEGER, week: null, month: null } },
    ],
    [{ expires: 'some day' }, { expiredTime: 1 }],
    [{ expires: '1970-01-01T00:00:00Z' }, { expiredTime: 1 }],
    [{ expires: null }, { expiredTime: -1 }],
    [{ allowed_routes: ['llm_api_routes'] }, { models: undefined }],
    [{ models: 'gpt-4o' }, { models: [] }],
    [{ models: ['no-default-models'] }, { models: [] }],
    [{ models: ['o3'], team_id: 't-1' }, { models: ['o3'] }],
    [{ team_id: 't-1' }, { models: ['gpt-4o', 'o3'] }],
    [{ models: ['all-team-models'], team_id: 't-1' }, { models: ['gpt-4o', 'o3'] }],
    [{ user_id: 'u-2' }, { models: ['gpt-4o'] }],
  ])('keeps its limits and those of its owner: %j', (fields, expected) => {
    expect(readProxyKey(fields).key).toMatchObject({ enabled: true, ...expected });
  });

  test.each<[object, string, boolean]>([
    [{ user_id: 'u-1' }, 'u-1', true],
    [{ user_id: 'u-1', team_id: null }, 'u-1', true],
    [{ user_id: 'u-1', team_id: '' }, 'u-1', true],
    [{ user_id: null }, 'proxy', true],
    [{ user_id: null, team_id: 't-1' }, 'team:t-1', true],
    [{ user_id: 'u-1', team_id: 't-1' }, 'team:t-1', true],
    [{ user_id: 'u-1', team_id: 't-1', blocked: true }, 'team:t-1', false],
    [{ user_id: 'u-1', team_id: 'unknown' }, 'team:unknown', true],
    [{ user_id: null, team_id: 't-2' }, 'team:t-2', false],
    [{ user_id: 'u-1', team_id: 't-2' }, 'team:t-2', false],
  ])('belongs to the user who pays for it in the source: %j', (fields, userId, enabled) => {
    const { key, text } = readProxyKey(fields);
    expect(key).toMatchObject({ userId, enabled });
    expect(text.includes('its team is blocked; the token is disabled: app')).toBe(userId === 'team:t-2');
  });

  test('names the limits for single models, which no token has here', () => {
    const { text } = readProxyKey({ model_max_budget: { o3: 1 }, metadata: { model_rpm_limit: { o3: 2 } } });
    expect(text).toContain('the limit model_max_budget is not supported: app');
    expect(text).toContain('the limit model_rpm_limit is not supported: app');
  });

  test('reads a token once with its user, although a change repeats both on the next page', async () => {
    const rows = { users: [{ user_id: 'u-1' }, { user_id: 'u-1' }], keys: [{ token: sha256 }, { token: sha256 }] };
    const ask = async (path: string): Promise<unknown> => {
      if (path === '/team/list') return [];
      if (path === '/model/info') return { data: [] };
      const field = path.startsWith('/user/list') ? 'users' : 'keys';
      const page = Number(new URL(path, 'http://proxy').searchParams.get('page'));
      return { [field]: rows[field].slice(page - 1, page), total_pages: 2 };
    };
    const { users, keys } = await readLiteLlm(ask, new ImportReport());
    expect({ users: users.map(({ id }) => id), keys: keys.length }).toEqual({ users: ['u-1', 'proxy'], keys: 1 });
  });
});

test.each<[string, object, object]>([
  ['broken settings', { setting: '{"limits":' }, { enabled: false }],
  ['settings of another type', { setting: '[]' }, { enabled: false }],
  ['no settings', { setting: 'null' }, { enabled: true, models: undefined }],
  ['a model list without names', { models: ' , ' }, { models: [] }],
  ['an address list without addresses', { subnet: ',' }, { addresses: [] }],
  ['empty lists', { models: '', subnet: ' ' }, { models: undefined, addresses: undefined }],
])('reads a key of One API with %s without adding rights', (_, fields, expected) => {
  const row = { id: 1, user_id: 2, key: 'k'.repeat(48), status: 1, expired_time: -1, ...fields };
  expect(readKey(row, new ImportReport())).toMatchObject(expected);
});
