import { UpstreamError } from '../../errors/upstream-error.ts';
import { requireList } from '../../exchange/check-request-fields.ts';
import {
  type JsonObject,
  listOf,
  objectOf,
  objectsIn,
  parseEmbeddedJson,
  parseNumber,
  textOf,
} from '../../json/json.ts';
import type { ClientRequest } from '../../model/client-request.ts';
import type { Dialect, ErrorDetail } from '../../model/dialect.ts';
import { isSuccessCode, parseTaskStatus } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import {
  parsePercent,
  type TaskStatus,
  type TaskUpdate,
  type TaskView,
  type UpstreamTasks,
} from '../../model/task-types.ts';
import { emptyUsage } from '../../model/usage.ts';
import { listUrls } from '../video/video-dialect.ts';
import {
  BANNED_PROMPT,
  isRefusalCode,
  kindByCode,
  MODAL_OPENED,
  NOT_FOUND,
  QUEUE_REJECTED,
  readAction,
  readOriginId,
  resolveMode,
  stripPaidParameters,
  TOO_MANY_REQUESTS,
  toPriceName,
  UNKNOWN_ERROR,
  VALIDATION_ERROR,
} from './midjourney-submissions.ts';

const EXPIRY_SECONDS = 3_600;
const TASKS_PER_POLL = 50;
/** Estimated output tokens of a grid, for prices by tokens: four of OpenAI's images. */
const SHEET_TOKENS = 4 * 1_056;
/** Proxy's names for an open task, which are more precise than this gateway's status. */
const openNames: ReadonlySet<string> = new Set(['NOT_START', 'SUBMITTED', 'MODAL', 'IN_PROGRESS']);
/** Codes of refusals because of a prompt's content. */
const blocked: ReadonlySet<string> = new Set(['content_filter', 'content_policy_violation']);
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};
/** Actions that open a modal task, whose input determines the image. */
const modalActions: ReadonlySet<string> = new Set(['inpaint', 'custom_zoom']);
/** Actions with text results. */
const textActions: ReadonlySet<string> = new Set(['describe', 'shorten']);
/**
 * Properties of the proxy's task that a client sees. `gatewayFields` are request fields about accounts and callbacks,
 * which this gateway handles itself.
 */
const visibleProperties = ['finalPrompt', 'finalZhPrompt', 'bannedWord', 'imageHeight', 'imageWidth'];
const gatewayFields: ReadonlySet<string> = new Set(['accountFilter', 'filter', 'notifyHook']);

const upstreamTasks: UpstreamTasks = {
  readSubmission,
  tasksPerPoll: TASKS_PER_POLL,
  buildPoll: (ids) => ({ path: '/mj/task/list-by-condition', body: { ids } }),
  readPoll: (answer) => listTasks(answer).map((task) => readUpdate(task, 'running')),
  expirySeconds: EXPIRY_SECONDS,
  chargeWithoutArtifact: (action, before) =>
    textActions.has(action) ? 'paid' : isModalTask(action, before) ? 'free' : undefined,
};

/**
 * Midjourney tasks of a midjourney-proxy, in the proxy's own dialect. https://github.com/novicezk/midjourney-proxy
 */
export const midjourney: Dialect = {
  id: 'midjourney',
  operation: 'drawing',
  readSubmission(body, route) {
    const mode = resolveMode(route);
    const action = readAction(body, route);
    const originId = readOriginId(body, route);
    const opensWindow = modalActions.has(action);
    return {
      ...route,
      mode,
      action,
      model: toPriceName(opensWindow ? 'modal' : action, mode),
      isModal: opensWindow,
      ...(originId === undefined ? {} : { originId, isModelImplied: true }),
    };
  },
  readFacts: () => ({
    hasTools: false,
    maxOutputTokens: undefined,
    choices: 1,
    inputTokensEstimate: 0,
    expected: { unit: 'image', usage: { ...emptyUsage(), image: 1, imageOutput: SHEET_TOKENS }, isCounted: true },
  }),
  prepare: (body) => body,
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  upstreamTasks,
  clientTasks: {
    idPrefix: '',
    readPrompt: (body) => textOf(body['prompt']) ?? textOf(body['content']) ?? '',
    encodeSubmission: ({ id, said }) => ({
      code: 1,
      description: 'Submit success',
      result: id,
      properties: pickVisibleProperties(said),
    }),
    encodePoll: encodeDrawing,
    readCallbackUrl: (body) => textOf(body['notifyHook']),
  },
  encodeError: encodeMidjourneyError,
  encodeStreamError: encodeMidjourneyError,
};
/** Path below `/mj/`. */
export const UPLOAD_PATH = 'submit/upload-discord-images';

/** Returns the body without the fields that this gateway handles itself. */
function stripGatewayFields(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !gatewayFields.has(name)));
}

/** Returns the body for the proxy, with the proxy's id of the original task, and in the billed mode. */
export function encodeMidjourneyBody(body: JsonObject, { submission }: ClientRequest, dropped: string[]): JsonObject {
  const own = stripGatewayFields(body);
  const { origin, originId = '', mode = '' } = submission ?? {};
  const content = textOf(own['content']);
  const said = textOf(own['prompt']);
  const prompt = said === undefined ? undefined : stripPaidParameters(said);
  if (prompt !== said) dropped.push('prompt.parameters');
  const button = textOf(own['customId']);
  return {
    ...own,
    ...(prompt === undefined ? {} : { prompt }),
    ...(origin === undefined || own['taskId'] === undefined ? {} : { taskId: origin.upstreamId }),
    ...(origin === undefined || content === undefined ? {} : { content: content.replace(originId, origin.upstreamId) }),
    // The client's view of the task has this gateway's id where the button has the proxy's.
    ...(origin === undefined || button === undefined || originId === ''
      ? {}
      : { customId: button.replaceAll(originId, origin.upstreamId) }),
    accountFilter: { modes: [mode.toUpperCase()] },
  };
}

/** Returns true if a modal task waits for input, judged by its action or the proxy's last response. */
export function isModalTask(action: string, { code, status }: JsonObject): boolean {
  const isOpened = parseNumber(code) === MODAL_OPENED || textOf(status)?.toUpperCase() === 'MODAL';
  return modalActions.has(action) || isOpened;
}

/** @throws UpstreamError */
function readSubmission(answer: JsonObject): TaskUpdate | undefined {
  const { code = 1, result } = answer;
  const id = parseTaskId(result) ?? parseTaskId(answer);
  // Forks have additional codes: beside an id, only a known refusal code means a refusal.
  if (isRefusalCode(code) || (id === undefined && !isSuccessCode(code))) throw createRefusalError(answer);
  if (id === undefined) return undefined;
  const { status, failure } = readUpdate({ ...answer, ...objectOf(result) }, 'queued');
  return { id, status, ...(failure === undefined ? {} : { failure }), works: [], said: answer };
}

/** Returns the error of a refused submission. */
function createRefusalError({ code, description }: JsonObject): UpstreamError {
  const words = textOf(description) ?? 'The upstream did not accept the task.';
  const number = parseNumber(code) ?? UNKNOWN_ERROR;
  return new UpstreamError(kindByCode.get(number) ?? 'overloaded', words, {
    status: 200,
    code: number === BANNED_PROMPT ? 'content_filter' : String(number),
  });
}

/** Lists the tasks of a response: a list, a list in an envelope, or a single task. */
function listTasks(answer: unknown): readonly JsonObject[] {
  const { list, data, result } = objectOf(answer);
  const tasks = [answer, list, data, result].map(parseEmbeddedJson).find(Array.isArray) ?? [answer];
  return objectsIn(tasks);
}

/** @param unsaid task status if the proxy reports none */
function readUpdate(task: JsonObject, unsaid: TaskStatus): TaskUpdate {
  const failure = textOf(task['failReason']);
  const status = parseTaskStatus({ word: task['status'], progress: task['progress'], failure }) ?? unsaid;
  const progress = parsePercent(task['progress']);
  const isDrawn = status === 'running' && progress === 100;
  const [url] = listUrls([task['imageUrl'], task['image_url'], task['imageUrls']]);
  return {
    id: parseTaskId(task['id']) ?? '',
    status,
    ...(progress === undefined ? {} : { progress }),
    works: url === undefined ? [] : [{ kind: 'image', at: url, ...(isDrawn && { isFinished: true }) }],
    ...(status === 'failed' ? { failure: failure ?? 'The image generation failed.' } : {}),
    said: task,
  };
}

const milliseconds = (seconds: number | undefined): number => (seconds ?? 0) * 1000;

function encodeDrawing(task: TaskView): JsonObject {
  const { said = {} } = task;
  const [work] = task.works;
  return {
    id: task.id,
    action: task.action.toUpperCase(),
    customId: textOf(task.request['customId']) ?? '',
    botType: textOf(task.request['botType']) ?? 'MID_JOURNEY',
    prompt: task.prompt,
    promptEn: textOf(said['promptEn']) ?? '',
    description: textOf(said['description']) ?? '',
    state: textOf(task.request['state']) ?? '',
    submitTime: milliseconds(task.createdAt),
    startTime: milliseconds(task.startedAt),
    finishTime: milliseconds(task.endedAt),
    imageUrl: work === undefined ? '' : (work.address ?? `${task.site}/mj/image/${task.id}`),
    status: statusName(task),
    // The proxy forgets the progress of a failed task.
    progress: task.status === 'failed' ? '' : `${task.progress}%`,
    failReason: task.failure,
    // Only a succeeded task allows follow-ups.
    buttons: task.status === 'succeeded' ? listOf(said['buttons']) : [],
    maskBase64: '',
    properties: pickVisibleProperties(said),
  };
}

/**
 * Returns the status name. Only the proxy knows that a modal task waits; this gateway determines that a task has
 * ended.
 */
function statusName({ status, endedAt, said }: TaskView): string {
  const own = textOf(said?.['status'])?.toUpperCase() ?? '';
  return endedAt === undefined && openNames.has(own) ? own : names[status];
}

/** Removes the proxy's internal data: its accounts, messages and callbacks. */
function pickVisibleProperties(said: JsonObject | undefined): JsonObject {
  const properties = objectOf(said?.['properties']);
  return Object.fromEntries(
    visibleProperties.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])),
  );
}

/** Writes an error with the proxy's codes. */
function encodeMidjourneyError({ status, message, code, upstreamCode }: ErrorDetail): string {
  return JSON.stringify({
    code: toMidjourneyCode(status, code, upstreamCode),
    description: message,
    type: code ?? 'upstream_error',
    result: '',
  });
}

function toMidjourneyCode(status: number, code = '', upstreamCode = ''): number {
  if ([code, upstreamCode].some((name) => blocked.has(name))) return BANNED_PROMPT;
  if (code === 'upstream_saturated') return QUEUE_REJECTED;
  if (status === 429) return TOO_MANY_REQUESTS;
  if (status === 404 || upstreamCode === String(NOT_FOUND)) return NOT_FOUND;
  return status < 500 ? VALIDATION_ERROR : UNKNOWN_ERROR;
}

/**
 * Image uploads to a midjourney-proxy, which prompts can refer to: answered at once, and free.
 * https://github.com/trueai-org/midjourney-proxy
 */
export const midjourneyUploads: Dialect = {
  id: 'midjourney-uploads',
  operation: 'drawing',
  readSubmission: (_body, route) => ({
    ...route,
    action: 'upload',
    model: toPriceName('upload', resolveMode(route)),
    isFree: true,
  }),
  readFacts(body) {
    requireList(body, 'base64Array');
    return {
      hasTools: false,
      maxOutputTokens: 0,
      choices: 1,
      inputTokensEstimate: 0,
      expected: { unit: 'image', usage: emptyUsage(), isCounted: true },
    };
  },
  prepare: stripGatewayFields,
  readNonStreaming(answer) {
    const addresses = listOf(answer['result']).flatMap((address) => textOf(address) ?? []);
    if (answer['code'] !== 1 || addresses.length === 0) throw createRefusalError(answer);
    return { usage: emptyUsage(), content: [], binaries: addresses };
  },
  encodeError: encodeMidjourneyError,
  encodeStreamError: encodeMidjourneyError,
};
