/** Server with all four sign-in providers, which are simulated. */
import { type IdentityProvider, identities, type RedirectingProvider } from '@switchyard/contract/accounts/identities';
import { profile } from '@switchyard/contract/accounts/profile';
import { signIn } from '@switchyard/contract/accounts/sign-in';
import { sql } from 'kysely';
import { identityRoutes } from '../accounts/identities/routes.ts';
import { profileRoutes } from '../accounts/profile/routes.ts';
import { signInRoutes } from '../accounts/sign-in/routes.ts';
import { githubApp, type ScriptedGithub, startGithub } from './scripted-identity-providers/github.ts';
import { larkApp, type ScriptedLark, startLark } from './scripted-identity-providers/lark.ts';
import { oidcApp, type ScriptedIssuer, startIssuer } from './scripted-identity-providers/oidc.ts';
import { type ScriptedWechat, startWechat, wechatToken } from './scripted-identity-providers/wechat.ts';
import { setOptions } from './set-options.ts';
import { type FeatureApp, type Part, serveRoutes, startFeatureApp } from './start-feature-app.ts';
import { createBrowserVisitor } from './visitor.ts';

export const siteAddress = 'https://gate.example';

/** Parameters that a browser brings back from a provider. */
export interface AuthorizationReturn {
  code: string;
  state: string;
}

export function completeSignIn(
  browser: Browser,
  provider: string,
  { code, state }: AuthorizationReturn,
): Promise<SeenResponse> {
  return browser.get(`/api/oauth/${provider}?code=${code}&state=${state}`);
}

export interface SignInProvidersScene {
  app: FeatureApp;
  github: ScriptedGithub;
  oidc: ScriptedIssuer;
  lark: ScriptedLark;
  wechat: ScriptedWechat;
  browser(): Browser;
  /** Returns a browser after a sign-in with a password. */
  createSignedInBrowser(): Promise<{ browser: Browser; userId: number; username: string; password: string }>;
  /** Starts at a provider that redirects, and consents there as this subject. */
  startAtProvider(browser: Browser, provider: RedirectingProvider, subject: string): Promise<AuthorizationReturn>;
  /** Starts, consents as this subject and returns; responds with the error if it cannot start. */
  signInWith(browser: Browser, provider: IdentityProvider, subject: string, query?: string): Promise<SeenResponse>;
  /** Counts the rows that an attack could create. */
  countRows(): Promise<{ sessions: number; links: number; accounts: number }>;
  close(): Promise<void>;
}

/** @param parts further routes of the server */
export async function startSignInProvidersScene(parts: readonly Part[] = []): Promise<SignInProvidersScene> {
  const vendors = await Promise.all([startGithub(), startIssuer(), startLark(), startWechat()]);
  const [github, oidc, lark, wechat] = vendors;
  const app = await startFeatureApp(
    [
      serveRoutes(identities, identityRoutes),
      serveRoutes(profile, profileRoutes),
      serveRoutes(signIn, signInRoutes),
      ...parts,
    ],
    {
      config: { trustedProxies: ['127.0.0.1'] },
      originOverrides: {
        'https://github.com': github.url,
        'https://api.github.com': github.url,
        'https://open.feishu.cn': lark.url,
        'https://login.microsoftonline.com': oidc.url,
      },
    },
  );
  await setOptions(app.ctx, {
    ServerAddress: siteAddress,
    GitHubOAuthEnabled: 'true',
    GitHubClientId: githubApp.id,
    GitHubClientSecret: githubApp.secret,
    OIDCAuthEnabled: 'true',
    OIDCIssuer: oidc.url,
    OIDCClientId: oidcApp.id,
    OIDCClientSecret: oidcApp.secret,
    LarkAuthEnabled: 'true',
    LarkClientId: larkApp.id,
    LarkClientSecret: larkApp.secret,
    WeChatAuthEnabled: 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechatToken,
  });
  const browser = () => openBrowser(app.url);

  const consent = {
    github: (address: string, id: string) => github.consent(address, { id: Number(id), login: `gh-${id}` }),
    oidc: (address: string, sub: string) => oidc.consent(address, { sub, preferred_username: `oidc-${sub}` }),
    lark: (address: string, union_id: string) => lark.consent(address, { union_id, en_name: `lark-${union_id}` }),
  };

  const begin = (from: Browser, provider: RedirectingProvider): Promise<SeenResponse> =>
    from.get(`/api/oauth/endpoint?provider=${provider}`);

  return {
    app,
    github,
    oidc,
    lark,
    wechat,
    browser,
    async startAtProvider(from, provider, subject) {
      return consent[provider](String((await begin(from, provider)).data), subject);
    },
    async createSignedInBrowser() {
      const { id, username, password } = await app.createUser('user');
      const own = browser();
      await own.post('/api/user/login', { username, password });
      return { browser: own, userId: id, username, password };
    },
    async signInWith(from, provider, subject, query = '') {
      if (provider === 'wechat') {
        await from.post('/api/oauth/wechat/start');
        return from.get(`/api/oauth/wechat?code=${wechat.createCode(subject)}${query}`);
      }
      const begun = await begin(from, provider);
      if (!begun.success) return begun;
      const { code, state } = consent[provider](String(begun.data), subject);
      return from.get(`/api/oauth/${provider}?code=${code}&state=${state}${query}`);
    },
    async countRows() {
      const count = (table: 'session' | 'identity' | 'user') =>
        app.ctx.db.writer.selectFrom(table).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
      const [sessions, links, accounts] = await Promise.all([count('session'), count('identity'), count('user')]);
      return { sessions: sessions.n, links: links.n, accounts: accounts.n };
    },
    async close() {
      await app.close();
      await Promise.all(vendors.map((vendor) => vendor.close()));
    },
  };
}

export interface SeenResponse {
  status: number;
  success: boolean;
  message: string;
  code: string | undefined;
  data: unknown;
}

/** Browser with its own address. It returns the response envelopes; errors are responses, not exceptions. */
export interface Browser {
  get(path: string): Promise<SeenResponse>;
  post(path: string, body?: unknown): Promise<SeenResponse>;
  readonly cookies: ReadonlyMap<string, string>;
}

let opened = 0;

/**
 * Opens a browser. The server must trust `X-Forwarded-For` of this machine, so that each browser has separate limits.
 */
function openBrowser(url: string): Browser {
  opened += 1;
  const address = `10.${(opened >> 16) & 255}.${(opened >> 8) & 255}.${opened & 255}`;
  const own = createBrowserVisitor(url, { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': address });
  const see = async (path: string, init?: RequestInit): Promise<SeenResponse> => {
    const response = await own.fetch(path, init);
    const envelope = (await response.json()) as Omit<SeenResponse, 'status'>;
    return { ...envelope, status: response.status };
  };
  return {
    cookies: own.cookies,
    get: (path) => see(path),
    post: (path, body = {}) =>
      see(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}
