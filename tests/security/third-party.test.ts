/** P12: a third party's sign-in never gives access to another account: no case opens a session, link or account. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type SignInProvidersScene,
  startSignInProvidersScene,
} from '../../apps/server/src/testing/identity-providers-scene.ts';
import { sampleOf } from '../tier.ts';
import { getSilentRoute, listHostileAnswers, listHostileSubjects } from './third-party/hostile-answers.ts';
import {
  createSubject,
  deleteSessions,
  type HostileCase,
  resetScene,
  updateUserRow,
} from './third-party/hostile-case.ts';
import { listHostileCodes } from './third-party/hostile-codes.ts';
import { listHostileStates } from './third-party/hostile-states.ts';
import { createSwappedCodeCase, listHostileTokens } from './third-party/hostile-tokens.ts';

/** Cases of each provider in a short run. */
const CASES = 10;

let scene: SignInProvidersScene;
beforeAll(async () => {
  scene = await startSignInProvidersScene();
  await linkNonsense();
});
afterAll(() => scene.close());
beforeEach(() => resetScene(scene));

const providers = ['github', 'oidc', 'lark', 'wechat'] as const;
const casesOf: Readonly<Record<(typeof providers)[number], HostileCase[]>> = {
  github: [
    ...listHostileStates('github'),
    ...listHostileAnswers('github'),
    ...listHostileSubjects('github'),
    createSwappedCodeCase('github'),
  ],
  oidc: [
    ...listHostileStates('oidc'),
    ...listHostileAnswers('oidc'),
    ...listHostileTokens(),
    createSwappedCodeCase('oidc'),
  ],
  lark: [...listHostileStates('lark'), ...listHostileAnswers('lark'), ...listHostileSubjects('lark')],
  wechat: [...listHostileCodes(), ...listHostileAnswers('wechat'), ...listHostileSubjects('wechat')],
};

/** Accounts whose links have the texts into which careless code converts an absent subject. */
async function linkNonsense(): Promise<void> {
  const issuers = {
    github: 'https://github.com',
    oidc: scene.oidc.url,
    lark: 'https://open.feishu.cn/cli_lark',
    wechat: scene.wechat.url,
  };
  for (const text of ['', 'undefined', 'null', '0', 'NaN', '[object Object]', 'true', '7']) {
    const { id } = await scene.app.createUser('user');
    await deleteSessions(scene, id);
    for (const provider of providers) {
      const subjects = provider === 'lark' ? [text, `union:${text}`, `open:${text}`] : [text];
      for (const [n, subject] of subjects.entries()) {
        const owner = n === 0 ? id : (await scene.app.createUser('user')).id;
        await scene.app.ctx.db.writer
          .insertInto('identity')
          .values({ provider, issuer: issuers[provider], subject, user_id: owner, label: '', created_time: 1 })
          .execute();
      }
    }
  }
}

describe.each(providers)('%s', (provider) => {
  test('has at least 25 different cases', () => {
    const names = casesOf[provider].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(25);
  });

  test('accepts a regular sign-in', async () => {
    expect(await scene.signInWith(scene.browser(), provider, createSubject())).toMatchObject({ success: true });
  });

  test.each(sampleOf(casesOf[provider], CASES))('refuses $name', async ({ prepare }) => {
    const attack = await prepare(scene);
    const before = await scene.countRows();
    const seen = await attack();
    expect(seen.success).toBe(false);
    expect(['internal', 'too-many-requests']).not.toContain(seen.code);
    expect(await scene.countRows()).toEqual(before);
  });
});

test('aborts a provider that never responds, without a trace', async () => {
  for (const provider of providers) scene[provider].overrideReply(getSilentRoute(provider), () => 'silence');
  const before = await scene.countRows();
  const seen = await Promise.all(
    providers.map((provider) => scene.signInWith(scene.browser(), provider, createSubject())),
  );
  expect(seen.map(({ code }) => code)).toEqual(providers.map(() => 'upstream-failed'));
  expect(await scene.countRows()).toEqual(before);
});

describe('a user who resembles an existing account', () => {
  const emails = (email: string, verified: boolean) => [{ email, primary: true, verified }];

  test.each([
    ['the same mail address', true, 'bind-first'],
    ['the same mail address, which is not proven', false, undefined],
  ])('gets no access to it by %s', async (_what, verified, code) => {
    const { userId } = await scene.createSignedInBrowser();
    const email = `same-${createSubject()}@example.org`;
    await updateUserRow(scene, userId, { email, email_verified_time: 1 });
    await deleteSessions(scene, userId);
    const browser = scene.browser();
    const { data } = await browser.get('/api/oauth/endpoint?provider=github');
    const user = { id: Number(createSubject()), login: `mail-${userId}`, emails: emails(email, verified) };
    const { code: granted, state } = scene.github.consent(String(data), user);
    expect((await browser.get(`/api/oauth/github?code=${granted}&state=${state}`)).code).toBe(code);
    await expectUntouched(userId);
  });

  test.each(providers)('gets no access to it by the same name at %s', async (provider) => {
    const subject = createSubject();
    const names = { github: `gh-${subject}`, oidc: `oidc-${subject}`, lark: `lark-${subject}`, wechat: subject };
    const { id } = await scene.app.createUser('admin', { username: names[provider] });
    await deleteSessions(scene, id);
    await scene.signInWith(scene.browser(), provider, subject);
    await expectUntouched(id);
  });

  async function expectUntouched(userId: number): Promise<void> {
    for (const table of ['session', 'identity'] as const)
      expect(
        await scene.app.ctx.db.writer.selectFrom(table).selectAll().where('user_id', '=', userId).execute(),
      ).toEqual([]);
  }
});
