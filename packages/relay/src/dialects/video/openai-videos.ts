import { requireText } from '../../exchange/check-request-fields.ts';
import { getFileBytes } from '../../exchange/multipart-request.ts';
import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, objectOf, parseNumber, textOf } from '../../json/json.ts';
import type { Dialect } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import {
  parseImage,
  type TaskOrigin,
  type TaskStatus,
  type TaskView,
  type UpstreamTasks,
  type VideoRequest,
} from '../../model/task-types.ts';
import { estimatePrompt } from '../../tokens/estimate-prompt-tokens.ts';
import { pickDefinedFields, pickUncoveredFields, pushDroppedFields } from '../../translate/pick-fields.ts';
import type { Form } from '../../wire/multipart.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import {
  createVideoFacts,
  estimateVideoUsage,
  parseLength,
  parseSize,
  readSubmissionUpdate,
  readVideoUpdate,
  requireSize,
  toVideoUsage,
  unwrapTask,
  type VendorVideoTask,
} from './video-dialect.ts';

const SECONDS_DEFAULT = 4;
const SECONDS_MAX = 600;
const SIZE_DEFAULT = '720x1280';
const covered = new Set(['model', 'prompt', 'seconds', 'size', 'input_reference']);

const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
};

/** Vendor's retention of files. https://platform.openai.com/docs/guides/video-generation */
const EXPIRY_SECONDS = 86_400;

const upstreamTasks: UpstreamTasks = {
  readSubmission(answer) {
    const id = parseTaskId(answer['id']) ?? parseTaskId(answer) ?? parseTaskId(answer['data']);
    return id === undefined ? undefined : readSubmissionUpdate(id, readVendorVideo(answer, id), answer);
  },
  tasksPerPoll: 1,
  buildPoll: ([id = '']) => ({ path: `/v1/videos/${id}` }),
  readPoll: (answer, [id = '']) => [readVideoUpdate(id, readVendorVideo(objectOf(answer), id), objectOf(answer))],
  expirySeconds: EXPIRY_SECONDS,
};

/**
 * OpenAI's `/v1/videos`: text and an image to video, billed by the second.
 * https://platform.openai.com/docs/api-reference/videos
 */
export const openaiVideos: Dialect = {
  ...createVideosDialect('openai-videos'),
  defaultModel: 'sora-2',
  /** Writes the priced options, in each field that an upstream may read, and no other priced ones. */
  prepare(body, { model, dropped }) {
    const { seconds, size } = readVideoFields(body);
    pushDroppedFields(pickUncoveredFields(covered, body), dropped);
    const { prompt, input_reference } = body;
    return pickDefinedFields({ model, prompt, seconds: String(seconds), size, input_reference });
  },
  decodeVideoRequest({ json, body, form }, dropped) {
    const { seconds, width, height } = readVideoFields(json);
    const more = pickUncoveredFields(covered, json);
    const image = form === undefined ? readJsonImage(json) : readUploadedImage(body, form);
    if (image === undefined && json['input_reference'] !== undefined) dropped.push('input_reference');
    return { prompt: requireText(json, 'prompt'), seconds, size: { width, height }, image, more };
  },
};

/** Remix of a video, which keeps the original's length and size. */
export const openaiVideoRemix: Dialect = {
  ...createVideosDialect('openai-video-remix'),
  // Replaced by the original's model as soon as the original is found.
  defaultModel: 'sora-2',
  prepare: ({ prompt }) => pickDefinedFields({ prompt }),
  // Length and size are the original's, whatever else a client requests.
  mergeFollowUp: (origin, { prompt }) => pickDefinedFields({ prompt, ...readOriginFields(origin) }),
};

/** Returns the billed length and size of the original, else those in any form of its submission. */
function readOriginFields({ request, usage }: TaskOrigin): JsonObject {
  const { seconds, duration, size, width, height } = request;
  const sides = width === undefined || height === undefined ? undefined : `${Number(width)}x${Number(height)}`;
  const billed = parseSize(usage.imageVariant) === undefined ? undefined : usage.imageVariant;
  return { seconds: usage.second > 0 ? usage.second : (seconds ?? duration), size: billed ?? size ?? sides };
}

function createVideosDialect(id: 'openai-videos' | 'openai-video-remix'): Omit<Dialect, 'prepare'> {
  return {
    id,
    operation: 'videos',
    readSubmission: (_body, route) =>
      route.origin === undefined
        ? { ...route, action: id === 'openai-videos' ? 'video' : 'remix' }
        : { ...route, action: 'remix', model: route.origin.model },
    readFacts(body) {
      const prompt = requireText(body, 'prompt');
      const film = readVideoFields(body);
      return createVideoFacts(estimateVideoUsage(film.seconds, film.size, film), estimatePrompt({ prompt }, ''));
    },
    readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
    upstreamTasks,
    clientTasks: {
      idPrefix: 'video_',
      readPrompt: (body) => textOf(body['prompt']) ?? '',
      encodeSubmission: encodeVideo,
      encodePoll: encodeVideo,
    },
    encodeError: encodeOpenaiError,
    encodeStreamError: encodeOpenaiStreamError,
  };
}

function readUploadedImage(body: Buffer, form: Form): VideoRequest['image'] {
  const image = getFileBytes(body, form, 'input_reference');
  return image && { base64: image.toString('base64') };
}

/** Returns the image of a JSON body: a URL or a data URL, alone or as `image_url`. */
function readJsonImage(json: JsonObject): VideoRequest['image'] {
  const reference = json['input_reference'];
  const url = textOf(reference) ?? textOf(objectOf(reference)['image_url']);
  return url === undefined ? undefined : parseImage(url);
}

/** @throws InvalidRequestError */
function readVideoFields(body: JsonObject): { seconds: number; size: string; width: number; height: number } {
  const seconds = parseLength(body['seconds'] ?? SECONDS_DEFAULT) ?? 0;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > SECONDS_MAX)
    throw new InvalidRequestError(
      `seconds must be a whole number between 1 and ${SECONDS_MAX}, not ${describeValue(body['seconds'])}.`,
      'seconds',
    );
  const { width, height } = requireSize(body['size'] ?? SIZE_DEFAULT);
  return { seconds, size: `${width}x${height}`, width, height };
}

/** @param id id of the video, which is in the path of its content */
function readVendorVideo(answer: JsonObject, id: string): VendorVideoTask {
  const video = unwrapTask(answer);
  const seconds = parseNumber(video['seconds']);
  const error = objectOf(video['error']);
  const film = {
    word: video['status'],
    progress: video['progress'],
    failure: textOf(error['message']) ?? textOf(error['code']) ?? video['error'] ?? video['fail_reason'],
    usage: Number.isInteger(seconds) ? toVideoUsage(seconds, readSizeVariant(video)) : undefined,
  };
  return { ...film, urlCandidates: parseTaskStatus(film) === 'succeeded' ? [`/v1/videos/${id}/content`] : [] };
}

function readSizeVariant({ size }: JsonObject): { imageVariant?: string } {
  const made = parseSize(size);
  return made === undefined ? {} : { imageVariant: `${made.width}x${made.height}` };
}

function encodeVideo(task: TaskView): JsonObject {
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status: names[task.status],
    progress: task.progress,
    created_at: task.createdAt,
    completed_at: task.status === 'succeeded' ? (task.endedAt ?? null) : null,
    expires_at: task.status === 'succeeded' ? (task.endedAt ?? 0) + EXPIRY_SECONDS : null,
    prompt: task.prompt,
    size: textOf(task.request['size']) ?? SIZE_DEFAULT,
    seconds: String(parseLength(task.request['seconds']) ?? SECONDS_DEFAULT),
    remixed_from_video_id: task.originId ?? null,
    error: task.status === 'failed' ? { code: 'video_generation_failed', message: task.failure } : null,
  };
}
