import { readEmbeddedError } from '../errors/read-error.ts';
import { findEmbeddedError, garbledError, removeBlankMembers } from '../errors/response-errors.ts';
import { UpstreamError, type UpstreamErrorKind } from '../errors/upstream-error.ts';
import type { JsonObject } from '../json/json.ts';
import { emptyBuffer } from '../json/json-bytes.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { ResponseReader } from '../model/exchange.ts';
import { WritableMeter } from '../model/meter.ts';
import type { Target } from '../model/provider.ts';
import { isSubmissionAccepted, isSuccessCode } from '../model/task-status.ts';
import type { AcceptedTask, TaskUpdate, UpstreamTasks } from '../model/task-types.ts';
import { createTargetRedactor } from '../translate/redact.ts';
import { ResponseBody } from '../translate/response-body.ts';

/** Reads the answer to an order. What the client is told is written once the task has a name of ours. */
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

/** The account is at fault, and that of another channel may do better. */
const accountErrors: ReadonlySet<UpstreamErrorKind> = new Set(['rate-limited', 'out-of-credit', 'unauthorised']);

/**
 * Returns the task that a vendor has accepted. Another channel gets the order only after a clear refusal: it would be made,
 * and paid for, twice.
 * @param taken what the dialect reads in the answer
 * @throws UpstreamError `garbled` when the vendor may have accepted the order, `rejected` with its reason when the task has
 *   failed already
 */
function acceptedTask(taken: TaskUpdate | undefined, answer: JsonObject, target: Target): TaskUpdate {
  const isTaken = isSubmissionAccepted(answer);
  const error = findEmbeddedError(taken === undefined && !isTaken ? answer : removeRemarks(answer), target);
  if (isRefusal(answer, taken !== undefined)) throw error ?? readEmbeddedError(answer, target);
  if (taken === undefined) throw error ?? garbledError('The upstream returned no task ID.');
  if (taken.status === 'failed') throw immediateFailure(taken, error, target);
  // Beside a state, an error is a remark: the vendor works on the task.
  if (error !== undefined && !isTaken) throw error;
  return taken;
}

function immediateFailure(task: TaskUpdate, error: UpstreamError | undefined, target: Target): UpstreamError {
  if (error !== undefined && accountErrors.has(error.kind)) return error;
  const reason = createTargetRedactor(target)(task.failure ?? 'The provider could not complete the task.');
  return new UpstreamError('rejected', reason, { status: 200, code: error?.code, type: error?.type });
}

/** A number beside an id may be a success of which nobody has heard. */
function isRefusal(answer: JsonObject, hasId: boolean): boolean {
  const { code } = answer;
  if (code == null || code === '' || isSuccessCode(code) || isSubmissionAccepted(answer)) return false;
  return !hasId || (typeof code === 'string' && !/^\d+$/.test(code));
}

const remarkFields: ReadonlySet<string> = new Set(['message', 'msg', 'error_msg', 'detail']);

/** Words beside the id of a task are no error, and neither is an error without a word. */
function removeRemarks(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(removeBlankMembers(answer)).filter(([name]) => !remarkFields.has(name)));
}
