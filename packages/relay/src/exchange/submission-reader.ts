import { findEmbeddedError, removeBlankMembers } from '../errors/errors-in-successful-responses.ts';
import { readEmbeddedError } from '../errors/read-upstream-error.ts';
import { createTargetRedactor } from '../errors/redact-keys.ts';
import { garbledError, UpstreamError, type UpstreamErrorKind } from '../errors/upstream-error.ts';
import { emptyBuffer, type JsonObject } from '../json/json.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { isSubmissionAccepted, isSuccessCode } from '../model/parse-task-status.ts';
import type { Target } from '../model/provider.ts';
import type { AcceptedTask, TaskUpdate, UpstreamTasks } from '../model/task-types.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { WritableMeter } from '../model/usage-meter.ts';
import { ResponseBody } from './buffered-response-body.ts';

/**
 * Reader of the response to a task submission. The client's response is written later, when the task has an id of the
 * gateway.
 */
export class SubmissionReader implements ResponseReader {
  readonly contentType = 'application/json';
  readonly meter = new WritableMeter();
  readonly dropped = [];
  acceptedTask: AcceptedTask | undefined;
  readonly #body = new ResponseBody();
  readonly #format: UpstreamDialectId;
  readonly #orders: UpstreamTasks;
  readonly #path: string;
  readonly #target: Target;

  constructor(format: UpstreamDialectId, orders: UpstreamTasks, path: string, target: Target) {
    this.#format = format;
    this.#orders = orders;
    this.#path = path;
    this.#target = target;
  }

  get heldBytes(): number {
    return this.#body.heldBytes;
  }

  push(chunk: Buffer): Buffer {
    this.#body.push(chunk);
    return emptyBuffer;
  }

  end(): Buffer {
    const answer = this.#body.readSubmissionResponse(this.#target);
    const task = acceptedTask(this.#orders.readSubmission(answer, this.#path), answer, this.#target);
    this.acceptedTask = { ...task, format: this.#format };
    this.meter.finished = true;
    return emptyBuffer;
  }
}

/** Failures of the account, which another channel's account may not have. */
const accountErrors: ReadonlySet<UpstreamErrorKind> = new Set(['rate-limited', 'out-of-credit', 'unauthorised']);

/**
 * Returns the task that a vendor has accepted. Another channel gets the submission only after a clear refusal:
 * otherwise the task might be executed, and paid for, twice.
 * @param taken task that the dialect reads in the response
 * @throws UpstreamError `garbled` when the vendor may have accepted the task, `rejected` with its reason when the
 * task has already failed
 */
function acceptedTask(taken: TaskUpdate | undefined, answer: JsonObject, target: Target): TaskUpdate {
  const isTaken = isSubmissionAccepted(answer);
  const error = findEmbeddedError(taken === undefined && !isTaken ? answer : removeRemarks(answer), target);
  if (isRefusal(answer, taken !== undefined)) throw error ?? readEmbeddedError(answer, target);
  if (taken === undefined) throw error ?? garbledError('The upstream returned no task ID.');
  if (taken.status === 'failed') throw immediateFailure(taken, error, target);
  // With a task status, an error is a remark: the vendor works on the task.
  if (error !== undefined && !isTaken) throw error;
  return taken;
}

function immediateFailure(task: TaskUpdate, error: UpstreamError | undefined, target: Target): UpstreamError {
  if (error !== undefined && accountErrors.has(error.kind)) return error;
  const reason = createTargetRedactor(target)(task.failure ?? 'The provider could not complete the task.');
  return new UpstreamError('rejected', reason, { status: 200, code: error?.code, type: error?.type });
}

/** Returns whether the response refuses the submission. A number beside an id may be an undocumented success code. */
function isRefusal(answer: JsonObject, hasId: boolean): boolean {
  const { code } = answer;
  if (code == null || code === '' || isSuccessCode(code) || isSubmissionAccepted(answer)) return false;
  return !hasId || (typeof code === 'string' && !/^\d+$/.test(code));
}

const remarkFields: ReadonlySet<string> = new Set(['message', 'msg', 'error_msg', 'detail']);

/** Removes messages beside a task's id, which are no errors, and errors without text. */
function removeRemarks(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(removeBlankMembers(answer)).filter(([name]) => !remarkFields.has(name)));
}
