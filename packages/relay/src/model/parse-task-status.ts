/** Status words of vendors, proxies and gateways for tasks. */
import { type JsonObject, objectOf, textOf } from '../json/json.ts';
import { parseTaskId } from './task-and-call-ids.ts';
import { parsePercent, type TaskStatus } from './task-types.ts';

/** Words in lower case, without spaces and punctuation. */
const words: Readonly<Record<TaskStatus, string>> = {
  queued:
    'accepted created init initializing inqueue modal new notstart notstarted pending preparing queue ' +
    'queued queueing queuing received scheduled starting submit submitted submitting throttled ' +
    'waiting',
  running:
    'active cancelling canceling dreaming executing generating inprogress inprocess ongoing process ' +
    'processing progress rendering running started working',
  succeeded: 'complete completed done finish finished ok ready succeed succeeded success successful',
  failed:
    'abort aborted cancel canceled cancelled contentmoderated deleted error errored expired fail ' +
    'failed failure moderated notfound rejected requestmoderated stopped tasknotfound terminated ' +
    'timedout timeout',
};

const statuses: ReadonlyMap<string, TaskStatus> = new Map(
  (['queued', 'running', 'succeeded', 'failed'] as const).flatMap((status) =>
    words[status].split(' ').map((word) => [word, status] as const),
  ),
);

interface ReportedState {
  /** Vendor's status word. */
  word?: unknown;
  /** Percent, in any notation. */
  progress?: unknown;
  /** Reason of the failure. */
  failure?: unknown;
}

/**
 * Returns the status of a task. An unknown word means that the vendor still works on it. Without a word, a failure
 * reason or a progress of 100 % decides.
 * @returns undefined if the vendor reports no status
 */
export function parseTaskStatus({ word, progress, failure }: ReportedState): TaskStatus | undefined {
  const said = textOf(word)?.trim() ?? '';
  if (said !== '') return statuses.get(said.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? 'running';
  if (textOf(failure) !== undefined) return 'failed';
  return parsePercent(progress) === 100 ? 'succeeded' : undefined;
}

/** Returns whether a vendor still works on a task. @param word vendor's status word */
export function isInProgress(word: unknown): boolean {
  const status = parseTaskStatus({ word });
  return status === 'queued' || status === 'running';
}

/** Codes of envelopes without an error, in lower case: New API, Suno, Kling and midjourney-proxy. */
const successCodes: ReadonlySet<string> = new Set(['success', 'ok', '0', '1', '21', '22', '200']);

/** Returns whether the code of an envelope means success. */
export function isSuccessCode(code: unknown): boolean {
  const isWritten = typeof code === 'string' || typeof code === 'number';
  return isWritten && successCodes.has(String(code).toLowerCase());
}

/** Returns whether a response contains a task status, in any of the vendors' positions. */
export function hasTaskStatus(answer: JsonObject): boolean {
  return statusWords(answer).length > 0;
}

/** Returns whether the response to a submission accepts it, by a code or a task status. */
export function isSubmissionAccepted(answer: JsonObject): boolean {
  const words = statusWords(answer);
  return words.length === 0
    ? isSuccessCode(answer['code'])
    : words.every((word) => parseTaskStatus({ word }) !== 'failed');
}

function statusWords(answer: JsonObject): string[] {
  return statusObjects(answer).flatMap((task) => stateFields.flatMap((field) => textOf(task[field]) ?? []));
}

/**
 * Returns whether a response is about the polled task: it contains the task's id, or has a status field. An error in
 * any other response is about the poll.
 * @param id task id, which may start with the path of its submission
 */
export function isAboutTask(answer: JsonObject, id: string): boolean {
  if (answer['done'] === true) return true;
  return statusObjects(answer).some((task) => {
    const named = parseTaskId(task);
    const isNamed = named !== undefined && id.endsWith(named);
    return isNamed || stateFields.some((field) => typeof task[field] === 'string');
  });
}

const stateFields = ['status', 'state', 'task_status'];

/** Returns the objects in which vendors and gateways put a task's status. */
function statusObjects(answer: JsonObject): JsonObject[] {
  return [answer, objectOf(answer['data']), objectOf(answer['output'])];
}
