/** Responses of a broken, a renamed or a hostile provider. */
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { SignInProvidersScene } from '../../../apps/server/src/testing/identity-providers-scene.ts';
import type { Reply, TestVendor } from '../../../apps/server/src/testing/simulated-vendor.ts';
import { createSubject, type HostileCase } from './hostile-case.ts';

/** Routes that a sign-in calls. */
const routes: Readonly<Record<IdentityProvider, readonly string[]>> = {
  github: ['POST /login/oauth/access_token', 'GET /user', 'GET /user/emails'],
  oidc: ['GET /.well-known/openid-configuration', 'GET /jwks', 'POST /token'],
  lark: [
    'POST /open-apis/auth/v3/app_access_token/internal',
    'POST /open-apis/authen/v1/oidc/access_token',
    'GET /open-apis/authen/v1/user_info',
  ],
  wechat: ['GET /api/wechat/user'],
};

const redirectTo = (location: string): Reply => ({ status: 302, headers: { location }, text: '' });

/** Values that no valid response of any route resembles. */
const replies: readonly (readonly [string, Reply])[] = [
  ['a page instead of JSON', { text: '<html><body>Please sign in</body></html>' }],
  ['status 500', { status: 500, json: { message: 'failed' } }],
  ['status 403', { status: 403, json: { error: 'access_denied' } }],
  ['status 201 with an error', { status: 201, json: { error: 'access_denied' } }],
  ['nothing', { text: '' }],
  ['null', { json: null }],
  ['half an object', { text: '{"id": 1, "access_token": "x"' }],
  ['an object that says nothing', { json: { ok: true } }],
  ['an error with status 200', { json: { error: 'server_error', error_description: 'no' } }],
  ['two megabytes', { json: { id: 1, filler: 'x'.repeat(2 * 1024 * 1024) } }],
  ['a redirect to inside', redirectTo('http://169.254.169.254/latest/meta-data/')],
  ['a redirect to a file', redirectTo('file:///etc/passwd')],
];

const getVendor = (scene: SignInProvidersScene, provider: IdentityProvider): TestVendor => scene[provider];

export function listHostileAnswers(provider: IdentityProvider): HostileCase[] {
  return routes[provider].flatMap((route) =>
    replies.map(([what, reply]) => ({
      name: `${route} answers ${what}`,
      prepare: async (scene) => {
        getVendor(scene, provider).overrideReply(route, () => reply);
        return () => scene.signInWith(scene.browser(), provider, createSubject());
      },
    })),
  );
}

/** Address of a provider that never responds. */
export const getSilentRoute = (provider: IdentityProvider): string => routes[provider].at(-1) ?? '';

const noSubjects: readonly unknown[] = [undefined, null, '', ' \n', 0, -1, 1.5, true, {}, [], ['7'], 'x'.repeat(300)];

type PlainProvider = Exclude<IdentityProvider, 'oidc'>;

/** Identity as the provider reports it without a signature. */
const bodies: Readonly<Record<PlainProvider, (subject: unknown) => readonly [route: string, json: unknown]>> = {
  github: (id) => ['GET /user', { id, login: 'nobody' }],
  lark: (union_id) => [
    'GET /open-apis/authen/v1/user_info',
    { code: 0, msg: 'success', data: { union_id, name: 'nobody' } },
  ],
  wechat: (data) => ['GET /api/wechat/user', { success: true, message: '', data }],
};

export function listHostileSubjects(provider: PlainProvider): HostileCase[] {
  const wrong = provider === 'github' ? ['7', Number.MAX_VALUE, 'null'] : [7, Number.MAX_SAFE_INTEGER];
  return [...noSubjects, ...wrong].map((subject) => ({
    name: `the subject ${(JSON.stringify(subject) ?? 'undefined').slice(0, 20)}`,
    prepare: async (scene) => {
      const [route, json] = bodies[provider](subject);
      getVendor(scene, provider).overrideReply(route, () => ({ json }));
      return () => scene.signInWith(scene.browser(), provider, createSubject());
    },
  }));
}
