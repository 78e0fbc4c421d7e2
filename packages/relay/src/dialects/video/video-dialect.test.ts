import { describe, expect, test } from 'vitest';
import { planTaskPoll, readTaskUpdates } from '../../exchange/task-polls-and-responses.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import type { TaskUpdate } from '../../model/task-types.ts';
import { sampleTarget } from '../../testing/sample-requests.ts';

/** Answers as each vendor documents them: on its way, done, failed. */
const vendors: readonly {
  provider: string;
  format: UpstreamDialectId;
  id: string;
  asked: string;
  runs: object;
  done: object;
  /** Address of the video. */
  at?: string;
  usage?: object;
  failed: object;
  reason: string;
}[] = [
  {
    provider: 'volcengine',
    format: 'ark-videos',
    id: 'cgt-2025-qs9q2',
    asked: 'https://ark.cn-beijing.volces.com/api/v3/contents/generations/tasks/cgt-2025-qs9q2',
    runs: { id: 'cgt-2025-qs9q2', model: 'm', status: 'running' },
    done: {
      id: 'cgt-2025-qs9q2',
      status: 'succeeded',
      content: { video_url: 'https://films.test/1.mp4' },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
    },
    usage: { output: 108_900 },
    failed: {
      id: 'cgt-2025-qs9q2',
      status: 'failed',
      error: { code: 'OutputVideoSensitiveContentDetected', message: 'The film was blocked.' },
    },
    reason: 'The film was blocked.',
  },
  {
    provider: 'luma',
    format: 'luma-videos',
    id: 'd1968551',
    asked: 'https://api.lumalabs.ai/dream-machine/v1/generations/d1968551',
    runs: { id: 'd1968551', state: 'dreaming' },
    done: {
      id: 'd1968551',
      state: 'completed',
      assets: { video: 'https://films.test/1.mp4' },
      request: { duration: '9s' },
    },
    usage: { second: 9 },
    failed: { id: 'd1968551', state: 'failed', failure_reason: 'The film was blocked.', assets: null },
    reason: 'The film was blocked.',
  },
  {
    provider: 'vidu',
    format: 'vidu-videos',
    id: '837346591742369792',
    asked: 'https://api.vidu.com/ent/v2/tasks/837346591742369792/creations',
    runs: { state: 'processing', err_code: '', creations: [] },
    done: {
      state: 'success',
      err_code: '',
      creations: [{ id: '1', url: 'https://films.test/1.mp4', cover_url: 'https://films.test/1.jpg' }],
    },
    failed: { state: 'failed', err_code: 'AuditSubmitIllegal', creations: [] },
    reason: 'AuditSubmitIllegal',
  },
  {
    provider: 'runway',
    format: 'runway-videos',
    id: '497f6eca',
    asked: 'https://api.dev.runwayml.com/v1/tasks/497f6eca',
    runs: { id: '497f6eca', status: 'RUNNING', progress: 0.42 },
    done: { id: '497f6eca', status: 'SUCCEEDED', output: ['https://films.test/1.mp4'] },
    failed: { id: '497f6eca', status: 'FAILED', failure: 'The film was blocked.', failureCode: 'SAFETY.INPUT.TEXT' },
    reason: 'The film was blocked.',
  },
  {
    provider: 'minimax',
    format: 'minimax-videos',
    id: '106916112212032',
    asked: 'https://api.minimaxi.com/v1/query/video_generation?task_id=106916112212032',
    runs: { task_id: '106916112212032', status: 'Processing', base_resp: { status_code: 0 } },
    done: {
      task_id: '106916112212032',
      status: 'Success',
      file_id: '176844028768320',
      video_width: 1920,
      video_height: 1080,
      base_resp: { status_code: 0, status_msg: 'success' },
    },
    at: '/v1/files/retrieve_content?file_id=176844028768320',
    failed: {
      task_id: '106916112212032',
      status: 'Fail',
      base_resp: { status_code: 1027, status_msg: 'output new_sensitive' },
    },
    reason: 'output new_sensitive',
  },
  {
    provider: 'gemini',
    format: 'veo-videos',
    id: 'models/veo-3.1-generate-preview/operations/3hk1z9',
    asked: 'https://generativelanguage.googleapis.com/v1beta/models/veo-3.1-generate-preview/operations/3hk1z9',
    runs: { name: 'models/veo-3.1-generate-preview/operations/3hk1z9' },
    done: {
      name: 'models/veo-3.1-generate-preview/operations/3hk1z9',
      done: true,
      response: {
        generateVideoResponse: {
          generatedSamples: [
            { video: { uri: 'https://generativelanguage.googleapis.com/v1beta/files/4gk9:download?alt=media' } },
          ],
        },
      },
    },
    at: '/v1beta/files/4gk9:download?alt=media',
    failed: {
      name: 'models/veo-3.1-generate-preview/operations/3hk1z9',
      done: true,
      response: {
        generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['The film was blocked.'] },
      },
    },
    reason: 'The film was blocked.',
  },
  {
    provider: 'ali',
    format: 'wan-videos',
    id: '0385dc79',
    asked: 'https://dashscope.aliyuncs.com/api/v1/tasks/0385dc79',
    runs: { request_id: 'r', output: { task_id: '0385dc79', task_status: 'RUNNING' } },
    done: {
      request_id: 'r',
      output: { task_id: '0385dc79', task_status: 'SUCCEEDED', video_url: 'https://films.test/1.mp4' },
      usage: { duration: 10, input_video_duration: 0, output_video_duration: 10, video_count: 1, SR: 1080 },
    },
    usage: { second: 10, imageVariant: '1080P' },
    failed: {
      request_id: 'r',
      output: {
        task_id: '0385dc79',
        task_status: 'FAILED',
        code: 'DataInspectionFailed',
        message: 'The film was blocked.',
      },
    },
    reason: 'The film was blocked.',
  },
  {
    provider: 'xai',
    format: 'xai-videos',
    id: 'd97415a1',
    asked: 'https://api.x.ai/v1/videos/d97415a1',
    runs: { status: 'pending', progress: 45, model: 'grok-imagine-video' },
    done: { status: 'done', video: { url: 'https://films.test/1.mp4', duration: 6, respect_moderation: true } },
    usage: { second: 6 },
    failed: { status: 'failed', error: { code: 'invalid_argument', message: 'The film was blocked.' } },
    reason: 'The film was blocked.',
  },
];

const answered = (json: object) => ({ status: 200, headers: {}, text: JSON.stringify(json) });

describe.each(vendors)('$provider', (vendor) => {
  const { provider, format, id, asked, runs, done, at, usage, failed, reason } = vendor;
  const target = sampleTarget(provider);
  const read = (answer: object): readonly TaskUpdate[] => readTaskUpdates(format, target, [id], answered(answer));

  test('polls a task by the id that the vendor returned', () => {
    expect(planTaskPoll(format, target, [id], 'video')).toMatchObject({ url: asked, method: 'GET' });
  });

  test('reads running, finished and failed tasks with their usage', () => {
    expect(read(runs)).toMatchObject([{ id, status: 'running', works: [] }]);
    const [news] = read(done);
    expect(news).toMatchObject({
      id,
      status: 'succeeded',
      works: [{ kind: 'video', at: at ?? 'https://films.test/1.mp4' }],
    });
    expect(news?.usage).toEqual(usage);
    expect(read(failed)).toMatchObject([{ id, status: 'failed', works: [], failure: reason }]);
  });
});

// Google only reports that it is done.
test.each(vendors.filter(({ format }) => format !== 'veo-videos'))(
  'polls $provider again after an unknown status word',
  ({ provider, format, id, runs }) => {
    const said = JSON.stringify(runs).replace(/running|dreaming|processing|pending/i, 'wandering');
    const answer = { status: 200, headers: {}, text: said };
    expect(readTaskUpdates(format, sampleTarget(provider), [id], answer)).toMatchObject([{ status: 'running' }]);
  },
);

test('reads the progress as a percentage', () => {
  const answer = answered({ id: '1', status: 'RUNNING', progress: 0.42 });
  expect(readTaskUpdates('runway-videos', sampleTarget('runway'), ['1'], answer)).toMatchObject([{ progress: 42 }]);
});

test('reads a moderated video as failed', () => {
  const answer = answered({ status: 'done', video: { duration: 6, respect_moderation: false } });
  expect(readTaskUpdates('xai-videos', sampleTarget('xai'), ['1'], answer)).toMatchObject([{ status: 'failed' }]);
});

test('reads a finished Google task without a video as failed', () => {
  const answer = answered({ name: 'models/v/operations/1', done: true, response: {} });
  expect(readTaskUpdates('veo-videos', sampleTarget('gemini'), ['1'], answer)).toMatchObject([
    { status: 'failed', works: [] },
  ]);
});
