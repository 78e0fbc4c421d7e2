import { requireText } from '../../exchange/check-request-fields.ts';
import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, objectOf, parseEmbeddedJson, parseNumber, textOf } from '../../json/json.ts';
import type { Dialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import {
  parseImage,
  type TaskStatus,
  type TaskView,
  type UpstreamTasks,
  type VideoRequest,
} from '../../model/task-types.ts';
import { estimatePrompt } from '../../tokens/estimate-prompt-tokens.ts';
import { pickDefinedFields, pickKnownFields, pickUncoveredFields } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import {
  createVideoFacts,
  estimateVideoUsage,
  listUrls,
  parseLength,
  parseSize,
  readSubmissionUpdate,
  readVideoUpdate,
  requireSize,
  toVideoUsage,
  unwrapTask,
  type VendorVideoTask,
} from './video-dialect.ts';

const SECONDS_DEFAULT = 5;
const SECONDS_MAX = 600;
const PIXELS_MAX = 8_192;
/** Default size; the upstream chooses, and most choose this one. */
const SIZE_DEFAULT = { width: 1280, height: 720 };
const EXPIRY_SECONDS = 86_400;
const covered = new Set(['model', 'prompt', 'duration', 'seconds', 'width', 'height', 'size', 'image', 'n']);
/** Other fields that a compatible upstream may read and that don't affect the price. */
const unpricedFields = ['images', 'negative_prompt', 'response_format', 'seed', 'user'];

const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'succeeded',
  failed: 'failed',
};

const upstreamTasks: UpstreamTasks = {
  readSubmission(answer) {
    const id = parseTaskId(answer) ?? parseTaskId(answer['data']);
    return id === undefined ? undefined : readSubmissionUpdate(id, readVendorVideo(answer), answer);
  },
  tasksPerPoll: 1,
  buildPoll: ([id = '']) => ({ path: `/v1/video/generations/${id}` }),
  readPoll: (answer, [id = '']) => [readVideoUpdate(id, readVendorVideo(objectOf(answer)), objectOf(answer))],
  expirySeconds: EXPIRY_SECONDS,
};

/** Videos in New API's dialect. https://docs.newapi.pro/api */
export const videoGenerations: Dialect = {
  id: 'video-generations',
  operation: 'videos',
  readSubmission: (_body, route) => ({ ...route, action: 'video' }),
  readFacts(body) {
    const prompt = requireText(body, 'prompt');
    const { seconds, size } = readVideoFields(body);
    const usage = estimateVideoUsage(seconds, size === undefined ? '' : formatSize(size), size ?? SIZE_DEFAULT);
    return createVideoFacts(usage, estimatePrompt({ prompt }, ''));
  },
  /** Writes the priced options, in each field that an upstream may read, and no other priced ones. */
  prepare(body, { model, dropped }) {
    const { seconds, size } = readVideoFields(body);
    const { prompt, image } = body;
    return pickDefinedFields({
      ...pickKnownFields(unpricedFields, pickUncoveredFields(covered, body), dropped),
      model,
      prompt,
      image,
      duration: seconds,
      seconds: String(seconds),
      ...(size && { ...size, size: formatSize(size) }),
    });
  },
  decodeVideoRequest({ json }) {
    const { seconds, size } = readVideoFields(json);
    const image = textOf(json['image']);
    return {
      prompt: requireText(json, 'prompt'),
      seconds,
      size,
      image: image === undefined ? undefined : parseImage(image),
      more: pickUncoveredFields(covered, json),
    };
  },
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  upstreamTasks,
  clientTasks: {
    idPrefix: 'task_',
    readPrompt: (body) => textOf(body['prompt']) ?? '',
    encodeSubmission: ({ id, status }) => ({ task_id: id, status: names[status] }),
    encodePoll: encodeVideo,
  },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};

/** @throws InvalidRequestError for contradictory fields, since upstreams disagree on their precedence */
function readVideoFields(body: JsonObject): { seconds: number; size: VideoRequest['size'] } {
  const count = body['n'] ?? 1;
  if (count !== 1)
    throw new InvalidRequestError(`n is ${describeValue(count)}, but a request generates one video. Set n to 1.`, 'n');
  return { seconds: readSeconds(body), size: readSize(body) };
}

function readSeconds({ duration, seconds }: JsonObject): number {
  const lengths = [duration, seconds]
    .filter((value) => value != null)
    .map((value) => Math.ceil(parseLength(value) ?? 0));
  const [length = SECONDS_DEFAULT, other = length] = lengths;
  if (length !== other) throw new InvalidRequestError('duration and seconds contradict each other.', 'seconds');
  if (!(length > 0 && length <= SECONDS_MAX))
    throw new InvalidRequestError(
      `duration must be a number of seconds up to ${SECONDS_MAX}, not ${describeValue(duration ?? seconds)}.`,
      'duration',
    );
  return length;
}

function readSize({ size, width, height }: JsonObject): VideoRequest['size'] {
  const named = size == null ? undefined : requireSize(size);
  if (width == null && height == null) return named;
  if (!isValidSide(width) || !isValidSide(height))
    throw new InvalidRequestError(`width and height must both be set, in pixels up to ${PIXELS_MAX}.`, 'width');
  if (named !== undefined && (named.width !== width || named.height !== height))
    throw new InvalidRequestError('size contradicts width and height.', 'size');
  return { width, height };
}

function isValidSide(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= PIXELS_MAX;
}

function formatSize({ width, height }: NonNullable<VideoRequest['size']>): string {
  return `${width}x${height}`;
}

function readVendorVideo(answer: JsonObject): VendorVideoTask {
  const video = unwrapTask(answer);
  const reason = textOf(video['fail_reason']);
  const said = { word: video['status'], progress: video['progress'] };
  // New API puts the URL of a finished video into the field for the reason of a failure: docs.newapi.pro/api
  const isAddress = parseTaskStatus(said) === 'succeeded' && reason !== undefined && /^https?:/.test(reason);
  const metadata = objectOf(video['metadata']);
  const [at] = listUrls([
    video['url'],
    video['result_url'],
    video['video_url'],
    metadata['url'],
    parseEmbeddedJson(video['data']),
    isAddress ? reason : undefined,
  ]);
  return {
    ...said,
    urlCandidates: [at],
    failure: textOf(objectOf(video['error'])['message']) ?? textOf(video['error']) ?? reason,
    usage: toVideoUsage(parseNumber(metadata['duration'])),
  };
}

function encodeVideo(task: TaskView): JsonObject {
  const [work] = task.works;
  const { duration, seconds, width, height, size } = task.request;
  return {
    task_id: task.id,
    status: names[task.status],
    ...(task.status === 'succeeded'
      ? { url: work?.address ?? `${task.site}/v1/videos/${task.id}/content`, format: 'mp4' }
      : {}),
    metadata: {
      duration: work?.seconds ?? parseLength(duration ?? seconds) ?? SECONDS_DEFAULT,
      ...(isValidSide(width) && isValidSide(height) ? { width, height } : parseSize(size)),
    },
    error: task.status === 'failed' ? { code: 500, message: task.failure } : null,
  };
}
