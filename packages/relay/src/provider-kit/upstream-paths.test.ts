import { expect, it } from 'vitest';
import { canServe, planExchange } from '../exchange/plan-exchange.ts';
import { planArtifactRequest, planTaskPoll } from '../exchange/task-polls-and-responses.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { isCustomPath, pathOptions } from './upstream-paths.ts';

const at = (options: Record<string, string>) =>
  sampleTarget('custom', { baseUrl: 'https://models.example.com', options });

it('uses the operator’s paths as written, even after a version in the URL', () => {
  const target = at({ embeddingsPath: '/api/v3/embed?kind=text' });
  expect(planExchange(sampleRequest('openai-embeddings'), target).url).toBe(
    'https://models.example.com/api/v3/embed?kind=text',
  );
  expect(planExchange(sampleRequest('rerank'), target).url).toBe('https://models.example.com/v1/rerank');
});

it('excludes operations whose path is disabled, so that other channels serve them', () => {
  const target = at({ rerankPath: '-', chatPath: '-' });
  expect(canServe(target, 'any', sampleRequest('rerank'))).toBe(false);
  expect(canServe(target, 'any', sampleRequest('openai-chat'))).toBe(false);
  expect(canServe(at({ chatPath: '-', api: 'both' }), 'any', sampleRequest('openai-chat'))).toBe(true);
  expect(canServe(target, 'any', sampleRequest('openai-embeddings'))).toBe(true);
});

it('never sends the credentials to another host', () => {
  for (const path of ['https://evil.example/', '//evil.example/', '@evil.example', 'x', '/a b', '/\n', '/ü'])
    expect(isCustomPath(path), path).toBe(false);
  for (const chatPath of ['https://evil.example/', '//evil.example/', '@evil.example']) {
    const { url } = planExchange(sampleRequest('openai-chat'), at({ chatPath }));
    expect(new URL(url).host).toBe('models.example.com');
  }
});

it('offers a path option for each operation of the provider, and for token counting', () => {
  const { provider } = at({});
  const served = Object.values(provider.endpoints).flat();
  expect(pathOptions).toHaveLength(served.length + 1);
  expect(provider.options).toEqual(expect.arrayContaining([...pathOptions]));
  expect(pathOptions.every(({ placeholder }) => placeholder?.startsWith('/v1/'))).toBe(true);
});

it('polls and fetches videos below the operator’s path', () => {
  const target = at({ videosPath: '/api/v3/films' });
  expect(planTaskPoll('openai-videos', target, ['video_1'], 'video').url).toBe(
    'https://models.example.com/api/v3/films/video_1',
  );
  expect(planArtifactRequest(target, { at: '/v1/videos/video_1/content' }).url).toBe(
    'https://models.example.com/api/v3/films/video_1/content',
  );
  expect(planTaskPoll('openai-videos', at({}), ['video_1'], 'video').url).toBe(
    'https://models.example.com/v1/videos/video_1',
  );
});
