import { garbled } from '../answer-errors.ts';
import type { Dialect } from '../format.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import { requireText } from '../request-fields.ts';
import type { TaskNews, TaskStatus, TaskView, UpstreamOrders, VideoAsked } from '../tasks.ts';
import { estimatePrompt } from '../tokens/estimate.ts';
import { emptyUsage } from '../usage.ts';
import { asNamed } from './as-asked.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from './openai-errors.ts';
import { fieldsBeyond } from './said-fields.ts';
import { videoTokens } from './video-tokens.ts';

const SECONDS_DEFAULT = 5;
const SECONDS_MAX = 600;
const PIXELS_MAX = 8_192;
const LASTS_SECONDS = 86_400;
const plainId = /^[\w.=-]{1,200}$/;
const covered = new Set(['model', 'prompt', 'duration', 'seconds', 'width', 'height', 'size', 'image']);
const sizeText = /^(\d{2,4})x(\d{2,4})$/;

const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'queued',
  submitted: 'queued',
  in_progress: 'running',
  processing: 'running',
  succeeded: 'succeeded',
  completed: 'succeeded',
  failed: 'failed',
};
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'succeeded',
  failed: 'failed',
};

const orders: UpstreamOrders = {
  taken: newsIn,
  together: 1,
  question: ([id = '']) => ({ path: `/v1/video/generations/${id}` }),
  read: (answer) => [newsIn(objectOf(answer))],
  lastsSeconds: LASTS_SECONDS,
};

/** Films as New API's clients ask for them. https://docs.newapi.pro/api */
export const videoGenerations: Dialect = {
  id: 'video-generations',
  operation: 'videos',
  readOrder: (_body, route) => ({ ...route, action: 'video' }),
  readFacts(body) {
    const prompt = requireText(body, 'prompt');
    const { seconds, size } = filmOf(body);
    const { width = 1280, height = 720 } = size ?? {};
    const usage = {
      ...emptyUsage(),
      second: seconds,
      imageVariant: size === undefined ? '' : `${width}x${height}`,
      output: videoTokens(width, height, seconds),
    };
    return {
      hasTools: false,
      maxOutputTokens: undefined,
      choices: 1,
      inputTokensEstimate: estimatePrompt({ prompt }, ''),
      expected: { unit: 'second', usage, isCounted: true },
    };
  },
  prepare: asNamed,
  asksVideo({ json }) {
    const { seconds, size } = filmOf(json);
    const image = textOf(json['image']);
    return {
      prompt: requireText(json, 'prompt'),
      seconds,
      size,
      image: image === undefined ? undefined : pictureIn(image),
      more: fieldsBeyond(covered, json),
    };
  },
  readWhole: () => ({ usage: undefined, content: [], binaries: [] }),
  orders,
  tasks: {
    idPrefix: 'task_',
    promptOf: (body) => textOf(body['prompt']) ?? '',
    ordered: ({ id, status }) => ({ task_id: id, status: names[status] }),
    shown: videoOf,
  },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};

function pictureIn(image: string): VideoAsked['image'] {
  return /^https?:/.test(image) ? { url: image } : { base64: image.replace(/^data:[^,]*,/, '') };
}

/** @throws InvalidRequest */
function filmOf(body: JsonObject): { seconds: number; size: { width: number; height: number } | undefined } {
  const seconds = Number(body['duration'] ?? body['seconds'] ?? SECONDS_DEFAULT);
  if (!(seconds > 0 && seconds <= SECONDS_MAX))
    throw new InvalidRequest(`duration must be a number of seconds up to ${SECONDS_MAX}.`, 'duration');
  const [, wide, high] = sizeText.exec(textOf(body['size']) ?? '') ?? [];
  const width = Number(body['width'] ?? wide);
  const height = Number(body['height'] ?? high);
  const isSized = [width, height].every((side) => Number.isInteger(side) && side > 0 && side <= PIXELS_MAX);
  return { seconds: Math.ceil(seconds), size: isSized ? { width, height } : undefined };
}

/** Some wrap it in an envelope. */
function newsIn(answer: JsonObject): TaskNews {
  const video = textOf(answer['task_id']) === undefined ? objectOf(answer['data']) : answer;
  const id = textOf(video['task_id']) ?? textOf(video['id']) ?? '';
  const told = (textOf(video['status']) ?? 'queued').toLowerCase();
  const status = Object.hasOwn(statuses, told) ? statuses[told] : undefined;
  if (!plainId.test(id) || status === undefined)
    throw garbled('The upstream did not say which video it makes, or how far it is.');
  const at = textOf(video['url']);
  const seconds = Number(objectOf(video['metadata'])['duration']);
  const error = objectOf(video['error']);
  return {
    id,
    status,
    works: at === undefined ? [] : [{ kind: 'video', at }],
    ...(status === 'failed' ? { failure: textOf(error['message']) ?? 'The vendor made no video.' } : {}),
    ...(seconds > 0 ? { usage: { second: Math.ceil(seconds) } } : {}),
    said: video,
  };
}

function videoOf(task: TaskView): JsonObject {
  const [work] = task.works;
  const { seconds, size } = filmOf(task.request);
  return {
    task_id: task.id,
    status: names[task.status],
    ...(task.status === 'succeeded'
      ? { url: `${task.site}/v1/videos/${task.id}/content`, format: 'mp4' }
      : {}),
    metadata: { duration: work?.seconds ?? seconds, ...size },
    error: task.status === 'failed' ? { code: 500, message: task.failure } : null,
  };
}
