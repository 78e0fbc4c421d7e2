import { signUp } from '@switchyard/contract/accounts/sign-up';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useSignUpScene } from '../../testing/sign-up-scene.ts';
import { startTurnstileServer } from '../../testing/turnstile-server.ts';

const SECRET = '0x-turnstile-secret';
const turnstile = await startTurnstileServer(SECRET);
afterAll(() => turnstile.close());
const {
  app,
  setSettings: set,
  openBrowser: browser,
} = await useSignUpScene({ config: { turnstileUrl: turnstile.url } });
await app.createUser('root');
const HOST = 'gate.example';
const PASSWORD = 'a rather good one';

beforeEach(async () => {
  turnstile.setBehaviour('as-documented');
  await set({
    TurnstileSiteKey: '0x-site',
    TurnstileSecretKey: SECRET,
    TurnstileCheckEnabled: 'true',
    EmailVerificationEnabled: 'false',
  });
});

let names = 0;
function register(token?: string): Promise<unknown> {
  names += 1;
  const body = { username: `name-${names}`, password: PASSWORD };
  return browser()
    .api(signUp)
    .register({ query: { turnstile: token }, body });
}

test('who passed the check registers; the service is asked as it wants to be', async () => {
  await register(turnstile.issueToken({ hostname: HOST, action: 'register' }));
  const form = turnstile.asked.at(-1);
  expect(Object.fromEntries(form ?? [])).toEqual({
    secret: SECRET,
    response: 'token-0',
    remoteip: '127.0.0.1',
    idempotency_key: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  await register(turnstile.issueToken({ hostname: HOST }));
});

test('every call that makes something or sends mail needs a token; signing in and the link’s page do not', async () => {
  const api = browser().api(signUp);
  const email = 'ann@example.org';
  const notHuman = { code: 'not-human' };
  await expect(register()).rejects.toMatchObject(notHuman);
  await expect(api.sendCode({ query: { email } })).rejects.toMatchObject(notHuman);
  await expect(api.sendResetLink({ query: { email } })).rejects.toMatchObject(notHuman);
  await api.sendCode({ query: { email, turnstile: turnstile.issueToken({ hostname: HOST, action: 'register' }) } });
  await api.sendResetLink({ query: { email, turnstile: turnstile.issueToken({ hostname: HOST, action: 'reset' }) } });
  await expect(api.resetPassword({ body: { email, token: 'x', password: PASSWORD } })).rejects.toMatchObject({
    code: 'link-expired',
  });
});

test('a signed-in user needs no CAPTCHA token to verify another address', async () => {
  const user = await app.createUser('user');
  expect(await user.api(signUp).sendCode({ query: { email: 'another@example.org' } })).toBeNull();
});

test('a token counts once, also when it is sent twice at the same time', async () => {
  const token = turnstile.issueToken({ hostname: HOST });
  const answers = await Promise.allSettled([register(token), register(token), register(token)]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const before = turnstile.asked.length;
  await expect(register(token)).rejects.toMatchObject({ code: 'not-human' });
  expect(turnstile.asked).toHaveLength(before);
});

test('tokens of another site, for another purpose, or made up are refused', async () => {
  const notHuman = { code: 'not-human' };
  await expect(register(turnstile.issueToken({ hostname: 'evil.example' }))).rejects.toMatchObject(notHuman);
  await expect(register(turnstile.issueToken({ hostname: HOST, action: 'reset' }))).rejects.toMatchObject(notHuman);
  await expect(register('made-up')).rejects.toMatchObject(notHuman);
});

test.each(['fails', 'garbage', 'internal-error'] as const)(
  'while the service %s nobody registers, and the token can be tried again',
  async (behaviour) => {
    const token = turnstile.issueToken({ hostname: HOST });
    turnstile.setBehaviour(behaviour);
    await expect(register(token)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The CAPTCHA cannot be verified at the moment. Try again in a minute.',
    });
    turnstile.setBehaviour('as-documented');
    await register(token);
  },
);

test('a silent service ends the wait after five seconds', async () => {
  turnstile.setBehaviour('silent');
  const deadline = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(deadline.signal);
  onTestFinished(() => timeout.mockRestore());
  const before = turnstile.asked.length;
  const waiting = expect(register(turnstile.issueToken({ hostname: HOST }))).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect.poll(() => turnstile.asked.length, { interval: 5 }).toBe(before + 1);
  expect(timeout).toHaveBeenCalledExactlyOnceWith(5_000);
  deadline.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  await waiting;
});

test('rejects registrations while the operator’s CAPTCHA secret is wrong', async () => {
  await set({ TurnstileSecretKey: '0x-another' });
  await expect(register(turnstile.issueToken({ hostname: HOST }))).rejects.toMatchObject({ code: 'unavailable' });
});

test('switched off, nothing is asked', async () => {
  await set({ TurnstileCheckEnabled: 'false' });
  const before = turnstile.asked.length;
  await register();
  expect(turnstile.asked).toHaveLength(before);
});
