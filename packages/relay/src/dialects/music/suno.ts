import { requireText } from '../../exchange/check-request-fields.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  parseEmbeddedJson,
  parseNumber,
  textOf,
} from '../../json/json.ts';
import type { ClientRequest, SubmissionRoute } from '../../model/client-request.ts';
import type { Dialect, ErrorDetail } from '../../model/dialect.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import {
  measureArtifacts,
  parsePercent,
  type TaskArtifact,
  type TaskOrigin,
  type TaskStatus,
  type TaskUpdate,
  type TaskView,
  type UpstreamTasks,
} from '../../model/task-types.ts';
import { emptyUsage } from '../../model/usage.ts';
import { pickKnownFields, pushDroppedFields } from '../../translate/pick-fields.ts';

const MODEL_DEFAULT = 'chirp-v3-0';
const LYRICS_MODEL = 'suno_lyrics';
const EXPIRY_SECONDS = 3_600;
const TASKS_PER_POLL = 50;
/** Maximum seconds: two songs of eight minutes each, of which a used-up balance would not cover the excess. */
const SECONDS_EXPECTED = 960;
const CHARACTERS_EXPECTED = 3_000;
/** OpenAI's count of tokens per second of audio, and per character, for token prices. */
const TOKENS_PER_SECOND = 20;
const CHARACTERS_PER_TOKEN = 4;

/** Fields that proxies get besides the ids of a song that is continued. */
const sentFields = [
  'mv',
  'prompt',
  'gpt_description_prompt',
  'title',
  'tags',
  'negative_tags',
  'make_instrumental',
  'continue_at',
];

const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

const upstreamTasks: UpstreamTasks = {
  readSubmission,
  tasksPerPoll: TASKS_PER_POLL,
  buildPoll: (ids) => ({ path: '/suno/fetch', body: { ids } }),
  readPoll: (answer) => listUpdates(Array.isArray(answer) ? answer : objectOf(answer)['data']),
  expirySeconds: EXPIRY_SECONDS,
  chargeWithoutArtifact: (action) => (action === 'music' || action === 'lyrics' ? undefined : 'paid'),
  generatedTextField: 'data',
};

/** Songs and lyrics of a Suno API proxy, in the proxy's own dialect. https://github.com/Suno-API/Suno-API */
export const suno: Dialect = {
  id: 'suno',
  operation: 'music',
  readSubmission(body, route) {
    const action = route.path ?? '';
    const clip = textOf(body['continue_clip_id']);
    const continued = clip === undefined ? undefined : textOf(body['task_id']);
    if (clip !== undefined && continued === undefined)
      throw new InvalidRequestError(
        'task_id must be the ID of the task that produced the song to continue.',
        'task_id',
      );
    if (clip !== undefined && route.origin !== undefined) resolveClipId(clip, route, route.origin);
    const originId = route.originId ?? continued;
    return {
      ...route,
      action,
      model: action === 'lyrics' ? LYRICS_MODEL : (textOf(body['mv']) ?? MODEL_DEFAULT),
      ...(originId === undefined ? {} : { originId }),
    };
  },
  readFacts(body, _files, order) {
    const isMusic = order?.action !== 'lyrics';
    if (!isMusic) requireText(body, 'prompt');
    const usage = isMusic
      ? { second: SECONDS_EXPECTED, audioOutput: SECONDS_EXPECTED * TOKENS_PER_SECOND }
      : { character: CHARACTERS_EXPECTED, output: CHARACTERS_EXPECTED / CHARACTERS_PER_TOKEN };
    return {
      hasTools: false,
      maxOutputTokens: undefined,
      choices: 1,
      inputTokensEstimate: 0,
      expected: { unit: isMusic ? 'second' : 'character', usage: { ...emptyUsage(), ...usage }, isCounted: false },
    };
  },
  prepare: (body, { model }) => (body['mv'] === undefined ? body : { ...body, mv: model }),
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  upstreamTasks,
  clientTasks: {
    idPrefix: '',
    readPrompt: (body) => textOf(body['gpt_description_prompt']) ?? textOf(body['prompt']) ?? '',
    encodeSubmission: ({ id }) => ({ code: 'success', message: '', data: id }),
    encodePoll: encodeSong,
    readCallbackUrl: (body) => textOf(body['notify_hook']),
  },
  encodeError,
  encodeStreamError: encodeError,
};

/**
 * Returns the body for the proxy, with the proxy's ids of the continued song and its task. Unless the client owns
 * that song, these fields are omitted, because they could name another user's. So are all unknown fields: proxies
 * take from them another model or task than the one that is billed, and the songs and voices of other users.
 */
export function encodeSunoBody(body: JsonObject, { submission, facts }: ClientRequest, dropped: string[]): JsonObject {
  const { notify_hook: _notify, task_id: task, continue_clip_id: clip, ...own } = body;
  const origin = submission?.origin;
  const said = textOf(clip);
  const mv = facts.model === LYRICS_MODEL ? {} : { mv: facts.model };
  const sent = { ...mv, ...pickKnownFields(sentFields, own, dropped) };
  if (submission !== undefined && origin !== undefined && said !== undefined)
    return { ...sent, task_id: origin.upstreamId, continue_clip_id: resolveClipId(said, submission, origin) };
  pushDroppedFields({ task_id: textOf(task), continue_clip_id: said }, dropped);
  return sent;
}

/**
 * Returns the proxy's id of a song; the client's view of the task may contain this gateway's task id instead.
 * @throws InvalidRequestError when the task has no such song
 */
function resolveClipId(clip: string, { originId = '' }: SubmissionRoute, { upstreamId, said }: TaskOrigin): string {
  const theirs = originId === '' ? clip : clip.replaceAll(originId, upstreamId);
  if (listOf(said['data']).some((song) => objectOf(song)['id'] === theirs)) return theirs;
  throw new InvalidRequestError(
    'continue_clip_id must be the ID of a song of the task in task_id.',
    'continue_clip_id',
  );
}

function readSubmission(answer: JsonObject): TaskUpdate | undefined {
  const id = parseTaskId(answer['data']) ?? parseTaskId(answer);
  return id === undefined ? undefined : readUpdate(id, objectOf(answer['data']), 'queued');
}

/** @param unsaid task status if the proxy reports none */
function readUpdate(id: string, told: JsonObject, unsaid: TaskStatus): TaskUpdate {
  const data = parseEmbeddedJson(told['data']);
  const task = data === undefined ? told : { ...told, data: isObject(data) ? (listNestedSongs(data) ?? data) : data };
  const failure = textOf(task['fail_reason']);
  const status = parseTaskStatus({ word: task['status'], progress: task['progress'], failure }) ?? unsaid;
  const works = readArtifacts(task['data']);
  const progress = parsePercent(task['progress']);
  return {
    id,
    status,
    ...(progress === undefined ? {} : { progress }),
    works,
    ...(status === 'failed' ? { failure: failure ?? 'The music generation failed.' } : {}),
    usage: measureArtifacts(works),
    said: task,
  };
}

/** Lists the updates of one task, or of a list. */
function listUpdates(data: unknown): TaskUpdate[] {
  return [parseEmbeddedJson(data)].flat().map((said) => {
    const task = objectOf(said);
    return readUpdate(parseTaskId(task) ?? '', task, 'running');
  });
}

/** Reads artifacts: a list of songs, or one object with lyrics. */
function readArtifacts(data: unknown): TaskArtifact[] {
  const { text, title, status } = objectOf(data);
  const words = textOf(text);
  if (words !== undefined)
    return [{ kind: 'text', text: words, title: textOf(title) ?? '', ...toFinishedMark(status) }];
  return listOf(data).flatMap((one): TaskArtifact[] => {
    const song = objectOf(one);
    const at = textOf(song['audio_url']);
    if (at === undefined) return [];
    const seconds = parseNumber(objectOf(song['metadata'])['duration'] ?? song['duration']) ?? 0;
    const coverUrl = textOf(song['image_url']);
    return [
      {
        kind: 'audio',
        at,
        title: textOf(song['title']) ?? '',
        ...(coverUrl === undefined ? {} : { coverUrl }),
        ...(seconds > 0 ? { seconds } : {}),
        // Suno measures a song once it is complete; until then, its URL is that of a stream.
        ...toFinishedMark(song['status'] ?? (seconds > 0 ? 'complete' : undefined)),
      },
    ];
  });
}

function toFinishedMark(word: unknown): Pick<TaskArtifact, 'isFinished'> {
  return parseTaskStatus({ word }) === 'succeeded' ? { isFinished: true } : {};
}

/** Returns the songs of a proxy that nests them under a name; undefined without songs. */
function listNestedSongs(data: JsonObject): JsonObject[] | undefined {
  const songs = [data, ...Object.values(data)].flat().map(objectOf);
  const made = songs.filter((song) => textOf(song['audio_url']) !== undefined);
  return made.length === 0 ? undefined : made;
}

/** Returns the proxy's data of a song, without the account that created it. */
function encodeSong(task: TaskView): JsonObject {
  const said = task.said?.['data'];
  // A text would be the proxy's name of its task, not a song.
  const data = isObject(said) || Array.isArray(said) ? said : null;
  const songs = Array.isArray(data)
    ? data.map((song) => {
        const { user_id: _account, ...rest } = objectOf(song);
        const work = task.works.find(({ at }) => at !== undefined && at === rest['audio_url']);
        return work?.address === undefined ? rest : { ...rest, audio_url: work.address };
      })
    : data;
  return {
    task_id: task.id,
    notify_hook: '',
    action: task.action.toUpperCase(),
    status: names[task.status],
    fail_reason: task.failure,
    submit_time: task.createdAt,
    start_time: task.startedAt ?? 0,
    finish_time: task.endedAt ?? 0,
    progress: `${task.progress}%`,
    data: songs,
  };
}

function encodeError({ status, message, code }: ErrorDetail): string {
  return JSON.stringify({ code: code ?? (status < 500 ? 'invalid_request' : 'upstream_error'), message, data: null });
}
