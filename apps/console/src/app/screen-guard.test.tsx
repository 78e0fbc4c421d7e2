import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { selfQuery } from '../features/session/queries.ts';
import { show } from '../testing/render.tsx';
import { wireSelf, wireSite } from '../testing/samples.ts';
import { script, succeed } from '../testing/server.ts';
import { guarded } from './screen-guard.tsx';

const Secret = () => 'all channels';
const Screen = guarded({
  path: 'channel',
  title: 'channels',
  group: 'setting',
  access: 'admin',
  component: Secret,
});

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it.each([
  [1, 'This page is not for your role'],
  [3, 'This page is not for your role'],
  [10, 'all channels'],
  [100, 'all channels'],
])('shows an administrators’ screen to role %i as it should: %s', async (role, text) => {
  script('get', '/api/user/self', () => succeed({ ...wireSelf, role }));
  const { queryClient } = show(<Screen />, '/panel/channel');
  await queryClient.ensureQueryData(selfQuery);
  expect(await screen.findByText(text)).toBeTruthy();
});
