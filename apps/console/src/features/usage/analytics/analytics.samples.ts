/** Wire responses of the analytics routes, for tests. */
const none = {
  charged: 0,
  cost: null as number | null,
  costed: 0,
  margin: null as number | null,
  requests: 0,
  errors: 0,
  error_rate: null as number | null,
  prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  request_time_p50: null as number | null,
  request_time_p95: null as number | null,
  request_time_p99: null as number | null,
  first_byte_time_p50: null as number | null,
  first_byte_time_p95: null as number | null,
  first_byte_time_p99: null as number | null,
};

const wireFigures = (some: Partial<typeof none> = {}) => ({ ...none, ...some });

const before = wireFigures({ charged: 500_000, requests: 4 });
const STEPS = [1_767_225_600, 1_767_312_000];

export const wireAnalysis = {
  steps: STEPS,
  total: {
    current: wireFigures({ charged: 1_000_000, cost: 100_000, costed: 500_000, margin: 400_000, requests: 9 }),
    before,
  },
  by_step: [],
  total_line: [400_000, 600_000],
  total_line_before: [200_000, 300_000],
  rows: [
    { key: '7', name: 'ada', current: wireFigures({ charged: 900_000, requests: 5 }), before },
    { key: '8', name: '8', current: wireFigures({ charged: 50_000, requests: 3 }), before: wireFigures() },
  ],
  others: { current: wireFigures({ charged: 50_000, requests: 1 }), before: wireFigures(), values: 3 },
  lines: [
    [400_000, 500_000],
    [0, 50_000],
  ],
  others_line: [0, 50_000],
  filtered: {},
  complete_until: null as number | null,
};

export const wireNoCalls = {
  ...wireAnalysis,
  total: { current: wireFigures(), before: wireFigures() },
  total_line: [0, 0],
  total_line_before: [0, 0],
  rows: [],
  others: null,
  lines: [],
  others_line: null,
};

export const wireStatistics = {
  users: { total: 12, invited: 3, disabled: 1 },
  channels: { enabled: 4, disabled: 2, auto_disabled: 1 },
  balance: 5_000_000,
  used: 2_500_000,
  recharge: { codes: 2, code_quota: 500_000, orders: [{ currency: 'CNY', orders: 3, amount: 146, quota: 10_000_000 }] },
};
