/** Rows of One Hub after years of use, most of them valid. */
import { hashSync } from 'bcryptjs';
import type { SourceRows } from './source-database.ts';

export const OLD_PASSWORD = 'the password from before';
export const OLD_KEY = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl';
export const LIMITED_KEY = '0123456789AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKl';
export const OLD_CODE = '0123456789abcdef0123456789abcdef';
const hash = hashSync(OLD_PASSWORD, 4);

const user = {
  password: hash,
  display_name: '',
  role: 1,
  status: 1,
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: 'default',
};
const token = {
  user_id: 2,
  status: 1,
  name: 'mine',
  created_time: 1_700_000_000,
  accessed_time: 0,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
};

/** Users of all products. */
const commonUsers = [
  { ...user, id: 1, username: 'root', role: 100, quota: 100_000_000, aff_code: 'ROOT' },
  {
    ...user,
    id: 2,
    username: 'alice',
    display_name: '爱丽丝',
    email: 'alice@example.org',
    group: 'vip',
    quota: 7_654_321,
    used_quota: 1_234,
    request_count: 56,
    aff_code: 'A1iC',
    inviter_id: 1,
  },
  { ...user, id: 3, username: 'debtor', quota: -5_000, status: 2, aff_code: 'D3bt' },
  { ...user, id: 4, username: 'ab', email: 'no address', password: 'plain', inviter_id: 99, aff_code: '' },
  { ...user, id: 5, username: 'ALICE', quota: null, role: null, group: '' },
  { ...user, id: 7, username: 'with space', quota: 12 },
];

const commonTokens = [
  { ...token, id: 1, key: OLD_KEY },
  {
    ...token,
    id: 2,
    key: LIMITED_KEY,
    name: 'x'.repeat(50),
    unlimited_quota: false,
    remain_quota: 4_000,
    used_quota: 6_000,
    expired_time: 4_102_444_800_000,
  },
  { ...token, id: 3, key: 'orphan-key-0123456789-0123456789', user_id: 99 },
  { ...token, id: 4, key: 'short' },
  { ...token, id: 5, key: 'expired-key-0123456789-0123456789', status: 3, expired_time: 1_600_000_000 },
  { ...token, id: 6, key: `${OLD_KEY.slice(0, 40)}closed00`, status: 2 },
];

const channel = {
  id: 1,
  type: 8,
  key: 'sk-upstream-secret-0001',
  status: 1,
  name: 'scripted',
  weight: 0,
  priority: 0,
  models: 'scripted*,gpt-4o',
  group: 'default,vip',
  base_url: 'http://127.0.0.1:9',
};

/** Redemption codes, orders and logs of One Hub. */
const oneHubHistory: SourceRows = {
  redemptions: [
    { id: 1, user_id: 1, key: OLD_CODE, status: 1, name: 'spring', quota: 500, created_time: 1_700_000_000 },
    {
      id: 2,
      user_id: 1,
      key: 'f'.repeat(32),
      status: 3,
      name: 'spring',
      quota: 500,
      created_time: 1_700_000_000,
      redeemed_time: 1_700_000_100,
    },
    { id: 3, user_id: 1, key: 'e'.repeat(32), status: 1, name: 'nothing', quota: 0 },
  ],
  orders: [
    {
      id: 1,
      user_id: 2,
      gateway_id: 1,
      trade_no: '1001',
      amount: 10,
      order_amount: 73.5,
      order_currency: 'CNY',
      quota: 5_000_000,
      status: 'success',
      created_at: 1_700_000_000,
    },
    {
      id: 2,
      user_id: 2,
      gateway_id: 1,
      trade_no: '1002',
      amount: 10,
      order_amount: 73,
      order_currency: 'CNY',
      quota: 5_000_000,
      status: 'pending',
      created_at: 1_700_000_000,
    },
  ],
  logs: [
    {
      id: 1,
      user_id: 2,
      created_at: 1_700_000_000,
      type: 2,
      model_name: 'gpt-4o',
      quota: 77,
      prompt_tokens: 10,
      completion_tokens: 20,
      channel_id: 1,
      request_time: 1_500,
      is_stream: true,
      metadata: '{"group_name":"vip"}',
    },
    { id: 2, user_id: 99, created_at: 1_700_000_000, type: 2, quota: 1 },
  ],
};

export function oneHubRows(baseUrl: string): SourceRows {
  return {
    users: [
      ...commonUsers.map((row) => (row.id === 2 ? { ...row, github_id_new: 4242, github_id: 'alice' } : row)),
      { ...user, id: 6, username: 'gone', quota: 999, deleted_at: '2024-01-01 00:00:00' },
    ],
    user_groups: [
      { id: 1, symbol: 'default', name: 'Default', ratio: 1, api_rate: 600, public: true, enable: true },
      { id: 2, symbol: 'vip', name: 'VIP', ratio: 0.85, api_rate: 60, public: false, enable: true },
      { id: 3, symbol: '贵宾', name: '贵宾', ratio: 1.5, api_rate: 600, public: true, enable: false },
    ],
    tokens: commonTokens.map((row) =>
      row.id === 2
        ? {
            ...row,
            group: '贵宾',
            setting: JSON.stringify({
              heartbeat: { enabled: true, timeout_seconds: 5 },
              limits: {
                limit_model_setting: { enabled: true, models: ['gpt-4o'] },
                limits_ip_setting: { enabled: true, whitelist: ['10.0.0.0/8', 'nonsense'] },
              },
            }),
          }
        : row,
    ),
    channels: [
      { ...channel, base_url: baseUrl, tag: 'old', only_chat: false, pre_cost: 1, priority: -3 },
      { ...channel, id: 2, type: 14, name: 'claude', key: 'sk-ant-1\nsk-ant-2', models: 'claude-3-opus', base_url: '' },
      { ...channel, id: 3, name: 'no models', models: '' },
      { ...channel, id: 4, name: 'deleted', deleted_at: '2024-01-01 00:00:00' },
    ],
    prices: [
      {
        model: 'gpt-4o',
        type: 'tokens',
        channel_type: 1,
        input: '1.25',
        output: '5',
        extra_ratios: '{"cached_tokens":0.5}',
      },
      { model: 'claude-3-opus', type: 'tokens', channel_type: 14, input: '7.5', output: '37.5' },
      { model: 'drawing', type: 'times', channel_type: 0, input: '50', output: '0' },
      { model: 'scripted*', type: 'tokens', channel_type: 0, input: '0.0714285714285', output: '1' },
      { model: '*', type: 'tokens', channel_type: 0, input: '1', output: '1' },
    ],
    ...oneHubHistory,
    options: [
      { key: 'SystemName', value: 'The old site' },
      { key: 'SMTPToken', value: 'smtp-secret-value' },
    ],
  };
}

const familyOptions = [
  { key: 'GroupRatio', value: '{"default":1,"vip":0.85}' },
  { key: 'ModelRatio', value: '{"gpt-4o":1.25,"scripted*":1,"strange(23)":2,"claude-3-opus":7.5}' },
  { key: 'CompletionRatio', value: '{"gpt-4o":4,"claude-3-opus":5}' },
  { key: 'SystemName', value: 'The old site' },
];

export function oneApiRows(baseUrl: string): SourceRows {
  return {
    users: [...commonUsers, { ...user, id: 6, username: 'deleted_1', status: 3, quota: 999 }],
    tokens: commonTokens.map((row) => (row.id === 2 ? { ...row, models: 'gpt-4o', subnet: '10.0.0.0/8' } : row)),
    channels: [
      { ...channel, base_url: baseUrl },
      { ...channel, id: 2, type: 24, name: 'gemini', key: 'AIza-upstream', models: 'gemini-pro', base_url: '' },
      { ...channel, id: 3, type: 23, name: 'unknown' },
    ],
    redemptions: oneHubHistory['redemptions'] ?? [],
    logs: [{ id: 1, user_id: 2, created_at: 1_700_000_000, type: 2, model_name: 'gpt-4o', quota: 7, elapsed_time: 12 }],
    options: familyOptions,
  };
}

export function newApiRows(baseUrl: string): SourceRows {
  return {
    users: [
      ...commonUsers.map((row) =>
        row.id === 2
          ? { ...row, telegram_id: '777', oidc_id: 'sub-2', github_id: '4242' }
          : row.id === 7
            ? { ...row, telegram_id: '777' }
            : row,
      ),
      { ...user, id: 6, username: 'gone', quota: 999, deleted_at: '2024-01-01 00:00:00' },
    ],
    tokens: commonTokens.map((row) =>
      row.id === 2
        ? {
            ...row,
            group: 'auto',
            model_limits_enabled: true,
            model_limits: 'gpt-4o,o1',
            allow_ips: '10.1.2.3\n10.2.0.0/16',
          }
        : row,
    ),
    channels: [
      { ...channel, base_url: baseUrl },
      {
        ...channel,
        id: 2,
        type: 43,
        name: 'deepseek',
        key: 'sk-one-1111\nsk-two-2222',
        models: 'deepseek-chat',
        base_url: '',
        channel_info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_mode":"random"}',
      },
    ],
    redemptions: [
      { id: 1, user_id: 1, key: OLD_CODE, status: 1, name: 'spring', quota: 500, expired_time: 4_102_444_800 },
    ],
    logs: [
      {
        id: 1,
        user_id: 2,
        token_id: 1,
        created_at: 1_700_000_000,
        type: 2,
        model_name: 'gpt-4o',
        quota: 7,
        use_time: 3,
        group: 'vip',
      },
    ],
    options: [
      ...familyOptions,
      { key: 'CacheRatio', value: '{"gpt-4o":0.5}' },
      { key: 'CreateCacheRatio', value: '{"claude-3-opus":1.25}' },
      { key: 'ModelPrice', value: '{"drawing":0.1}' },
      { key: 'UserUsableGroups', value: '{"default":"Everybody"}' },
      { key: 'oidc.well_known', value: 'https://id.example.org/.well-known/openid-configuration' },
    ],
  };
}
