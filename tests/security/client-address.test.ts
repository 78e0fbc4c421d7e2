/** A client's address is that of its connection; forwarding headers count only from a configured proxy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { createRandom, type Random } from '../../apps/server/src/tools/demo/random.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { pick } from '../tier.ts';

const FORGERIES = pick(200, 1_000);
const ALLOWED = '10.9.9.9';
const NOW = Date.UTC(2026, 5, 1);
const names = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'x-client-ip',
  'client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-cluster-client-ip',
  'x-originating-ip',
  'x-remote-addr',
  'x-forwarded',
  'via',
];

function forgery(random: Random): Record<string, string> {
  const other = `10.${random.between(0, 255)}.${random.between(0, 255)}.${random.between(1, 254)}`;
  const address = random.chance(0.5) ? ALLOWED : other;
  const forms = [
    address,
    `${address}, 127.0.0.1`,
    `127.0.0.1, ${address}`,
    `${address}:443`,
    `[::ffff:${address}]:80`,
    `::ffff:${address}`,
    `for=${address};proto=https;by=127.0.0.1`,
    `for="[::ffff:${address}]"`,
    `unknown, ${address}`,
    `,,, ${address} ,,`,
    ` ${address}`,
    `${address}\t`,
    `${address},`.repeat(50),
  ];
  const headers: Record<string, string> = {};
  for (let count = random.between(1, 3); count > 0; count -= 1) headers[random.pick(names)] = random.pick(forms);
  return headers;
}

const onlyFrom = (whitelist: string[]) => ({
  unlimited_quota: true,
  setting: {
    heartbeat: { enabled: false, timeout_seconds: 30 },
    strict_translation: false,
    limits: {
      limit_model_setting: { enabled: false, models: [] },
      limits_ip_setting: { enabled: true, whitelist },
      concurrency: 0,
      tokens_per_minute: 0,
      budgets: { day: null, week: null, month: null },
    },
  },
});

async function startScene(trustedProxies: string[]): Promise<{ scene: RelayScene; key: string }> {
  const scene = await startRelayScene({ now: NOW, config: { trustedProxies } });
  await removeRateLimits(scene.admin);
  await scene.newChannel({});
  return { scene, key: await scene.newKey(onlyFrom([ALLOWED])) };
}

async function chat(scene: RelayScene, key: string, headers: Record<string, string>): Promise<string> {
  const body = { model: 'scripted', messages: [{ role: 'user', content: 'hi' }] };
  return (await scene.post('/v1/chat/completions', body, { key, headers })).text();
}

describe('without a configured proxy', () => {
  let scene: RelayScene;
  let key: string;
  beforeAll(async () => {
    ({ scene, key } = await startScene([]));
  });
  afterAll(() => scene.close());

  test(`${FORGERIES} forged headers open no token to another address`, async () => {
    const random = createRandom(31);
    for (let count = 0; count < FORGERIES; count += 1) {
      const headers = forgery(random);
      expect(await chat(scene, key, headers), JSON.stringify(headers)).toContain('from 127.0.0.1');
    }
  });

  test(`${FORGERIES} forged headers share one rate limit of sign-ins`, async () => {
    const random = createRandom(32);
    const statuses: number[] = [];
    for (let count = 0; count < FORGERIES; count += 1) {
      const answer = await scene.anonymous.fetch('/api/user/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...forgery(random) },
        body: JSON.stringify({ username: `nobody-${count}`, password: 'wrong password' }),
      });
      statuses.push(answer.status);
    }
    const tried = statuses.filter((status) => status !== 429).length;
    expect(tried).toBeGreaterThan(0);
    expect(tried).toBeLessThanOrEqual(100);
    expect(statuses.slice(tried).every((status) => status === 429)).toBe(true);
  });
});

describe('behind configured proxies', () => {
  let scene: RelayScene;
  let key: string;
  beforeAll(async () => {
    ({ scene, key } = await startScene(['127.0.0.1', '172.16.0.0/12']));
  });
  afterAll(() => scene.close());

  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7', '203.0.113.7'],
    ['10.9.9.9, 203.0.113.7, 172.16.0.3', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    // The rest of a hop that cannot be parsed is that hop's claim alone.
    ['10.9.9.9, unknown', '127.0.0.1'],
    ['10.9.9.9, 10.9.9.9.evil', '127.0.0.1'],
    ['10.9.9.9, 0x7f.1', '127.0.0.1'],
    ['10.9.9.9,', '127.0.0.1'],
    ['172.16.0.3', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('the client of %j is %s', async (forwarded, address) => {
    expect(await chat(scene, key, { 'x-forwarded-for': forwarded })).toContain(`from ${address}.`);
  });

  test('other headers are ignored', async () => {
    for (const name of names.filter((name) => name !== 'x-forwarded-for'))
      expect(await chat(scene, key, { [name]: ALLOWED }), name).toContain('from 127.0.0.1');
  });

  test('the address reported by the proxy is allowed', async () => {
    expect(await chat(scene, key, { 'x-forwarded-for': `1.1.1.1, ${ALLOWED}` })).toContain('"choices"');
  });
});
