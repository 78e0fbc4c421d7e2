import { type JsonObject, objectOf, textOf, writtenOut } from '../../json/json.ts';
import type { Dialect } from '../../model/format.ts';
import { InvalidRequest } from '../../model/invalid-request.ts';
import { taskIdOf } from '../../model/task-id.ts';
import { statusOf } from '../../model/task-status.ts';
import {
  pictureIn,
  type TaskStatus,
  type TaskView,
  type UpstreamOrders,
  type VideoAsked,
} from '../../model/task-types.ts';
import { estimatePrompt } from '../../tokens/estimate.ts';
import { requireText } from '../../translate/request-fields.ts';
import { definedFields, fieldsBeyond, knownAmong } from '../openai/defined-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { lengthIn, requireSize, sizeIn } from './video-fields.ts';
import {
  addressesIn,
  filmNews,
  orderedNews,
  secondsMade,
  unwrapped,
  type VendorVideo,
} from './video-submission.ts';
import { filmFacts, filmUsage } from './video-usage.ts';

const SECONDS_DEFAULT = 5;
const SECONDS_MAX = 600;
const PIXELS_MAX = 8_192;
/** Size if the client names none: the upstream chooses, and most choose this one. */
const SIZE_USUAL = { width: 1280, height: 720 };
const LASTS_SECONDS = 86_400;
const covered = new Set(['model', 'prompt', 'duration', 'seconds', 'width', 'height', 'size', 'image', 'n']);
/** Other fields that a compatible upstream may read and that don't affect the price. */
const free = ['images', 'negative_prompt', 'response_format', 'seed', 'user'];

const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'succeeded',
  failed: 'failed',
};

const orders: UpstreamOrders = {
  taken(answer) {
    const id = taskIdOf(answer) ?? taskIdOf(answer['data']);
    return id === undefined ? undefined : orderedNews(id, filmIn(answer), answer);
  },
  together: 1,
  question: ([id = '']) => ({ path: `/v1/video/generations/${id}` }),
  read: (answer, [id = '']) => [filmNews(id, filmIn(objectOf(answer)), objectOf(answer))],
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
    const usage = filmUsage(seconds, size === undefined ? '' : textOfSize(size), size ?? SIZE_USUAL);
    return filmFacts(usage, estimatePrompt({ prompt }, ''));
  },
  /** It says what has the price, in each field by which an upstream may go; and nothing else that decides it. */
  prepare(body, { model, dropped }) {
    const { seconds, size } = filmOf(body);
    const { prompt, image } = body;
    return definedFields({
      ...knownAmong(free, fieldsBeyond(covered, body), dropped),
      model,
      prompt,
      image,
      duration: seconds,
      seconds: String(seconds),
      ...(size && { ...size, size: textOfSize(size) }),
    });
  },
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

/** @throws InvalidRequest when fields contradict each other, since readers disagree on which one counts */
function filmOf(body: JsonObject): { seconds: number; size: VideoAsked['size'] } {
  if ((body['n'] ?? 1) !== 1) throw new InvalidRequest('A request generates one video: n must be 1.', 'n');
  return { seconds: secondsOf(body), size: sizeOf(body) };
}

function secondsOf({ duration, seconds }: JsonObject): number {
  const lengths = [duration, seconds]
    .filter((value) => value != null)
    .map((value) => Math.ceil(lengthIn(value) ?? 0));
  const [length = SECONDS_DEFAULT, other = length] = lengths;
  if (length !== other) throw new InvalidRequest('duration and seconds contradict each other.', 'seconds');
  if (!(length > 0 && length <= SECONDS_MAX))
    throw new InvalidRequest(`duration must be a number of seconds up to ${SECONDS_MAX}.`, 'duration');
  return length;
}

function sizeOf({ size, width, height }: JsonObject): VideoAsked['size'] {
  const named = size == null ? undefined : requireSize(size);
  if (width == null && height == null) return named;
  if (!isSide(width) || !isSide(height))
    throw new InvalidRequest(`width and height must both be set, in pixels up to ${PIXELS_MAX}.`, 'width');
  if (named !== undefined && (named.width !== width || named.height !== height))
    throw new InvalidRequest('size contradicts width and height.', 'size');
  return { width, height };
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= PIXELS_MAX;
}

function textOfSize({ width, height }: NonNullable<VideoAsked['size']>): string {
  return `${width}x${height}`;
}

function filmIn(answer: JsonObject): VendorVideo {
  const video = unwrapped(answer);
  const reason = textOf(video['fail_reason']);
  const said = { word: video['status'], progress: video['progress'] };
  // New API puts the address of a finished film where it puts the reason of a failure: docs.newapi.pro/api
  const isAddress = statusOf(said) === 'succeeded' && reason !== undefined && /^https?:/.test(reason);
  const metadata = objectOf(video['metadata']);
  const [at] = addressesIn([
    video['url'],
    video['result_url'],
    video['video_url'],
    metadata['url'],
    writtenOut(video['data']),
    isAddress ? reason : undefined,
  ]);
  return {
    ...said,
    at: [at],
    failure: textOf(objectOf(video['error'])['message']) ?? textOf(video['error']) ?? reason,
    usage: secondsMade(Number(metadata['duration'])),
  };
}

function videoOf(task: TaskView): JsonObject {
  const [work] = task.works;
  const { duration, seconds, width, height, size } = task.request;
  return {
    task_id: task.id,
    status: names[task.status],
    ...(task.status === 'succeeded'
      ? { url: work?.address ?? `${task.site}/v1/videos/${task.id}/content`, format: 'mp4' }
      : {}),
    metadata: {
      duration: work?.seconds ?? lengthIn(duration ?? seconds) ?? SECONDS_DEFAULT,
      ...(isSide(width) && isSide(height) ? { width, height } : sizeIn(size)),
    },
    error: task.status === 'failed' ? { code: 500, message: task.failure } : null,
  };
}
