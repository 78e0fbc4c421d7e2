import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { currentUserQuery } from '../features/accounts/session/queries.ts';
import { script, succeed } from '../testing/mock-api-server.ts';
import { show } from '../testing/render.tsx';
import { wireSelfOf, wireSite } from '../testing/wire-samples.ts';
import { guarded } from './router.tsx';

const Secret = () => 'all channels';
const Screen = guarded({
  path: 'channel',
  title: 'channels',
  group: 'setting',
  access: 'channels.read',
  component: Secret,
});

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it.each([
  ['user', [], 'You do not have access to this page'],
  ['staff', ['users.read'], 'You do not have access to this page'],
  ['staff', ['channels.read'], 'all channels'],
  ['admin', [], 'all channels'],
  ['root', [], 'all channels'],
] as const)('shows the right screen to %s with the permissions %j: %s', async (role, given, text) => {
  script('get', '/api/user/self', () => succeed(wireSelfOf(role, given)));
  const { queryClient } = show(<Screen />, '/panel/channel');
  await queryClient.ensureQueryData(currentUserQuery);
  expect(await screen.findByText(text)).toBeTruthy();
});
