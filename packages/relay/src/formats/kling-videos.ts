import type { Dialect, ErrorDetail } from '../format.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts';
import type { TaskNews, TaskStatus, TaskView, UpstreamOrders, VideoAsked, Work } from '../tasks.ts';
import { UpstreamError } from '../upstream-error.ts';
import { emptyUsage } from '../usage.ts';
import { nearestRatio } from './openai-images/image-fields.ts';
import { knownAmong, said } from './said-fields.ts';
import { videoTokens } from './video-tokens.ts';

/** Paths below `/v1/videos/` at the vendor that order a film. */
export const klingPaths: ReadonlySet<string> = new Set([
  'text2video',
  'image2video',
  'multi-image2video',
  'video-extend',
  'lip-sync',
  'effects',
]);

const MODEL_DEFAULT = 'kling-v1';
const LASTS_SECONDS = 86_400;
const ratios = ['16:9', '9:16', '1:1'];
const modes = ['std', 'pro', 'master'];
const plainId = /^[\w=-]{1,128}$/;
const known = ['negative_prompt', 'cfg_scale', 'mode', 'camera_control', 'aspect_ratio'];
const statuses: Readonly<Record<string, TaskStatus>> = {
  submitted: 'queued',
  processing: 'running',
  succeed: 'succeeded',
  failed: 'failed',
};
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

const orders: UpstreamOrders = {
  taken: (answer, path) => {
    const kind = path.split('/').at(-1) ?? '';
    const news = newsIn(objectOf(answer['data']), kind);
    if (news !== undefined) return news;
    throw new UpstreamError(
      'overloaded',
      textOf(answer['message']) ?? 'The upstream did not take the order.',
      {
        status: 200,
      },
    );
  },
  together: 1,
  // It is asked for where it was ordered.
  question: ([id = '']) => ({ path: `/v1/videos/${id}` }),
  read: (answer, [id = '']) =>
    [newsIn(objectOf(objectOf(answer)['data']), id.split('/')[0] ?? '') ?? []].flat(),
  lastsSeconds: LASTS_SECONDS,
};

/** Kling's films. https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo */
export const klingVideos: Dialect = {
  id: 'kling-videos',
  operation: 'videos',
  readOrder(body, route) {
    const model = textOf(body['model_name']) ?? MODEL_DEFAULT;
    const { mode, seconds } = filmOf(body);
    return { ...route, action: route.path ?? 'text2video', model: `kling-video_${model}_${mode}_${seconds}` };
  },
  readFacts(body) {
    const { seconds } = filmOf(body);
    return {
      hasTools: false,
      maxOutputTokens: undefined,
      choices: 1,
      inputTokensEstimate: 0,
      expected: {
        unit: 'second',
        usage: { ...emptyUsage(), second: seconds, output: videoTokens(1280, 720, seconds) },
        isCounted: true,
      },
    };
  },
  prepare: withoutCallback,
  readWhole: () => ({ usage: undefined, content: [], binaries: [] }),
  orders,
  makesVideo,
  tasks: {
    idPrefix: '',
    promptOf: (body) => textOf(body['prompt']) ?? '',
    ordered: envelopeOf,
    shown: envelopeOf,
  },
  encodeError,
  encodeStreamError: encodeError,
};

/** Films are five or ten seconds long, and the price is that of the length that is made. */
function makesVideo(asked: VideoAsked, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, seconds = 5, image, more, size } = asked;
  if (seconds > 10) throw new InvalidRequest('This model makes films of at most 10 seconds.', 'seconds');
  return said({
    model_name: model,
    prompt,
    duration: seconds <= 5 ? '5' : '10',
    image: image && ('url' in image ? image.url : image.base64),
    aspect_ratio: image === undefined ? nearestRatio({ size }, ratios) : undefined,
    ...knownAmong(known, more, dropped),
  });
}

/** Whom the vendor tells is this gateway's business, and so is its own name for the task. */
function withoutCallback(body: JsonObject): JsonObject {
  if (body['callback_url'] === undefined && body['external_task_id'] === undefined) return body;
  const { callback_url: _callback, external_task_id: _name, ...rest } = body;
  return rest;
}

/** @throws InvalidRequest */
function filmOf(body: JsonObject): { mode: string; seconds: number } {
  const mode = modes.find((known) => known === (body['mode'] ?? 'std'));
  if (mode === undefined) throw new InvalidRequest('mode must be std, pro or master.', 'mode');
  const seconds = Number(body['duration'] ?? 5);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 60)
    throw new InvalidRequest('duration must be a number of seconds, such as "5" or "10".', 'duration');
  return { mode, seconds };
}

/** @param kind how it was ordered, which it takes to ask for it */
function newsIn(data: JsonObject, kind: string): TaskNews | undefined {
  const id = textOf(data['task_id']) ?? '';
  const told = textOf(data['task_status']) ?? '';
  const status = Object.hasOwn(statuses, told) ? statuses[told] : undefined;
  if (!plainId.test(id) || status === undefined) return undefined;
  const works = listOf(objectOf(data['task_result'])['videos']).flatMap((one): Work[] => {
    const { url, duration } = objectOf(one);
    const at = textOf(url);
    const seconds = Number(duration);
    return at === undefined ? [] : [{ kind: 'video', at, ...(seconds > 0 ? { seconds } : {}) }];
  });
  const seconds = works.reduce((sum, work) => sum + (work.seconds ?? 0), 0);
  return {
    id: `${kind}/${id}`,
    status,
    works,
    ...(status === 'failed'
      ? { failure: textOf(data['task_status_msg']) ?? 'The vendor made no film.' }
      : {}),
    // The length is told to the millisecond, and sold by five seconds.
    ...(seconds > 0 ? { usage: { second: Math.max(1, Math.round(seconds)) } } : {}),
    said: data,
  };
}

function envelopeOf(task: TaskView): JsonObject {
  const videos = task.works.map(({ at, seconds }, nth) => ({
    id: `${task.id}-${nth + 1}`,
    url: at,
    duration: String(seconds ?? filmSeconds(task)),
  }));
  return {
    code: 0,
    message: 'SUCCEED',
    request_id: task.id,
    data: {
      task_id: task.id,
      task_status: names[task.status],
      task_status_msg: task.failure,
      created_at: task.createdAt * 1000,
      updated_at: (task.endedAt ?? task.startedAt ?? task.createdAt) * 1000,
      ...(task.status === 'succeeded' ? { task_result: { videos } } : {}),
    },
  };
}

function filmSeconds({ request }: TaskView): number {
  return numberOf(Number(request['duration'] ?? 5)) ?? 5;
}

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
function encodeError({ status, message }: ErrorDetail): string {
  const codes: Readonly<Record<number, number>> = { 401: 1000, 402: 1101, 403: 1103, 404: 1202, 429: 1302 };
  return JSON.stringify({ code: codes[status] ?? (status < 500 ? 1201 : 5000), message, request_id: '' });
}
