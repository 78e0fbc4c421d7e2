/** Every sensitive route requires a recently confirmed identity. */

import { profile } from '@switchyard/contract/accounts/profile';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Route, Routes } from '@switchyard/contract/route';
import { describe, expect, test } from 'vitest';
import { addPasskey, addTotp, createAssertion } from '../../apps/server/src/testing/second-factors.ts';
import { useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';

const ORIGIN = 'https://gate.example';
const app = await useTestApp({ now: Date.UTC(2026, 0, 10), config: { publicUrl: ORIGIN } });
const root = await app.createUser('root');
const totp = await addTotp(root, () => app.clock.now());
const passkey = await addPasskey(root, ORIGIN);
const other = await app.createUser('admin');
const otherPasskey = await addPasskey(other, ORIGIN);
const otherTotp = await addTotp(other, () => app.clock.now());

const sensitive = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes)
    .filter(([, route]) => route.stepUp === true)
    .map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);

async function codeOf(who: Visitor, route: Route): Promise<string> {
  const response = await who.fetch(route.path.replace(/:\w+/g, '999999'), {
    method: route.method,
    ...(route.method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return text.startsWith('{') ? ((JSON.parse(text) as { code?: string }).code ?? '') : '';
}

test('the walk finds the sensitive routes', () => {
  expect(sensitive.length).toBeGreaterThan(12);
  console.log(`${sensitive.length} routes ask for a confirmation`);
});

/** Invalid confirmations, which leave the session unchanged. */
const useless: Record<string, () => Promise<unknown>> = {
  nothing: async () => {},
  'an empty proof': () => root.api(profile).stepUp({ body: {} }),
  'the password, where there is a second factor': () => root.api(profile).stepUp({ body: { password: root.password } }),
  'a wrong code': () => root.api(profile).stepUp({ body: { code: '000000' } }),
  'another user’s code': () => root.api(profile).stepUp({ body: { code: otherTotp.code() } }),
  'another user’s recovery code': () => root.api(profile).stepUp({ body: { code: otherTotp.recoveryCodes[0] ?? '' } }),
  'another user’s passkey': async () =>
    root.api(profile).stepUp({ body: { passkey: await createAssertion(root, otherPasskey, ORIGIN) } }),
  'a passkey’s answer for another browser': async () =>
    root.api(profile).stepUp({ body: { passkey: await createAssertion(other, passkey, ORIGIN) } }),
  'a code that was used': async () => {
    const code = totp.code();
    const before = await app.ctx.db.writer.selectFrom('session').select(['id_hash', 'stepped_up_until']).execute();
    await root.api(profile).stepUp({ body: { code } });
    for (const row of before)
      await app.ctx.db.writer
        .updateTable('session')
        .set({ stepped_up_until: row.stepped_up_until })
        .where('id_hash', '=', row.id_hash)
        .execute();
    await root.api(profile).stepUp({ body: { code } });
  },
};

for (const [what, offer] of Object.entries(useless)) {
  test(`after ${what} every sensitive route still requires a confirmation`, async () => {
    app.clock.advance(660);
    await offer().catch(() => {});
    for (const { name, route } of sensitive) expect(await codeOf(root, route), name).toBe('step-up-required');
  });
}

describe('a confirmation', () => {
  const proofs = {
    code: async () => ({ code: totp.code() }),
    passkey: async () => ({ passkey: await createAssertion(root, passkey, ORIGIN) }),
    'recovery code': async () => ({ code: totp.recoveryCodes[3] ?? '' }),
  };
  test.each(Object.entries(proofs))('by %s allows them for ten minutes, in this session only', async (_by, proof) => {
    app.clock.advance(660);
    const fresh = sensitive.find(({ name }) => name === 'staffRoles.create');
    if (fresh === undefined) throw new Error('no such route');
    await root.api(profile).stepUp({ body: await proof() });
    expect(await codeOf(root, fresh.route)).toBe('invalid-input');
    expect(await codeOf(other, fresh.route)).toBe('not-allowed');
    app.clock.advance(601);
    expect(await codeOf(root, fresh.route)).toBe('step-up-required');
  });
});

test('an access token is never confirmed', async () => {
  app.clock.advance(660);
  await root.api(profile).stepUp({ body: { code: totp.code() } });
  const answer = await root.fetch('/api/user/token');
  const { data } = (await answer.json()) as { data: string };
  const token = createVisitor(app.url, { authorization: `Bearer ${data}` });
  for (const { name, route } of sensitive) expect(await codeOf(token, route), name).toBe('not-allowed');
});
