import { type JsonObject, numberOf, objectOf, textOf, writtenOut } from '../../json/json.ts';
import type { Dialect, ErrorDetail } from '../../model/format.ts';
import { InvalidRequest } from '../../model/invalid-request.ts';
import { taskIdOf } from '../../model/task-id.ts';
import { statusOf } from '../../model/task-status.ts';
import type {
  FilmOrder,
  Origin,
  TaskNews,
  TaskStatus,
  TaskView,
  UpstreamOrders,
  VideoAsked,
  Work,
} from '../../model/task-types.ts';
import { nearestRatio } from '../images/openai-images/image-fields.ts';
import { definedFields, knownAmong } from '../openai/defined-fields.ts';
import {
  klingBody,
  klingLengths,
  klingModes,
  klingOrigin,
  klingPriceName,
  readKlingSubmission,
  withVideoId,
} from './kling-submissions.ts';
import { filmOrder, lengthAmong, oneAmong } from './video-submission.ts';
import { filmFacts, filmUsage } from './video-usage.ts';

const PATH_DEFAULT = 'text2video';
const LASTS_SECONDS = 86_400;
const SIZE = { width: 1280, height: 720 };
const ratios = ['16:9', '9:16', '1:1'];
const known = ['negative_prompt', 'cfg_scale', 'mode', 'camera_control', 'aspect_ratio'];
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'submitted',
  running: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

const orders: UpstreamOrders = {
  taken: (answer, path) => {
    const kind = path.split('/').at(-1) ?? '';
    const data = taskIn(answer);
    const id = taskIdOf(data['task_id']) ?? taskIdOf(answer['data']) ?? taskIdOf(answer);
    // It is asked about where it was ordered.
    return id === undefined ? undefined : newsIn(`${kind}/${id}`, data, 'queued');
  },
  together: 1,
  question: ([id = '']) => ({ path: `/v1/videos/${id}` }),
  read: (answer, [id = '']) => [newsIn(id, taskIn(objectOf(answer)), 'running')],
  lastsSeconds: LASTS_SECONDS,
};

/** Kling's films. https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo */
export const klingVideos: Dialect = {
  id: 'kling-videos',
  operation: 'videos',
  readOrder(body, route) {
    const { path = PATH_DEFAULT } = route;
    const originId = klingOrigin(path, body)?.taskId;
    vendorsVideoId(path, body, route.origin);
    return {
      ...route,
      action: path,
      model: klingPriceName(path, body),
      ...(originId === undefined ? {} : { originId }),
    };
  },
  readFacts: (body, _files, order) =>
    filmFacts(filmUsage(readKlingSubmission(order?.path ?? PATH_DEFAULT, body).seconds, '', SIZE), 0),
  // Whom the vendor tells is this gateway's business, and so is its own name for the task.
  prepare(body, { model, order, dropped }) {
    const path = order?.path ?? PATH_DEFAULT;
    const id = vendorsVideoId(path, body, order?.origin);
    return withVideoId(path, klingBody(path, body, model, dropped), id);
  },
  readWhole: () => ({ usage: undefined, content: [], binaries: [] }),
  orders,
  makesVideo,
  tasks: {
    idPrefix: '',
    promptOf: (body) => textOf(body['prompt']) ?? '',
    ordered: envelopeOf,
    shown: envelopeOf,
    callbackOf: (body) => textOf(body['callback_url']),
    // https://app.klingai.com/global/dev/document-api/apiReference/callbackProtocol
    told: filmOfTask,
  },
  encodeError,
  encodeStreamError: encodeError,
};

/** @throws InvalidRequest when the task that is gone on from has no such video */
function vendorsVideoId(path: string, body: JsonObject, origin: Origin | undefined): string | undefined {
  const video = klingOrigin(path, body);
  if (video === undefined || origin === undefined) return undefined;
  const id = taskIdOf(videosIn(origin.said)[video.nth]?.['id']);
  if (id !== undefined) return id;
  throw new InvalidRequest('video_id is not a video of its task.', 'video_id');
}

function makesVideo(asked: VideoAsked, model: string, dropped: string[]): FilmOrder {
  const { prompt, image, more, size } = asked;
  const seconds = lengthAmong(klingLengths(model), asked.seconds);
  const mode = more['mode'] === undefined ? undefined : oneAmong(klingModes, more['mode'], 'mode');
  const body = definedFields({
    model_name: model,
    prompt,
    duration: String(seconds),
    image: image && ('url' in image ? image.url : image.base64),
    aspect_ratio: image === undefined ? nearestRatio({ size }, ratios) : undefined,
    ...knownAmong(known, more, dropped),
    mode,
  });
  return filmOrder({ seconds, variant: mode ?? 'std' }, body);
}

/** One task, or a list of it. */
function taskIn({ data }: JsonObject): JsonObject {
  const [task] = [writtenOut(data)].flat();
  return objectOf(task);
}

/**
 * @param id of the task, below how it was ordered
 * @param unsaid its state where the vendor says none
 */
function newsIn(id: string, data: JsonObject, unsaid: TaskStatus): TaskNews {
  const failure = textOf(data['task_status_msg']);
  const works = videosIn(data).flatMap(({ url, duration }): Work[] => {
    const at = textOf(url);
    const seconds = Number(duration);
    return at === undefined ? [] : [{ kind: 'video', at, ...(seconds > 0 ? { seconds } : {}) }];
  });
  const word = data['task_status'] ?? data['status'];
  const status = statusOf({ word, failure }) ?? (works.length > 0 ? 'succeeded' : unsaid);
  const seconds = works.reduce((sum, work) => sum + (work.seconds ?? 0), 0);
  return {
    id,
    status,
    works,
    ...(status === 'failed' ? { failure: failure ?? 'The video generation failed.' } : {}),
    // The length is told to the millisecond, and sold by five seconds.
    ...(seconds > 0 ? { usage: { second: Math.max(1, Math.round(seconds)) } } : {}),
    said: data,
  };
}

/** Returns the videos that have an address. */
function videosIn({ task_result: result }: JsonObject): JsonObject[] {
  const videos = [objectOf(writtenOut(result))['videos']].flat().map(objectOf);
  return videos.filter(({ url }) => textOf(url) !== undefined);
}

function envelopeOf(task: TaskView): JsonObject {
  return { code: 0, message: 'SUCCEED', request_id: task.id, data: filmOfTask(task) };
}

function filmOfTask(task: TaskView): JsonObject {
  const videos = task.works.map(({ at, address = at, seconds }, nth) => ({
    id: `${task.id}-${nth + 1}`,
    url: address,
    duration: String(seconds ?? filmSeconds(task)),
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

function filmSeconds({ request }: TaskView): number {
  return numberOf(Number(request['duration'] ?? 5)) ?? 5;
}

/** https://app.klingai.com/global/dev/document-api/apiReference/commonInfo */
function encodeError({ status, message }: ErrorDetail): string {
  const codes: Readonly<Record<number, number>> = { 401: 1000, 402: 1101, 403: 1103, 404: 1202, 429: 1302 };
  return JSON.stringify({ code: codes[status] ?? (status < 500 ? 1201 : 5000), message, request_id: '' });
}
