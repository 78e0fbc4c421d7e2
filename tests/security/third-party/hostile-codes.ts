/** WeChat has no redirect and no state: its code is valid only in the browser that opened the dialog. */

import type { Browser, SignInProvidersScene } from '../../../apps/server/src/testing/identity-providers-scene.ts';
import { setOptions } from '../../../apps/server/src/testing/set-options.ts';
import { createSubject, deleteSessions, getAccountId, type HostileCase, updateUserRow } from './hostile-case.ts';

const start = (browser: Browser) => browser.post('/api/oauth/wechat/start');
const signIn = (scene: SignInProvidersScene, browser: Browser, subject = createSubject()) =>
  browser.get(`/api/oauth/wechat?code=${scene.wechat.createCode(subject)}`);
const bind = (scene: SignInProvidersScene, browser: Browser, subject = createSubject()) =>
  browser.get(`/api/oauth/wechat/bind?code=${scene.wechat.createCode(subject)}`);

const attacks: Readonly<Record<string, HostileCase['prepare']>> = {
  'a browser that never asked': async (scene) => {
    const browser = scene.browser();
    return () => signIn(scene, browser);
  },
  'a browser that asked for something else': async (scene) => {
    const browser = scene.browser();
    await browser.get('/api/oauth/state');
    return () => signIn(scene, browser);
  },
  'another browser than the one that asked': async (scene) => {
    await start(scene.browser());
    const victim = scene.browser();
    await victim.get('/api/oauth/state');
    return () => signIn(scene, victim);
  },
  'three minutes after asking': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    scene.app.clock.advance(180);
    return () => signIn(scene, browser);
  },
  'a second time after asking once': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    await signIn(scene, browser);
    await browser.get('/api/user/logout');
    return () => signIn(scene, browser);
  },
  'a code that was used': async (scene) => {
    const code = scene.wechat.createCode(createSubject());
    const first = scene.browser();
    await start(first);
    await first.get(`/api/oauth/wechat?code=${code}`);
    const second = scene.browser();
    await start(second);
    return () => second.get(`/api/oauth/wechat?code=${code}`);
  },
  'a code that nobody was given': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    return () => browser.get('/api/oauth/wechat?code=made-up');
  },
  'an empty code': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    return () => browser.get('/api/oauth/wechat?code=%20');
  },
  'a code that would ask for something else': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    const code = scene.wechat.createCode(createSubject());
    return () => browser.get(`/api/oauth/wechat?code=${encodeURIComponent(`x&code=${code}`)}`);
  },
  'the right code after five wrong ones': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    for (let i = 0; i < 5; i += 1) await browser.get('/api/oauth/wechat?code=wrong');
    return () => signIn(scene, browser);
  },
  'the second of two codes at once': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    await Promise.all([signIn(scene, browser), browser.get('/api/oauth/wechat?code=wrong')]);
    await browser.get('/api/user/logout');
    return () => signIn(scene, browser);
  },
  'asking to sign in, then binding': async (scene) => {
    const { browser, username, password } = await scene.createSignedInBrowser();
    await browser.get('/api/user/logout');
    await start(browser);
    await browser.post('/api/user/login', { username, password });
    return () => bind(scene, browser);
  },
  'asking to bind, then signing in': async (scene) => {
    const { browser } = await scene.createSignedInBrowser();
    await start(browser);
    return () => signIn(scene, browser);
  },
  'asking to bind, then signing in after signing out': async (scene) => {
    const { browser } = await scene.createSignedInBrowser();
    await start(browser);
    await browser.get('/api/user/logout');
    return () => signIn(scene, browser);
  },
  'binding while signed out': async (scene) => {
    const browser = scene.browser();
    await start(browser);
    return () => bind(scene, browser);
  },
  'binding without asking': async (scene) => {
    const { browser } = await scene.createSignedInBrowser();
    return () => bind(scene, browser);
  },
  'binding in a newer session': async (scene) => {
    const { browser, username, password } = await scene.createSignedInBrowser();
    await start(browser);
    await browser.post('/api/user/login', { username, password });
    return () => bind(scene, browser);
  },
  'binding in the session of another user': async (scene) => {
    const { browser } = await scene.createSignedInBrowser();
    await start(browser);
    const { username, password } = await scene.createSignedInBrowser();
    await browser.post('/api/user/login', { username, password });
    return () => bind(scene, browser);
  },
  'binding in a session that has been ended': async (scene) => {
    const { browser, userId } = await scene.createSignedInBrowser();
    await start(browser);
    await deleteSessions(scene, userId);
    return () => bind(scene, browser);
  },
  'binding in a session whose user was not confirmed of late': async (scene) => {
    const { browser } = await scene.createSignedInBrowser();
    scene.app.clock.advance(601);
    return () => start(browser);
  },
  'binding what another account has': async (scene) => {
    const subject = createSubject();
    await scene.signInWith(scene.browser(), 'wechat', subject);
    const { browser } = await scene.createSignedInBrowser();
    await start(browser);
    return () => bind(scene, browser, subject);
  },
  'a disabled account': async (scene) => {
    const subject = createSubject();
    const userId = getAccountId(await scene.signInWith(scene.browser(), 'wechat', subject));
    await updateUserRow(scene, userId, { status: 'disabled' });
    return () => scene.signInWith(scene.browser(), 'wechat', subject);
  },
  'a stranger while registration is closed': async (scene) => {
    await setOptions(scene.app.ctx, { RegisterEnabled: 'false' });
    return () => scene.signInWith(scene.browser(), 'wechat', createSubject());
  },
  'removing the last way in': async (scene) => {
    const browser = scene.browser();
    await scene.signInWith(browser, 'wechat', createSubject());
    return () => browser.post('/api/user/unbind', { type: 'wechat' });
  },
};

export function listHostileCodes(): HostileCase[] {
  return Object.entries(attacks).map(([name, prepare]) => ({ name, prepare }));
}
