/** Responses of vendors to polls of a task, in the dialect of each. */
import { describe, expect, test } from 'vitest';
import { isObject } from '../json/json.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { TaskStatus } from '../model/task-types.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { getPollLimits, readTaskUpdates } from './task-polls-and-responses.ts';

interface Vendor {
  provider: string;
  format: UpstreamDialectId;
  /** The task's id as the gateway keeps it. */
  id: string;
  answer: (said: { word?: unknown; reason?: string; progress?: string; url?: string }) => object;
  hasProgress?: true;
}

const vendors: readonly Vendor[] = [
  {
    provider: 'openai',
    format: 'openai-videos',
    id: '4242424242',
    answer: ({ word, reason, progress }) => ({
      id: 4242424242,
      status: word,
      progress,
      error: reason === undefined ? null : { code: 'x', message: reason },
    }),
    hasProgress: true,
  },
  {
    provider: 'one-api',
    format: 'video-generations',
    id: 'task_77',
    answer: ({ word, reason = '', progress, url }) => ({
      code: 'success',
      message: '',
      data: { task_id: 'task_77', status: word, progress, fail_reason: url ?? reason },
    }),
    hasProgress: true,
  },
  {
    provider: 'kling',
    format: 'kling-videos',
    id: 'text2video/77',
    answer: ({ word, reason, url }) => ({
      code: 0,
      data: { task_id: 77, task_status: word, task_status_msg: reason, task_result: { videos: url && [{ url }] } },
    }),
  },
  {
    provider: 'midjourney',
    format: 'midjourney',
    id: '1700000000000123',
    answer: ({ word, reason, progress, url }) => [
      { id: 1_700_000_000_000_123, status: word, progress, failReason: reason, imageUrl: url },
    ],
    hasProgress: true,
  },
  {
    provider: 'suno',
    format: 'suno',
    id: 'task_77',
    answer: ({ word, reason, progress, url }) => ({
      code: 'success',
      data: [{ task_id: 'task_77', status: word, progress, fail_reason: reason, data: url && [{ audio_url: url }] }],
    }),
    hasProgress: true,
  },
  {
    provider: 'luma',
    format: 'luma-videos',
    id: 'task_77',
    answer: ({ word, reason, url }) => ({ state: word, failure_reason: reason, assets: { video: url } }),
  },
  {
    provider: 'ali',
    format: 'wan-videos',
    id: 'task_77',
    answer: ({ word, reason, url }) => ({ output: { task_status: word, message: reason, video_url: url } }),
  },
  {
    provider: 'runway',
    format: 'runway-videos',
    id: 'task_77',
    answer: ({ word, reason, url }) => ({ id: 'task_77', status: word, failure: reason, output: url && [url] }),
  },
  {
    provider: 'vidu',
    format: 'vidu-videos',
    id: '837346591742369792',
    answer: ({ word, reason = '', url }) => ({ state: word, err_code: reason, creations: url && [{ url }] }),
  },
  {
    provider: 'volcengine',
    format: 'ark-videos',
    id: 'task_77',
    answer: ({ word, reason, url }) => ({
      status: word,
      content: { video_url: url },
      error: reason === undefined ? undefined : { message: reason },
    }),
  },
  {
    provider: 'xai',
    format: 'xai-videos',
    id: 'task_77',
    answer: ({ word, reason, url }) => ({ status: word, video: { url }, error: { message: reason } }),
  },
];

/** Vendors that are asked about one task at a time. */
const askedSingly = vendors.filter(({ format }) => getPollLimits(format).tasksPerPoll === 1);

const words: Readonly<Record<TaskStatus, readonly string[]>> = {
  queued: ['NOT_START', 'submitted', 'Queued', 'PENDING'],
  running: ['IN_PROGRESS', 'processing', 'Running', 'wandering'],
  succeeded: ['success', 'SUCCEED', 'Succeeded', 'COMPLETED', 'done'],
  failed: ['FAILURE', 'fail', 'Failed', 'CANCELLED', 'canceled', 'EXPIRED', 'error'],
};
const URL = 'https://works.test/1';

describe.each(vendors)('$format', ({ provider, format, id, answer, hasProgress = false }) => {
  const read = (said: Parameters<typeof answer>[0]) => {
    const [news, ...more] = readTaskUpdates(format, sampleTarget(provider), [id], {
      status: 200,
      headers: {},
      text: JSON.stringify(answer(said)),
    });
    expect(more).toEqual([]);
    expect(news?.id).toBe(id);
    return news;
  };
  const isOpen = (status: TaskStatus | undefined) => status === 'queued' || status === 'running';

  test.each([...words.queued, ...words.running])('keeps a task open with the status word %s', (word) => {
    expect(isOpen(read({ word })?.status)).toBe(true);
  });

  test.each(words.succeeded)('ends a task with the word %s, with its artifact', (word) => {
    const news = read({ word, url: URL });
    expect(news?.status).toBe('succeeded');
    expect(news?.works).toHaveLength(1);
  });

  test.each(words.failed)('ends a task with the word %s, with the reason', (word) => {
    expect(read({ word, reason: 'It was blocked.' })).toMatchObject({ status: 'failed', failure: 'It was blocked.' });
  });

  test.each([undefined, null, '', 5])('keeps a task open with the invalid status word %s', (word) => {
    expect(isOpen(read({ word })?.status)).toBe(true);
  });

  test('ends a task without a word by its failure reason, or at 100 %', () => {
    expect(read({ word: '', reason: 'It was blocked.' })).toMatchObject({
      status: 'failed',
      failure: 'It was blocked.',
    });
    if (hasProgress) expect(read({ word: '', progress: '100%' })?.status).toBe('succeeded');
  });
});

describe.each(askedSingly)('$format with an error as the response', ({ provider, format, id }) => {
  const read = (answer: unknown) =>
    readTaskUpdates(format, sampleTarget(provider), [id], { status: 200, headers: {}, text: JSON.stringify(answer) });

  test.each([
    { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
    { error: { message: 'The server had an error', type: 'server_error' } },
    { error: 'Too many requests' },
    { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } },
    { code: 429, message: 'Too many requests', data: null },
    { status: 503, message: 'Service unavailable' },
    { code: 'fail', message: 'the database is down' },
    { detail: 'Not authenticated' },
    { id: 'of another task', error: { message: 'overloaded' } },
    [{ error: { message: 'Quota exceeded' } }],
  ])('reads %j as an error of the poll, not of the task', (answer) => {
    expect(() => read(answer)).toThrow();
  });

  test.each([{ error: null }, { error: {} }, { error: { message: '', code: 0 } }, {}])(
    'reads no error from %j',
    (answer) => {
      expect(read(answer)).toMatchObject([{ id, works: [] }]);
    },
  );
});

test.each([
  ['minimax', 'minimax-videos', { base_resp: { status_code: 1002, status_msg: 'rate limit' } }],
  ['gemini', 'veo-videos', { name: 'models/veo/operations/1', error: { code: 503, message: 'overloaded' } }],
] as const)('reads an error of %s as one of the poll (%s)', (provider, format, answer) => {
  const text = JSON.stringify(answer);
  expect(() =>
    readTaskUpdates(format, sampleTarget(provider), ['models/veo/operations/1'], { status: 200, headers: {}, text }),
  ).toThrow();
});

test('reads only the beginning of an error of megabytes', () => {
  const text = `{"error":{"message":"down","more":[${'{},'.repeat(2_500_000)}{}]}}`;
  const cpuMs = startCpuTimer();
  expect(() =>
    readTaskUpdates('veo-videos', sampleTarget('gemini'), ['1'], { status: 500, headers: {}, text }),
  ).toThrow();
  expect(cpuMs()).toBeLessThan(50);
});

const song = { id: 'clip', audio_url: URL, metadata: { duration: 60 } };
const suno = (data: unknown) => ({ code: 'success', data: [{ task_id: '7', status: 'SUCCESS', data }] });
const kling = (data: unknown) => ({ code: 0, data });
const generation = (more: object) => ({ task_id: '7', status: 'succeeded', ...more });

test.each([
  ['midjourney', 'midjourney', [{ id: '7', status: 'SUCCESS', image_url: URL }]],
  ['midjourney', 'midjourney', [{ id: '7', status: 'SUCCESS', imageUrls: [{ url: URL }] }]],
  ['midjourney', 'midjourney', { code: 1, data: [{ id: 7, status: 'SUCCESS', imageUrl: URL }] }],
  ['midjourney', 'midjourney', JSON.stringify([{ id: '7', status: 'SUCCESS', imageUrl: URL }])],
  ['suno', 'suno', suno(JSON.stringify([song]))],
  ['suno', 'suno', suno({ first: song })],
  ['suno', 'suno', suno({ clips: [song] })],
  ['suno', 'suno', suno(song)],
  ['suno', 'suno', [{ task_id: 7, status: 'SUCCESS', data: [song] }]],
  ['suno', 'suno', { code: 'success', data: JSON.stringify([{ task_id: '7', status: 'SUCCESS', data: [song] }]) }],
  ['kling', 'kling-videos', kling({ task_status: 'succeed', task_result: { videos: { url: URL } } })],
  ['kling', 'kling-videos', kling({ task_status: 'succeed', task_result: JSON.stringify({ videos: [{ url: URL }] }) })],
  ['kling', 'kling-videos', kling([{ task_status: 'succeed', task_result: { videos: [{ url: URL }] } }])],
  ['kling', 'kling-videos', kling({ status: 'SUCCESS', task_result: { videos: [{ url: URL }] } })],
  ['kling', 'kling-videos', kling({ task_result: { videos: [{ url: URL }] } })],
  ['one-api', 'video-generations', generation({ url: [URL] })],
  ['one-api', 'video-generations', generation({ metadata: { url: URL } })],
  ['one-api', 'video-generations', generation({ data: { url: URL } })],
  ['one-api', 'video-generations', generation({ data: JSON.stringify({ url: URL }) })],
  ['one-api', 'video-generations', { code: 'success', data: [generation({ video_url: { url: URL } })] }],
  ['runway', 'runway-videos', { id: '7', status: 'SUCCEEDED', output: URL }],
  ['runway', 'runway-videos', { id: '7', status: 'SUCCEEDED', output: { url: URL } }],
  ['luma', 'luma-videos', { assets: { video: { url: URL } } }],
  ['vidu', 'vidu-videos', { creations: [{ url: URL }] }],
  ['xai', 'xai-videos', { video: { url: URL, duration: 4 } }],
  ['ali', 'wan-videos', { output: { video_url: URL } }],
] as const)('finds the artifact of %s (%s) in %j', (provider, format, answer) => {
  const text = JSON.stringify(answer);
  const news = readTaskUpdates(format, sampleTarget(provider), ['7'], { status: 200, headers: {}, text });
  expect(news).toMatchObject([{ id: '7', status: 'succeeded', works: [{ at: URL }] }]);
});

test.each([
  ['text2video/7', { second: 15 }],
  ['lip-sync/7', { second: 15 }],
  ['video-extend/7', undefined],
])('reads the length of Kling’s task %s as %j', (id, usage) => {
  const videos = [{ url: URL, duration: '14.9' }];
  const text = JSON.stringify(kling({ task_status: 'succeed', task_result: { videos } }));
  const [news] = readTaskUpdates('kling-videos', sampleTarget('kling'), [id], { status: 200, headers: {}, text });
  expect(news).toMatchObject({ status: 'succeeded', works: [{ at: URL, seconds: 14.9 }] });
  expect(news?.usage).toEqual(usage);
});

test.each([
  ['midjourney', (tasks: unknown) => tasks],
  ['suno', (tasks: unknown) => ({ code: 'success', data: tasks })],
] as const)('reads for %s the last status of the polled tasks only', (format, answer) => {
  const target = sampleTarget(vendors.find((vendor) => vendor.format === format)?.provider ?? '');
  const others = Array.from({ length: 5_000 }, (_, nth) => `other-${nth}`);
  const tasks = ['1', ...others, '2', '1'].map((id, nth) => ({
    id,
    task_id: id,
    status: 'FAILURE',
    failReason: `reason ${nth}`,
    fail_reason: `reason ${nth}`,
  }));
  const news = readTaskUpdates(format, target, ['1', '2', '3'], {
    status: 200,
    headers: {},
    text: JSON.stringify(answer(tasks)),
  });
  expect(news.map(({ id, failure }) => [id, failure])).toEqual([
    ['1', 'reason 5002'],
    ['2', 'reason 5001'],
  ]);
});

test.each(vendors)(
  '$format: a number that is an object hides no task of the poll',
  ({ provider, format, id, answer }) => {
    // `Number` throws on it.
    const unreadable = { toString: 1, valueOf: 1 };
    const withNumbers = (_key: string, value: unknown): unknown =>
      isObject(value) ? { duration: unreadable, seconds: unreadable, ...value } : value;
    const text = JSON.stringify(JSON.parse(JSON.stringify(answer({ word: 'processing', url: URL })), withNumbers));
    const updates = readTaskUpdates(format, sampleTarget(provider), [id], { status: 200, headers: {}, text });
    expect(updates.map((update) => update.id)).toEqual([id]);
  },
);
