import { embeddedError, garbled, withoutBlanks } from '../errors/answer-errors.ts';
import { reportedError } from '../errors/read-error.ts';
import { UpstreamError, type UpstreamErrorKind } from '../errors/upstream-error.ts';
import type { JsonObject } from '../json/json.ts';
import { noBytes } from '../json/no-bytes.ts';
import type { AnswerReader } from '../model/exchange.ts';
import type { UpstreamFormatId } from '../model/format-id.ts';
import { Tally } from '../model/meter.ts';
import type { Target } from '../model/provider.ts';
import { isSuccessCode, saysTaken } from '../model/task-status.ts';
import type { Order, TaskNews, UpstreamOrders } from '../model/task-types.ts';
import { redactorOf } from '../translate/redact.ts';
import { WholeBody } from '../translate/whole-body.ts';

/** Reads the answer to an order. What the client is told is written once the task has a name of ours. */
export class OrderReader implements AnswerReader {
  readonly contentType = 'application/json';
  readonly meter = new Tally();
  readonly dropped = [];
  order: Order | undefined;
  readonly #body = new WholeBody();
  readonly #format: UpstreamFormatId;
  readonly #orders: UpstreamOrders;
  readonly #path: string;
  readonly #target: Target;

  constructor(format: UpstreamFormatId, orders: UpstreamOrders, path: string, target: Target) {
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
    return noBytes;
  }

  end(): Buffer {
    const answer = this.#body.readOrder(this.#target);
    const task = acceptedTask(this.#orders.taken(answer, this.#path), answer, this.#target);
    this.order = { ...task, format: this.#format };
    this.meter.finished = true;
    return noBytes;
  }
}

/** The account is at fault, and that of another channel may do better. */
const ofAccount: ReadonlySet<UpstreamErrorKind> = new Set(['rate-limited', 'out-of-credit', 'unauthorised']);

/**
 * Returns the task that a vendor has accepted. Another channel gets the order only after a clear refusal: it would be made,
 * and paid for, twice.
 * @param taken what the dialect reads in the answer
 * @throws UpstreamError `garbled` when the vendor may have accepted the order, `rejected` with its reason when the task has
 *   failed already
 */
function acceptedTask(taken: TaskNews | undefined, answer: JsonObject, target: Target): TaskNews {
  const isTaken = saysTaken(answer);
  const error = embeddedError(taken === undefined && !isTaken ? answer : withoutRemarks(answer), target);
  if (namesRefusal(answer, taken !== undefined)) throw error ?? reportedError(answer, target);
  if (taken === undefined) throw error ?? garbled('The upstream returned no task ID.');
  if (taken.status === 'failed') throw failedAtOnce(taken, error, target);
  // Beside a state, an error is a remark: the vendor works on the task.
  if (error !== undefined && !isTaken) throw error;
  return taken;
}

function failedAtOnce(task: TaskNews, error: UpstreamError | undefined, target: Target): UpstreamError {
  if (error !== undefined && ofAccount.has(error.kind)) return error;
  const reason = redactorOf(target)(task.failure ?? 'The provider could not complete the task.');
  return new UpstreamError('rejected', reason, { status: 200, code: error?.code, type: error?.type });
}

/** A number beside an id may be a success of which nobody has heard. */
function namesRefusal(answer: JsonObject, hasId: boolean): boolean {
  const { code } = answer;
  if (code == null || code === '' || isSuccessCode(code) || saysTaken(answer)) return false;
  return !hasId || (typeof code === 'string' && !/^\d+$/.test(code));
}

const remarks: ReadonlySet<string> = new Set(['message', 'msg', 'error_msg', 'detail']);

/** Words beside the id of a task are no error, and neither is an error without a word. */
function withoutRemarks(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(withoutBlanks(answer)).filter(([name]) => !remarks.has(name)));
}
