import type { ClientRequest } from '../client-request.ts';
import type { Dialect, ErrorDetail } from '../format.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts';
import { percentOf, type TaskNews, type TaskStatus, type TaskView, type UpstreamOrders } from '../tasks.ts';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error.ts';
import { emptyUsage } from '../usage.ts';
import { actionOf, modelOf, modeOf, originOf } from './midjourney-orders.ts';
import { plainPrompt } from './midjourney-prompt.ts';

const LASTS_SECONDS = 3_600;
const TOGETHER = 50;
/** For a price by tokens: four pictures of those that OpenAI makes. */
const SHEET_TOKENS = 4 * 1_056;
const plainId = /^[\w-]{1,64}$/;
/** Of some proxies; of others it is there already. */
const WINDOW_OPENED = 21;
/** 1: submitted, 22: waiting in the queue. */
const taken: ReadonlySet<unknown> = new Set([1, WINDOW_OPENED, 22]);
const statuses: Readonly<Record<string, TaskStatus>> = {
  NOT_START: 'queued',
  SUBMITTED: 'queued',
  MODAL: 'queued',
  IN_PROGRESS: 'running',
  SUCCESS: 'succeeded',
  FAILURE: 'failed',
  CANCEL: 'failed',
};
const names: Readonly<Record<TaskStatus, string>> = {
  queued: 'SUBMITTED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};
const kindByCode: ReadonlyMap<unknown, UpstreamErrorKind> = new Map([
  [4, 'rejected'],
  [24, 'rejected'],
  [23, 'rate-limited'],
]);
/** They open a window, and what is drawn is said by its answer. */
const windows: ReadonlySet<string> = new Set(['inpaint', 'custom_zoom']);
/** What a client may say of accounts and calls back; both are this gateway's business. */
const told = ['finalPrompt', 'finalZhPrompt', 'bannedWord', 'imageHeight', 'imageWidth'];
const ownFields: ReadonlySet<string> = new Set(['accountFilter', 'filter', 'notifyHook']);

const orders: UpstreamOrders = {
  taken: readTaken,
  together: TOGETHER,
  question: (ids) => ({ path: '/mj/task/list-by-condition', body: { ids } }),
  read: (answer) => tasksIn(answer).map(newsIn),
  lastsSeconds: LASTS_SECONDS,
  // A window that was answered; what `describe` and `shorten` say in words.
  mayMakeNothing: () => true,
};

/** Drawings by a midjourney-proxy, in whose dialect its clients ask. https://github.com/novicezk/midjourney-proxy */
export const midjourney: Dialect = {
  id: 'midjourney',
  operation: 'drawing',
  readOrder(body, route) {
    const mode = modeOf(route);
    const action = actionOf(body, route);
    const originId = originOf(body, route);
    const opensWindow = windows.has(action);
    return {
      ...route,
      mode,
      action,
      model: modelOf(opensWindow ? 'modal' : action, mode),
      isWindow: opensWindow,
      ...(originId === undefined ? {} : { originId }),
    };
  },
  readFacts: () => ({
    hasTools: false,
    maxOutputTokens: undefined,
    choices: 1,
    inputTokensEstimate: 0,
    expected: {
      unit: 'image',
      usage: { ...emptyUsage(), image: 1, imageOutput: SHEET_TOKENS },
      isCounted: true,
    },
  }),
  prepare: (body) => body,
  readWhole: () => ({ usage: undefined, content: [], binaries: [] }),
  orders,
  tasks: {
    idPrefix: '',
    promptOf: (body) => textOf(body['prompt']) ?? textOf(body['content']) ?? '',
    ordered: ({ id, said }) => ({
      code: 1,
      description: 'Submit success',
      result: id,
      properties: toldOf(said),
    }),
    shown: drawingOf,
    callbackOf: (body) => textOf(body['notifyHook']),
  },
  encodeError: encodeDrawingError,
  encodeStreamError: encodeDrawingError,
};

/** What is this gateway's business is not the proxy's. */
export function forProxy(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.has(name)));
}

/** As the proxy is to see it: with its own name for the origin, and as it is paid for. */
export function midjourneyBody(body: JsonObject, { order }: ClientRequest, dropped: string[]): JsonObject {
  const own = forProxy(body);
  const { origin, originId = '', mode = '' } = order ?? {};
  const content = textOf(own['content']);
  const said = textOf(own['prompt']);
  const prompt = said === undefined ? undefined : plainPrompt(said);
  if (prompt !== said) dropped.push('prompt.parameters');
  return {
    ...own,
    ...(prompt === undefined ? {} : { prompt }),
    ...(origin === undefined || own['taskId'] === undefined ? {} : { taskId: origin.upstreamId }),
    ...(origin === undefined || content === undefined
      ? {}
      : { content: content.replace(originId, origin.upstreamId) }),
    accountFilter: { modes: [mode.toUpperCase()] },
  };
}

/** Whether an order waits to be answered, by what it is or by what its proxy said last. */
export function isWindow(action: string, { code, status }: JsonObject): boolean {
  return windows.has(action) || code === WINDOW_OPENED || status === 'MODAL';
}

/** @throws UpstreamError */
function readTaken(answer: JsonObject): TaskNews {
  const { code, result } = answer;
  const id = textOf(result) ?? '';
  if (taken.has(code) && plainId.test(id)) return { id, status: 'queued', works: [], said: answer };
  throw refusal(answer);
}

/** Why a proxy did not do what it was asked for. */
export function refusal({ code, description }: JsonObject): UpstreamError {
  const words = textOf(description) ?? 'The upstream did not take the order.';
  return new UpstreamError(kindByCode.get(code) ?? 'overloaded', words, {
    status: 200,
    ...(code === 24 ? { code: 'content_filter' } : {}),
  });
}

/** The list may be all that the answer is, or one task. */
function tasksIn(answer: unknown): JsonObject[] {
  const list = Array.isArray(answer) ? answer : (objectOf(answer)['list'] ?? [answer]);
  return listOf(list).map(objectOf);
}

function newsIn(task: JsonObject): TaskNews {
  const said = textOf(task['status']) ?? '';
  const status = (Object.hasOwn(statuses, said) ? statuses[said] : undefined) ?? 'queued';
  const progress = percentOf(task['progress']);
  const url = textOf(task['imageUrl']);
  return {
    id: textOf(task['id']) ?? '',
    status,
    ...(progress === undefined ? {} : { progress }),
    works: url === undefined ? [] : [{ kind: 'image', at: url }],
    ...(status === 'failed' ? { failure: textOf(task['failReason']) ?? 'The drawing was not made.' } : {}),
    said: task,
  };
}

const milliseconds = (seconds: number | undefined): number => (seconds ?? 0) * 1000;

function drawingOf(task: TaskView): JsonObject {
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
    // Only the proxy knows that a window waits to be answered.
    status: task.endedAt === undefined ? (textOf(said['status']) ?? names[task.status]) : names[task.status],
    progress: `${task.progress}%`,
    failReason: task.failure,
    buttons: listOf(said['buttons']),
    maskBase64: '',
    properties: toldOf(said),
  };
}

/** The rest is the proxy's own: its accounts, its messages, whom it calls. */
function toldOf(said: JsonObject | undefined): JsonObject {
  const properties = objectOf(said?.['properties']);
  return Object.fromEntries(told.flatMap((name) => (name in properties ? [[name, properties[name]]] : [])));
}

/** The proxy's own codes: 4 for what the request got wrong, 30 for too many, 5 for the rest. */
export function encodeDrawingError({ status, message, code }: ErrorDetail): string {
  const known = status === 429 ? 30 : status < 500 ? 4 : 5;
  return JSON.stringify({ code: known, description: message, type: code ?? 'upstream_error', result: '' });
}
