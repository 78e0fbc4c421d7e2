import type { Role } from '@switchyard/contract/wire-enums';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { showApp } from '../../../testing/render.tsx';
import { wireNoFactor, wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wireTask } from './tasks.samples.ts';

function show(role: Role, path: string) {
  script('get', '/api/user/self', () => succeed(wireSelfOf(role)));
  return showApp(path);
}

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user_group/', () => succeed(wirePage([])));
});

it('shows staff all users’ tasks with their progress', async () => {
  const lists = script('get', '/api/task/', () =>
    succeed(wirePage([wireTask('video_a'), wireTask('video_b', { status: 'queued', progress: 0 })])),
  );
  show('admin', '/panel/task?platform=videos&status=running&channel_id=5');
  expect(await screen.findAllByRole('link', { name: /films/ })).toHaveLength(2);
  expect(screen.getByText('40%')).toBeTruthy();
  expect(screen.getByText('Queued')).toBeTruthy();
  expect(Object.fromEntries(lists[0]?.url.searchParams ?? [])).toMatchObject({
    platform: 'videos',
    status: 'running',
    channel_id: '5',
  });
});

it('shows users their own tasks without user and channel', async () => {
  script('get', '/api/task/self', () => succeed(wirePage([wireTask('video_a', { channel: null, upstream_id: '' })])));
  show('user', '/panel/task');
  await screen.findByText('a cat walks');
  expect(screen.queryByRole('columnheader', { name: 'Channel' })).toBeNull();
  expect(screen.queryByRole('columnheader', { name: 'User' })).toBeNull();
});

it('shows a video in a player with its cost and a link to its receipt', async () => {
  const works = [
    { kind: 'video' as const, path: '/api/task/video_a/work/0', expired: false, text: '', title: '', seconds: 8 },
  ];
  const done = wireTask('video_a', {
    status: 'succeeded',
    progress: 100,
    quota: 400_000,
    ended_at: 1_700_000_065,
    works,
  });
  const asked = script('get', '/api/task/self', () => succeed(wirePage([done])));
  show('user', '/panel/task?open=video_a');
  const drawer = within(await screen.findByRole('dialog', { name: 'Task' }));
  const film = await drawer.findByLabelText<HTMLVideoElement>('Result: a cat walks');
  expect(film.getAttribute('src')).toBe('/api/task/video_a/work/0');
  expect(drawer.getByText('8 sec')).toBeTruthy();
  expect(drawer.getByText('$0.80')).toBeTruthy();
  const receipt = drawer.getByRole<HTMLAnchorElement>('link', { name: 'View receipt in the log' });
  expect(new URL(receipt.href).search).toBe('?request_id=1m7xxfbwe0000ttn0p');
  expect(asked.some(({ url }) => url.searchParams.get('task_id') === 'video_a')).toBe(true);
});

it('explains that a result is no longer stored instead of showing a player', async () => {
  const work = { kind: 'video' as const, path: '/api/task/a/work/0', expired: true, text: '', title: '', seconds: 8 };
  const done = wireTask('a', { status: 'succeeded', quota: 1, ended_at: 1_700_000_065, works: [work] });
  script('get', '/api/task/self', () => succeed(wirePage([done])));
  show('user', '/panel/task?open=a');
  expect(await screen.findByText('This result is no longer stored.')).toBeTruthy();
  expect(document.querySelector('video')).toBeNull();
});

it('explains why a task failed, or that it no longer exists', async () => {
  script('get', '/api/task/self', ({ url }) =>
    succeed(
      wirePage(
        url.searchParams.get('task_id') === 'gone'
          ? []
          : [wireTask('video_a', { status: 'failed', quota: 0, fail_reason: 'The film was blocked.' })],
      ),
    ),
  );
  const { router } = show('user', '/panel/task?open=video_a');
  const drawer = within(await screen.findByRole('dialog', { name: 'Task' }));
  expect(await drawer.findByText('The film was blocked.')).toBeTruthy();
  await router.navigate({ to: '/panel/task', search: { open: 'gone' } });
  expect(await screen.findByText('This task no longer exists.')).toBeTruthy();
});

it('finds a task by its id', async () => {
  const lists = script('get', '/api/task/self', () => succeed(wirePage([wireTask('video_a')])));
  const { user, router } = show('user', '/panel/task');
  await user.type(await screen.findByRole('searchbox'), 'video_a{Enter}');
  await waitFor(() => expect(router.state.location.search).toEqual({ task_id: 'video_a' }));
  await waitFor(() => expect(lists.at(-1)?.url.searchParams.get('task_id')).toBe('video_a'));
});

it('shows drawings in a gallery with their image or progress', async () => {
  const drawn = wireTask('1', {
    platform: 'midjourney',
    action: 'imagine',
    prompt: 'a lighthouse',
    prompt_en: 'a lighthouse at dusk',
    status: 'succeeded',
    ended_at: 1_700_000_060,
    quota: 50_000,
    works: [{ kind: 'image', path: '/api/task/1/work/0', expired: false, text: '', title: '', seconds: null }],
  });
  const drawing = wireTask('2', { platform: 'midjourney', action: 'upscale', prompt: '' });
  const lists = script('get', '/api/task/self', () => succeed(wirePage([drawn, drawing])));
  const { user } = show('user', '/panel/midjourney');
  const card = await screen.findByRole('button', { name: /a lighthouse/ });
  expect(card.querySelector('img')?.getAttribute('src')).toBe('/api/task/1/work/0');
  expect(lists[0]?.url.searchParams.get('platform')).toBe('midjourney');
  expect(screen.getByRole('button', { name: /Upscale/ }).querySelector('img')).toBeNull();
  await user.click(card);
  const drawer = within(await screen.findByRole('dialog', { name: 'Task' }));
  expect(await drawer.findByText('a lighthouse at dusk')).toBeTruthy();
});

it('explains an empty gallery', async () => {
  script('get', '/api/task/self', () => succeed(wirePage([])));
  show('user', '/panel/midjourney');
  expect(await screen.findByText(/No images yet/)).toBeTruthy();
});

it('names a task without a prompt by its action and shows no duration below a second', async () => {
  const brief = wireTask('resp_a', {
    action: 'response',
    platform: 'responses',
    prompt: '',
    status: 'failed',
    ended_at: 1_700_000_000,
  });
  script('get', '/api/task/self', () => succeed(wirePage([brief])));
  show('user', '/panel/task');
  expect(await screen.findAllByText('Response')).toHaveLength(2);
  expect(screen.getByText('< 1 sec')).toBeTruthy();
});
