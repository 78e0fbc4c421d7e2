import { expect, it } from 'vitest';
import { emptyUsage } from '../../model/usage.ts';
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
])('prices the task %s by the video of %j that it continues, as %j', (path, request, variant) => {
  const origin = { upstreamId: 'x', model: 'film', request, said: {}, usage: emptyUsage() };
  expect(readSourceVariant(path, origin)).toBe(variant);
});

it.each([
  ['kling-video_kling-v1-6_pro_5', '', 'kling-v1-6/pro'],
  ['kling-effects-hug_kling-v1-6_master-sound_10', '', 'kling-v1-6/master'],
  ['kling-video-extend', 'kling-v1-6/pro', 'kling-v1-6/pro'],
  ['kling-video-extend', '', 'kling-v1/std'],
])(
  'prices the extension of a task of %s by what it was billed for (%j), not by ignored fields',
  (model, own, variant) => {
    const usage = { ...emptyUsage(), imageVariant: own };
    const origin = { upstreamId: 'x', model, request: { model_name: 'kling-v1' }, said: {}, usage };
    expect(readSourceVariant('video-extend', origin)).toBe(variant);
  },
);

it('has a fixed length for every task but lip-sync, whose length is that of its recording', () => {
  expect([...klingPaths].filter((path) => !hasFixedLength(path))).toEqual(['lip-sync']);
});
