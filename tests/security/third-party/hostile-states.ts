/** Attacks on the state that binds a return to its browser, provider, session and intent. */
import type { RedirectingProvider } from '@switchyard/contract/accounts/identities';
import { issueSecret } from '../../../apps/server/src/accounts/one-time-secrets/one-time-secrets.ts';
import { completeSignIn } from '../../../apps/server/src/testing/identity-providers-scene.ts';
import { setOptions } from '../../../apps/server/src/testing/set-options.ts';
import { createSubject, deleteSessions, getAccountId, type HostileCase, updateUserRow } from './hostile-case.ts';

const redirecting = ['github', 'oidc', 'lark'] as const;

export function listHostileStates(provider: RedirectingProvider): HostileCase[] {
  return [
    ...listForgedStates(provider),
    ...listUsedStates(provider),
    ...redirecting.filter((other) => other !== provider).map((other) => createForeignStateCase(provider, other)),
    ...listMixedIntents(provider),
    ...listRefusedUsers(provider),
  ];
}

function listForgedStates(provider: RedirectingProvider): HostileCase[] {
  const forged = ['', 'x', '0'.repeat(43), 'undefined', '%00', '../state'];
  return [
    {
      name: 'no state at all',
      prepare: async (scene) => {
        const browser = scene.browser();
        const { code } = await scene.startAtProvider(browser, provider, createSubject());
        return () => browser.get(`/api/oauth/${provider}?code=${code}`);
      },
    },
    ...forged.map((state) => ({
      name: `the state ${JSON.stringify(state)}`,
      prepare: async (scene: Parameters<HostileCase['prepare']>[0]) => {
        const browser = scene.browser();
        const { code } = await scene.startAtProvider(browser, provider, createSubject());
        return () => completeSignIn(browser, provider, { code, state });
      },
    })),
    {
      name: 'a secret that was issued for something else',
      prepare: async (scene) => {
        const browser = scene.browser();
        const { code } = await scene.startAtProvider(browser, provider, createSubject());
        const device = browser.cookies.get('switchyard_device') ?? '';
        const deviceHash = scene.app.ctx.vault.fingerprint(device);
        const state = await issueSecret(scene.app.ctx, { purpose: 'passkey', deviceHash, seconds: 60 });
        return () => completeSignIn(browser, provider, { code, state });
      },
    },
  ];
}

function listUsedStates(provider: RedirectingProvider): HostileCase[] {
  return [
    {
      name: 'a state that is ten minutes old',
      prepare: async (scene) => {
        const browser = scene.browser();
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        scene.app.clock.advance(600);
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'a state that was used',
      prepare: async (scene) => {
        const browser = scene.browser();
        const subject = createSubject();
        const returned = await scene.startAtProvider(browser, provider, subject);
        await completeSignIn(browser, provider, returned);
        const { code } = await scene.startAtProvider(scene.browser(), provider, subject);
        return () => completeSignIn(browser, provider, { ...returned, code });
      },
    },
    {
      name: 'a code that was used',
      prepare: async (scene) => {
        const { code, state } = await scene.startAtProvider(scene.browser(), provider, createSubject());
        const browser = scene.browser();
        await completeSignIn(browser, provider, { code, state });
        const mine = await scene.startAtProvider(browser, provider, createSubject());
        await completeSignIn(browser, provider, mine);
        const again = scene.browser();
        const fresh = await scene.startAtProvider(again, provider, createSubject());
        return () => completeSignIn(again, provider, { ...fresh, code: mine.code });
      },
    },
    {
      name: 'a code that nobody was given',
      prepare: async (scene) => {
        const browser = scene.browser();
        const { state } = await scene.startAtProvider(browser, provider, createSubject());
        return () => completeSignIn(browser, provider, { code: 'made-up', state });
      },
    },
    {
      name: 'the state of another browser',
      prepare: async (scene) => {
        const returned = await scene.startAtProvider(scene.browser(), provider, createSubject());
        const victim = scene.browser();
        await victim.get('/api/oauth/state');
        return () => completeSignIn(victim, provider, returned);
      },
    },
    {
      name: 'the state of another browser, in one that is signed in',
      prepare: async (scene) => {
        const returned = await scene.startAtProvider(scene.browser(), provider, createSubject());
        const { browser } = await scene.createSignedInBrowser();
        return () => completeSignIn(browser, provider, returned);
      },
    },
  ];
}

function createForeignStateCase(provider: RedirectingProvider, other: RedirectingProvider): HostileCase {
  return {
    name: `a state that was issued for ${other}`,
    prepare: async (scene) => {
      const browser = scene.browser();
      const { code } = await scene.startAtProvider(browser, provider, createSubject());
      const { state } = await scene.startAtProvider(browser, other, createSubject());
      return () => completeSignIn(browser, provider, { code, state });
    },
  };
}

function listMixedIntents(provider: RedirectingProvider): HostileCase[] {
  return [
    {
      name: 'a state for signing in, in a browser that has signed in since',
      prepare: async (scene) => {
        const { browser, username, password } = await scene.createSignedInBrowser();
        await browser.get('/api/user/logout');
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        await browser.post('/api/user/login', { username, password });
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'a state for binding, after signing out',
      prepare: async (scene) => {
        const { browser } = await scene.createSignedInBrowser();
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        await browser.get('/api/user/logout');
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'a state for binding, in a newer session of the same user',
      prepare: async (scene) => {
        const { browser, username, password } = await scene.createSignedInBrowser();
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        await browser.post('/api/user/login', { username, password });
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'a state for binding, in the session of another user',
      prepare: async (scene) => {
        const { browser } = await scene.createSignedInBrowser();
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        const { username, password } = await scene.createSignedInBrowser();
        await browser.post('/api/user/login', { username, password });
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'a state for binding, by another user in another browser',
      prepare: async (scene) => {
        const attacker = await scene.createSignedInBrowser();
        const returned = await scene.startAtProvider(attacker.browser, provider, createSubject());
        const victim = await scene.createSignedInBrowser();
        return () => completeSignIn(victim.browser, provider, returned);
      },
    },
    {
      name: 'binding in a session that has been ended',
      prepare: async (scene) => {
        const { browser, userId } = await scene.createSignedInBrowser();
        const returned = await scene.startAtProvider(browser, provider, createSubject());
        await deleteSessions(scene, userId);
        return () => completeSignIn(browser, provider, returned);
      },
    },
    {
      name: 'binding in a session whose user was not confirmed of late',
      prepare: async (scene) => {
        const { browser } = await scene.createSignedInBrowser();
        scene.app.clock.advance(601);
        return () => browser.get(`/api/oauth/endpoint?provider=${provider}`);
      },
    },
    {
      name: 'binding what another account has',
      prepare: async (scene) => {
        const subject = createSubject();
        await scene.signInWith(scene.browser(), provider, subject);
        const { browser } = await scene.createSignedInBrowser();
        return () => scene.signInWith(browser, provider, subject);
      },
    },
  ];
}

function listRefusedUsers(provider: RedirectingProvider): HostileCase[] {
  const gone = (name: string, change: Parameters<typeof updateUserRow>[2]): HostileCase => ({
    name,
    prepare: async (scene) => {
      const subject = createSubject();
      await updateUserRow(scene, getAccountId(await scene.signInWith(scene.browser(), provider, subject)), change);
      return () => scene.signInWith(scene.browser(), provider, subject);
    },
  });
  const closed = (name: string, options: Record<string, string>): HostileCase => ({
    name,
    prepare: async (scene) => {
      await setOptions(scene.app.ctx, options);
      return () => scene.signInWith(scene.browser(), provider, createSubject());
    },
  });
  return [
    gone('a disabled account', { status: 'disabled' }),
    gone('a deleted account', { deleted_time: 1 }),
    closed('a stranger while registration is closed', { RegisterEnabled: 'false' }),
    closed('a stranger without an invitation', { RegisterInviteOnlyEnabled: 'true' }),
    {
      name: 'removing the last way in',
      prepare: async (scene) => {
        const browser = scene.browser();
        await scene.signInWith(browser, provider, createSubject());
        return () => browser.post('/api/user/unbind', { type: provider });
      },
    },
  ];
}
