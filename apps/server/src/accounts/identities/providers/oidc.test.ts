import { createServer, type Server } from 'node:http';
import Issuer from 'oidc-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../../../../../tests/listen.ts';
import {
  type SignInProvidersScene,
  siteAddress,
  startSignInProvidersScene,
} from '../../../testing/identity-providers-scene.ts';
import { oidcApp } from '../../../testing/scripted-identity-providers/oidc.ts';
import { setOptions } from '../../../testing/set-options.ts';

let scene: SignInProvidersScene;
const servers: Server[] = [];
beforeAll(async () => {
  scene = await startSignInProvidersScene();
});
afterAll(async () => {
  await scene.close();
  for (const server of servers) server.close();
});

const authorizationAddress = async (browser = scene.browser()): Promise<URL> => {
  const { data } = await browser.get('/api/oauth/endpoint');
  return new URL(String(data));
};

test('the authorization address asks for the configured scopes, with PKCE, a nonce and our own address', async () => {
  await setOptions(scene.app.ctx, { OIDCScopes: 'email profile, groups' });
  const address = await authorizationAddress();
  expect(address.href.startsWith(`${scene.oidc.url}/authorize?`)).toBe(true);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: oidcApp.id,
    response_type: 'code',
    redirect_uri: `${siteAddress}/oauth/oidc`,
    scope: 'openid email profile groups',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

test('asks an issuer for its addresses once an hour', async () => {
  const discovery = 'GET /.well-known/openid-configuration';
  const times = () => scene.oidc.asked.filter((route) => route === discovery).length;
  await authorizationAddress();
  const before = times();
  scene.app.clock.advance(3_590);
  await authorizationAddress();
  expect(times()).toBe(before);
  scene.app.clock.advance(11);
  await authorizationAddress();
  expect(times()).toBe(before + 1);
});

test('asks the user info endpoint only for a name that the token lacks', async () => {
  const comeIn = async (claims: Record<string, unknown>) => {
    const browser = scene.browser();
    const { code, state } = scene.oidc.consent((await authorizationAddress(browser)).href, claims);
    return browser.get(`/api/oauth/oidc?code=${code}&state=${state}&iss=${encodeURIComponent(scene.oidc.url)}`);
  };
  const requestCount = () => scene.oidc.asked.filter((route) => route === 'GET /userinfo').length;
  const before = requestCount();
  await setOptions(scene.app.ctx, { OIDCUsernameClaims: 'nick preferred_username' });
  expect(await comeIn({ sub: 'named', preferred_username: 'from-token' })).toMatchObject({
    data: { username: 'from-token' },
  });
  expect(requestCount()).toBe(before);
  scene.oidc.userInfo = {
    sub: 'unnamed',
    nick: 'from-info',
    name: 'Info',
    email: 'info@example.org',
    email_verified: true,
  };
  expect(await comeIn({ sub: 'unnamed' })).toMatchObject({
    data: { username: 'from-info', display_name: 'Info', email: 'info@example.org' },
  });
  expect(requestCount()).toBe(before + 1);
});

test('posts the client secret to an issuer that reads it there only', async () => {
  scene.oidc.metadata = { ...scene.oidc.metadata, token_endpoint_auth_methods_supported: ['client_secret_post'] };
  scene.app.clock.advance(3_601);
  expect(await scene.signInWith(scene.browser(), 'oidc', 'posted')).toMatchObject({ success: true });
});

test('rejects an issuer that is shared by all tenants, since any tenant could sign its tokens', async () => {
  const tenants = 'https://login.microsoftonline.com';
  const json: Record<string, unknown> = { ...scene.oidc.metadata, issuer: `${tenants}/{tenantid}/v2.0` };
  scene.oidc.overrideReply('GET /common/v2.0/.well-known/openid-configuration', () => ({ json }));
  await setOptions(scene.app.ctx, { OIDCIssuer: `${tenants}/common/v2.0` });
  expect(await scene.browser().get('/api/oauth/endpoint')).toMatchObject({ code: 'upstream-failed' });
  json['issuer'] = `${tenants}/common/v2.0`;
  json['authorization_endpoint'] = `${tenants}/authorize`;
  expect(await scene.browser().get('/api/oauth/endpoint')).toMatchObject({ success: true });
  await setOptions(scene.app.ctx, { OIDCIssuer: scene.oidc.url });
});

/** Follows the pages of an issuer like a browser, and fills in their forms. @returns the final redirect */
async function walk(address: string, answers: Readonly<Record<string, string>>): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: URL; body?: URLSearchParams } = { url: new URL(address) };
  const { origin } = next.url;
  for (let step = 0; step < 15; step += 1) {
    if (next.url.origin !== origin) return next.url;
    const response = await fetch(next.url, {
      method: next.body === undefined ? 'GET' : 'POST',
      body: next.body ?? null,
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';', 1)[0]?.split('=', 2) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    next =
      location === null ? filledIn(await response.text(), next.url, answers) : { url: new URL(location, next.url) };
  }
  throw new Error('The issuer does not come to an end');
}

function filledIn(page: string, url: URL, answers: Readonly<Record<string, string>>) {
  const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? '';
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return { url: new URL(action, url), body: new URLSearchParams({ ...answers, prompt }) };
}

test('a whole sign-in by an issuer that others have written', async () => {
  const server = createServer();
  servers.push(server);
  const address = `http://127.0.0.1:${await listen(server)}`;
  const issuer = new Issuer(address, {
    clients: [{ client_id: 'gate', client_secret: 'gate-secret', redirect_uris: [`${siteAddress}/oauth/oidc`] }],
    claims: { profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    cookies: { keys: ['test'] },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: 'Ann of the Issuer',
        preferred_username: `${sub}-there`,
        email: 'ann@issuer.example',
        email_verified: true,
      }),
    }),
  });
  const serve = issuer.callback();
  server.on('request', (request, response) => void serve(request, response));
  await setOptions(scene.app.ctx, {
    OIDCIssuer: address,
    OIDCClientId: 'gate',
    OIDCClientSecret: 'gate-secret',
    OIDCScopes: 'openid,email,profile',
    OIDCUsernameClaims: 'preferred_username',
  });
  const browser = scene.browser();
  const back = await walk((await authorizationAddress(browser)).href, { login: 'ann', password: 'any' });
  expect(back.origin + back.pathname).toBe(`${siteAddress}/oauth/oidc`);
  expect(back.searchParams.get('iss')).toBe(address);
  expect(await browser.get(`/api/oauth/oidc${back.search}`)).toMatchObject({
    success: true,
    data: { username: 'ann-there', display_name: 'Ann of the Issuer', email: 'ann@issuer.example' },
  });
  expect(await browser.get(`/api/oauth/oidc${back.search}`)).toMatchObject({ code: 'link-expired' });
});
