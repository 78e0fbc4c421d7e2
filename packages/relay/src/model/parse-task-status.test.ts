import { describe, expect, test } from 'vitest';
import { hasTaskStatus, isInProgress, isSubmissionAccepted, parseTaskStatus } from './parse-task-status.ts';
import type { TaskStatus } from './task-types.ts';

/** Each word in the spellings that vendors have. */
const words: readonly (readonly [TaskStatus, string])[] = [
  ['queued', 'NOT_START not_start NotStart submitted Submitted queued IN_QUEUE Queueing Pending MODAL created'],
  ['queued', 'THROTTLED starting Preparing waiting'],
  ['running', 'IN_PROGRESS in-progress InProgress processing Processing RUNNING dreaming generating rendering'],
  ['running', 'wandering REGION_SWITCH 排队 UNKNOWN'],
  ['succeeded', 'success SUCCESS succeed Succeeded COMPLETED complete done Ready finished'],
  ['failed', 'FAILURE fail Failed error cancelled CANCELED cancel expired EXPIRED timeout rejected aborted'],
  ['failed', 'TIMED_OUT Terminated'],
];

test.each(words.flatMap(([status, list]) => list.split(' ').map((word) => ({ word, status }))))(
  'reads the word $word as $status',
  ({ word, status }) => {
    expect(parseTaskStatus({ word })).toBe(status);
    expect(parseTaskStatus({ word: ` ${word} `, progress: '100%', failure: 'a remark' })).toBe(status);
    expect(isInProgress(word)).toBe(status === 'queued' || status === 'running');
  },
);

describe('a status without a word', () => {
  test.each([
    [{}, undefined],
    [{ word: '' }, undefined],
    [{ word: null, progress: '', failure: '' }, undefined],
    [{ word: 7 }, undefined],
    [{ word: '', progress: '99%' }, undefined],
    [{ word: '', progress: '100%' }, 'succeeded'],
    [{ progress: 100 }, 'succeeded'],
    [{ word: '', failure: 'The picture was blocked.' }, 'failed'],
    [{ word: '', progress: '100%', failure: 'The picture was blocked.' }, 'failed'],
  ] as const)('of %j is %s', (said, status) => {
    expect(parseTaskStatus(said)).toBe(status);
  });
});

test.each([
  [{ status: 'x' }, true],
  [{ data: { task_status: 'x' } }, true],
  [{ output: { state: 'x' } }, true],
  [{ status: '', data: 'x' }, false],
  [{ status: 0, output: null }, false],
])('detects in %j whether a status exists', (answer, isNamed) => {
  expect(hasTaskStatus(answer)).toBe(isNamed);
});

test.each([
  [{ code: 'success' }, true],
  [{ code: 22 }, true],
  [{ code: 0, data: { task_status: 'failed' } }, false],
  [{ code: 9, data: { task_status: 'submitted' } }, true],
  [{ code: 'fail_to_submit' }, false],
  [{ status: 'error' }, false],
  [{}, false],
])('detects in %j whether the task was accepted', (answer, isTaken) => {
  expect(isSubmissionAccepted(answer)).toBe(isTaken);
});
