import { type JsonObject, objectOf, parseEmbeddedJson, parseNumber, textOf } from '../../json/json.ts';
import type { Dialect, ErrorDetail } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import type {
  TaskArtifact,
  TaskOrigin,
  TaskStatus,
  TaskUpdate,
  TaskView,
  UpstreamTasks,
  VideoRequest,
  VideoSubmission,
} from '../../model/task-types.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import {
  encodeKlingBody,
  hasFixedLength,
  klingModes,
  listKlingLengths,
  readKlingOrigin,
  readKlingSubmission,
  readSourceVariant,
  replaceVideoId,
  toKlingPriceName,
} from './kling-submissions.ts';
import {
  createVideoFacts,
  createVideoSubmission,
  estimateVideoUsage,
  matchOption,
  roundUpLength,
} from './video-dialect.ts';

const PATH_DEFAULT = 'text2video';
const EXPIRY_SECONDS = 86_400;
const SIZE = { width: 1280, height: 720 };
const ratios = ['16:9', '9:16', '1:1'];
const known = ['negative_prompt', 'cfg_scale', 'mode', 'camera_control', 'aspect_ratio'];
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

const upstreamTasks: UpstreamTasks = {
  readSubmission: (answer, path) => {
    const kind = path.split('/').at(-1) ?? '';
    const data = readTask(answer);
    const id = parseTaskId(data['task_id']) ?? parseTaskId(answer['data']) ?? parseTaskId(answer);
    // The polling path contains the submission's path.
    return id === undefined ? undefined : readUpdate(`${kind}/${id}`, data, 'queued');
  },
  tasksPerPoll: 1,
  buildPoll: ([id = '']) => ({ path: `/v1/videos/${id}` }),
  readPoll: (answer, [id = '']) => [readUpdate(id, readTask(objectOf(answer)), 'running')],
  expirySeconds: EXPIRY_SECONDS,
};

/** Kling's videos. https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo */
export const klingVideos: Dialect = {
  id: 'kling-videos',
  operation: 'videos',
  readSubmission(body, route) {
    const { path = PATH_DEFAULT } = route;
    const originId = readKlingOrigin(path, body)?.taskId;
    resolveVideoId(path, body, route.origin);
    return {
      ...route,
      action: path,
      model: toKlingPriceName(path, body),
      ...(originId === undefined ? {} : { originId, isModelImplied: true }),
    };
  },
  readFacts(body, _files, order) {
    const path = order?.path ?? PATH_DEFAULT;
    const variant = order?.origin === undefined ? '' : readSourceVariant(path, order.origin);
    const { seconds } = readKlingSubmission(path, body);
    return createVideoFacts(estimateVideoUsage(seconds, variant, SIZE), 0, hasFixedLength(path));
  },
  // A video keeps its model and its mode when it is continued, whatever a client names; the next extension is billed
  // by them.
  mergeFollowUp({ request }, body) {
    const { model_name, model, mode } = request;
    return pickDefinedFields({ ...request, ...body, model_name, model, mode });
  },
  // Removes callback URLs and the client's task id, which this gateway handles itself.
  prepare(body, { model, submission, dropped }) {
    const path = submission?.path ?? PATH_DEFAULT;
    const id = resolveVideoId(path, body, submission?.origin);
    return replaceVideoId(path, encodeKlingBody(path, body, model, dropped), id);
  },
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  upstreamTasks,
  encodeVideoSubmission,
  clientTasks: {
    idPrefix: '',
    readPrompt: (body) => textOf(body['prompt']) ?? '',
    encodeSubmission: encodeEnvelope,
    encodePoll: encodeEnvelope,
    readCallbackUrl: (body) => textOf(body['callback_url']),
    // https://app.klingai.com/global/dev/document-api/apiReference/callbackProtocol
    encodeCallback: encodeVideo,
  },
  encodeError,
  encodeStreamError: encodeError,
};

/** @throws InvalidRequestError when the continued task has no such video */
function resolveVideoId(path: string, body: JsonObject, origin: TaskOrigin | undefined): string | undefined {
  const video = readKlingOrigin(path, body);
  if (video === undefined || origin === undefined) return undefined;
  const id = parseTaskId(listVideos(origin.said)[video.nth]?.['id']);
  if (id !== undefined) return id;
  throw new InvalidRequestError(
    'video_id names no video of this task. Take it from the response of the task.',
    'video_id',
  );
}

function encodeVideoSubmission(asked: VideoRequest, model: string, dropped: string[]): VideoSubmission {
  const { prompt, image, more, size } = asked;
  const seconds = roundUpLength(listKlingLengths(model), asked.seconds);
  const mode = more['mode'] === undefined ? undefined : matchOption(klingModes, more['mode'], 'mode');
  const body = pickDefinedFields({
    model_name: model,
    prompt,
    duration: String(seconds),
    image: image && ('url' in image ? image.url : image.base64),
    aspect_ratio: image === undefined ? findNearestRatio({ size }, ratios) : undefined,
    ...pickKnownFields(known, more, dropped),
    mode,
  });
  return createVideoSubmission({ seconds, variant: mode ?? 'std' }, body);
}

/** Reads a task, or a list with one task. */
function readTask({ data }: JsonObject): JsonObject {
  const [task] = [parseEmbeddedJson(data)].flat();
  return objectOf(task);
}

/**
 * Reads an update.
 * @param id task id with the path of its submission
 * @param unsaid task status if the vendor reports none
 */
function readUpdate(id: string, data: JsonObject, unsaid: TaskStatus): TaskUpdate {
  const failure = textOf(data['task_status_msg']);
  const works = listVideos(data).flatMap(({ url, duration }): TaskArtifact[] => {
    const at = textOf(url);
    const seconds = parseNumber(duration) ?? 0;
    return at === undefined ? [] : [{ kind: 'video', at, ...(seconds > 0 ? { seconds } : {}) }];
  });
  const word = data['task_status'] ?? data['status'];
  const status = parseTaskStatus({ word, failure }) ?? (works.length > 0 ? 'succeeded' : unsaid);
  const seconds = works.reduce((sum, work) => sum + (work.seconds ?? 0), 0);
  // Kling reports an extended video with the seconds of its source, and adds 4 to 5 seconds itself:
  // https://app.klingai.com/global/dev/document-api/apiReference/model/videoExtension
  const isMeasured = seconds > 0 && !id.startsWith('video-extend/');
  return {
    id,
    status,
    works,
    ...(status === 'failed' ? { failure: failure ?? 'The video generation failed.' } : {}),
    // The vendor reports milliseconds and bills whole steps of five seconds.
    ...(isMeasured ? { usage: { second: Math.max(1, Math.round(seconds)) } } : {}),
    said: data,
  };
}

/** Returns the videos that have a URL. */
function listVideos({ task_result: result }: JsonObject): JsonObject[] {
  const videos = [objectOf(parseEmbeddedJson(result))['videos']].flat().map(objectOf);
  return videos.filter(({ url }) => textOf(url) !== undefined);
}

function encodeEnvelope(task: TaskView): JsonObject {
  return { code: 0, message: 'SUCCEED', request_id: task.id, data: encodeVideo(task) };
}

function encodeVideo(task: TaskView): JsonObject {
  const videos = task.works.map(({ at, address = at, seconds }, nth) => ({
    id: `${task.id}-${nth + 1}`,
    url: address,
    duration: String(seconds ?? videoSeconds(task)),
  }));
  return {
    task_id: task.id,
    task_status: names[task.status],
    task_status_msg: task.failure,
    created_at: task.createdAt * 1000,
    updated_at: (task.endedAt ?? task.startedAt ?? task.createdAt) * 1000,
    ...(task.status === 'succeeded' ? { task_result: { videos } } : {}),
  };
}

function videoSeconds({ request }: TaskView): number {
  return parseNumber(request['duration']) ?? 5;
}

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
function encodeError({ status, message }: ErrorDetail): string {
  const codes: Readonly<Record<number, number>> = { 401: 1000, 402: 1101, 403: 1103, 404: 1202, 429: 1302 };
  return JSON.stringify({ code: codes[status] ?? (status < 500 ? 1201 : 5000), message, request_id: '' });
}
