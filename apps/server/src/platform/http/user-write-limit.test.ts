import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { features } from '@switchyard/contract/all-feature-routes';
import type { Routes } from '@switchyard/contract/route';
import { expect, test } from 'vitest';
import { findCaller } from '../../testing/create-user.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type SignedInUser, useTestApp } from '../../testing/start-test-app.ts';
import { createWriteLimit } from './user-write-limit.ts';

const app = await useTestApp({ now: Date.UTC(2026, 10, 23) });

/** All routes by which users change their own data, or send a body. */
const ownWrites = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes)
    .filter(([, { method, access, sameOrigin }]) => access === 'user' && (method !== 'GET' || sameOrigin === true))
    .map(([name, { method, path }]) => ({ name: `${feature}.${name}`, method, path: path.replaceAll(/:\w+/g, '1') })),
);

const rename = (user: SignedInUser) => user.api(profile).update({ body: { display_name: 'Ann' } });

test('refuses the 121st write of a user within two minutes on every route, and none of others', async () => {
  const [user, other, admin] = [
    await app.createUser('user'),
    await app.createUser('user'),
    await app.createUser('admin'),
  ];
  for (let nth = 0; nth < 120; nth += 1) await rename(user);
  expect(ownWrites.length).toBeGreaterThan(30);
  for (const { name, method, path } of ownWrites) {
    const response = await user.fetch(path, {
      method,
      ...(method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }),
    });
    expect(response.status, name).toBe(429);
    const seconds = Number(response.headers.get('retry-after'));
    expect(seconds).toBeLessThanOrEqual(120);
    expect(await response.json()).toMatchObject({ code: 'too-many-requests', retry_after: seconds });
  }
  // A body beyond the rate is not parsed.
  const broken = await user.fetch('/api/quote', {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'application/json' },
  });
  expect(broken.status).toBe(429);
  await rename(other);
  for (let nth = 0; nth < 130; nth += 1) await rename(admin);
  await user.api(profile).get();
  // Signing out has no body.
  expect((await user.fetch('/api/user/logout')).status).toBe(200);
  app.clock.advance(121);
  await rename(other);
});

test('refuses the 5,001st write of a user’s sessions within a day, and none of an access token', async () => {
  const countWrite = createWriteLimit(app.ctx);
  const caller = await findCaller(app.ctx, await app.createUser('user'));
  for (let nth = 0; nth < 5_000; nth += 1) {
    if (nth % 120 === 0) app.clock.advance(121);
    await countWrite(profile.update, caller);
  }
  app.clock.advance(121);
  await expect(countWrite(profile.update, caller)).rejects.toThrow('Too many changes within a day');
  await countWrite(profile.update, { ...caller, accessTokenId: 1 });
  app.clock.advance(86_400);
  await countWrite(profile.update, caller);
});

test('keeps a user from having more tokens than the site allows, and no administrator', async () => {
  await setOptions(app.ctx, { TokensPerUser: '3' });
  const user = await app.createUser('user');
  const admin = await app.createUser('admin');
  const create = (owner: SignedInUser) => owner.api(apiKeys).create({ body: { name: 'n' } });
  const [first] = [await create(user), await create(user), await create(user)];
  await expect(create(user)).rejects.toThrow('limit of 3 tokens');
  await Promise.allSettled(Array.from({ length: 10 }, () => create(user)));
  expect((await user.api(apiKeys).list({})).total_count).toBe(3);
  await user.api(apiKeys).remove({ params: { id: first.id } });
  await create(user);
  for (let nth = 0; nth < 5; nth += 1) await create(admin);
});
