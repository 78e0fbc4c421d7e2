/** P14: accounts can be neither enumerated nor guessed, and guessing locks no owner out. */
import { randomBytes, randomInt } from 'node:crypto';
import { signUp } from '@switchyard/contract/accounts/sign-up';
import { users } from '@switchyard/contract/accounts/users';
import { describe, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { useSignUpScene } from '../../apps/server/src/testing/sign-up-scene.ts';
import { pick } from '../tier.ts';
import { compareTimes } from './compare-times.ts';

const SAMPLES = pick(60, 150, 500);
/** Sufficient to detect a difference of a hundredth of their noise. */
const COMPARED = 500;
const WARM_UP = pick(5, 20);
const {
  app,
  openBrowser: browser,
  requestCode: askCode,
  requestResetToken: askResetToken,
  signIn,
} = await useSignUpScene({ config: { trustedProxies: ['127.0.0.1'] } });
const root = await app.createUser('root', { isHashedFully: true });
const owner = await app.createUser('user', { isHashedFully: true });
const known = { name: owner.username, email: 'owner@example.org' };
await root.api(users).update({ body: { id: owner.id, email: known.email } });
const another = await app.createUser('user', { isHashedFully: true });
await root.api(users).update({ body: { id: another.id, email: 'second@example.org' } });
/** As long as the existing ones. */
const unknown = { name: known.name.replaceAll(/./g, 'x'), email: 'other@example.org' };

const json = { 'content-type': 'application/json' };
const PASSWORD = 'a rather good one';
const stranger = browser();

/** Requests about an address with and without an account. */
const questions: Record<string, (who: typeof known) => Promise<Response>> = {
  'the sign-in by name': ({ name }) => signIn(stranger, name, 'wrong password'),
  'the sign-in by address': ({ email }) => signIn(stranger, email, 'wrong password'),
  'the link for a new password': ({ email }) => stranger.fetch(`/api/reset_password?email=${email}`),
  'the mail code': ({ email }) => stranger.fetch(`/api/verification?email=${email}`),
  'the registration': ({ name, email }) =>
    stranger.fetch('/api/user/register', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: name, password: PASSWORD, email, verification_code: '00000000' }),
    }),
};

/** Everything that a client sees except the request id and the date. */
async function seen(response: Response) {
  const { request_id, ...body } = (await response.json()) as Record<string, unknown>;
  const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
  return { status: response.status, body, headers, hasId: typeof request_id };
}

describe.each(Object.entries(questions))('%s', (_name, ask) => {
  test('returns the same bytes with and without an account', async () => {
    const about = async (who: typeof known) => {
      app.clock.advance(3_600);
      return seen(await ask(who));
    };
    expect(await about(known)).toEqual(await about(unknown));
  });

  test('takes the same time with and without an account', { timeout: 300_000 }, async () => {
    const take = async (who: typeof known): Promise<number> => {
      // All rate limits are reset: five mails in an hour are the narrowest. Earlier mails are sent at random moments
      // and
      // slow both alike. No job runs meanwhile.
      app.clock.jump(3_600);
      const start = performance.now();
      const response = await ask(who);
      await response.arrayBuffer();
      const ms = performance.now() - start;
      expect(response.status).not.toBe(429);
      return ms;
    };
    const series = async () => {
      const times = { known: [] as number[], unknown: [] as number[] };
      for (let sample = -WARM_UP; sample < SAMPLES; sample += 1) {
        // The first of a pair pays for work that the previous pair left behind, so the order is random.
        const order = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
        for (const who of order) {
          const time = await take(who === 'known' ? known : unknown);
          if (sample >= 0) times[who].push(time);
        }
      }
      const { p, medians } = compareTimes(times.known, times.unknown);
      const gap = (medians[0] - medians[1]) / Math.min(...medians);
      // An exploitable difference changes the median as well.
      return { p, medians, gap, differs: p < 0.01 && Math.abs(gap) > 0.01 };
    };
    const first = await series();
    if (!first.differs) return;
    // One series in a hundred differs by chance. A real difference repeats in the same direction.
    const second = await series();
    const isReal = second.differs && Math.sign(first.gap) === Math.sign(second.gap);
    expect({ isReal, first, second }).toMatchObject({ isReal: false });
  });
});

test('the comparison of times detects a difference of two percent, and reports none between equal times', () => {
  const noisy = (middle: number) =>
    Array.from({ length: COMPARED }, (_, at) => middle + (((at * 37) % 101) - 50) / 500);
  expect(compareTimes(noisy(1), noisy(1.02)).p).toBeLessThan(0.01);
  expect(compareTimes(noisy(1), noisy(1)).p).toBeGreaterThan(0.5);
});

const tryFrom = (address: string, username: string, password: string, cookie: Record<string, string> = {}) =>
  app.anonymous.fetch('/api/user/login', {
    method: 'POST',
    headers: { ...json, 'x-forwarded-for': address, ...cookie },
    body: JSON.stringify({ username, password }),
  });

test('guesses from two hundred addresses at once count as ten tries, and the owner signs in meanwhile', async () => {
  app.clock.advance(3_600);
  const victim = await app.createUser('user', { isHashedFully: true });
  // From then on the browser is a known device of the account.
  expect((await signIn(victim, victim.username, victim.password)).status).toBe(200);
  const statuses: number[] = [];
  const guess = async (from: number): Promise<void> => {
    const address = `198.51.${Math.floor(from / 100)}.${from % 100}`;
    for (let tries = 0; tries < 3; tries += 1)
      statuses.push((await tryFrom(address, victim.username, `guess ${from} ${tries}`)).status);
  };
  const guessing = Promise.all(Array.from({ length: 200 }, (_, from) => guess(from)));
  const meanwhile = await signInPatiently(victim);
  await guessing;
  expect(meanwhile).toBe(200);
  expect(statuses).toHaveLength(600);
  // Status 400 means that the password was checked.
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(10);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
  expect((await tryFrom('203.0.113.9', victim.username, victim.password)).status).toBe(429);
  const device = { cookie: victim.identity['cookie'] ?? '' };
  expect((await tryFrom('203.0.113.9', victim.username, victim.password, device)).status).toBe(200);
});

/** Retries after a moment while the server is busy, like a person. */
async function signInPatiently(victim: {
  username: string;
  password: string;
  identity: Readonly<Record<string, string>>;
}) {
  const device = { cookie: victim.identity['cookie'] ?? '' };
  for (let tries = 0; tries < 9; tries += 1) {
    const { status } = await tryFrom('203.0.113.8', victim.username, victim.password, device);
    if (status !== 429) return status;
    await sleep(systemTimers, 300);
  }
  return 429;
}

test('five wrong mail codes invalidate the code, also when sent concurrently', async () => {
  const visitor = browser();
  const email = 'new@example.org';
  const code = await askCode(visitor, email);
  expect(code).toMatch(/^\d{8}$/);
  const register = (verification_code: string) =>
    visitor.api(signUp).register({ body: { username: 'new', password: PASSWORD, email, verification_code } });
  const wrong = Array.from({ length: 5 }, (_, add) => String((Number(code) + add + 1) % 100_000_000).padStart(8, '0'));
  const guesses = await Promise.allSettled(wrong.map(register));
  expect(guesses.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  await expect(register(code)).rejects.toMatchObject({ code: 'wrong-code' });
});

test('a password reset link has 256 bits, is unique, and is valid once for one account', async () => {
  const tokens: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    app.clock.advance(31);
    tokens.push(await askResetToken('second@example.org'));
  }
  expect(new Set(tokens).size).toBe(4);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  const reset = (email: string, token: string) =>
    stranger.api(signUp).resetPassword({ body: { email, token, password: PASSWORD } });
  const [first = '', last = ''] = [tokens[0], tokens.at(-1)];
  const expiredLink = { code: 'link-expired' };
  await expect(reset(known.email, first)).rejects.toMatchObject(expiredLink);
  await expect(reset('second@example.org', randomBytes(32).toString('base64url'))).rejects.toMatchObject(expiredLink);
  await reset('second@example.org', last);
  for (const token of tokens) await expect(reset('second@example.org', token)).rejects.toMatchObject(expiredLink);
});
