import { expect, it } from 'vitest';
import { hasFixedLength, klingPaths, readSourceVariant } from './kling-submissions.ts';

it.each([
  ['video-extend', { model_name: 'kling-v1-6', mode: 'pro' }, 'kling-v1-6/pro'],
  ['video-extend', { model_name: 'kling-v1-6', mode: 'PRO' }, 'kling-v1-6/pro'],
  ['video-extend', { model_name: 'kling-v1-6' }, 'kling-v1-6/std'],
  ['video-extend', { prompt: 'a cat' }, 'kling-v1/std'],
  ['video-extend', { model: 'kling-v1-6', seconds: '4', mode: 'pro' }, 'kling-v1-6/pro'],
  ['video-extend', { model: 'a model/b', mode: 'pro' }, ''],
  ['lip-sync', { model_name: 'kling-v1-6', mode: 'pro' }, ''],
  ['text2video', { model_name: 'kling-v1-6', mode: 'pro' }, ''],
])('prices the task %s by the video of %j that it continues, as %j', (path, source, variant) => {
  expect(readSourceVariant(path, source)).toBe(variant);
});

it('has a fixed length for every task but lip-sync, whose length is that of its recording', () => {
  expect([...klingPaths].filter((path) => !hasFixedLength(path))).toEqual(['lip-sync']);
});
