import type { ToolCallPart, ToolResultPart } from '../model/conversation.ts';

/** Call as it is sent, and its result. */
export interface CallWithResult {
  call: ToolCallPart;
  result: ToolResultPart | undefined;
}

/** Calls of one turn that a result may belong to, in order. */
interface Queue {
  run: number;
  calls: CallWithResult[];
  next: number;
}

/**
 * Matcher of results to calls: by id, else by the name that some clients send instead, else by order. Among several
 * candidates it takes the first call without a result, in the last turn with such a call.
 */
export class ResultMatcher {
  #run = 0;
  readonly #byId = new Map<string, Queue[]>();
  readonly #byName = new Map<string, Queue[]>();
  readonly #inOrder: Queue[] = [];
  readonly #lastAnswered = new Map<string, { call: CallWithResult; run: number }>();

  beginRun(): void {
    this.#run++;
  }

  /** @param said client's id of the call */
  add(said: string, call: CallWithResult): void {
    const { name } = call.call;
    for (const queues of [getOrCreateList(this.#byId, said), getOrCreateList(this.#byName, name), this.#inOrder])
      this.#enqueue(queues, call);
  }

  /** @returns false if the result belongs to no call */
  match(result: ToolResultPart): boolean {
    const { callId } = result;
    const call =
      findFirstOpen(this.#byId.get(callId)) ??
      (callId === '' ? findFirstOpen(this.#inOrder) : (findFirstOpen(this.#byName.get(callId)) ?? this.#alike(callId)));
    if (call === undefined) return false;
    this.#lastAnswered.set(callId, { call, run: this.#run });
    if (call.result === undefined) call.result = { ...result, content: [...result.content] };
    else appendResult(call.result, result);
    return true;
  }

  /**
   * Returns the call with this id that was already answered in the same run, which this result continues; a later
   * result stays in its place.
   */
  #alike(callId: string): CallWithResult | undefined {
    const last = this.#lastAnswered.get(callId);
    return last?.run === this.#run ? last.call : undefined;
  }

  #enqueue(queues: Queue[], call: CallWithResult): void {
    const last = queues.at(-1);
    if (last?.run === this.#run) last.calls.push(call);
    else queues.push({ run: this.#run, calls: [call], next: 0 });
  }
}

export function getOrCreateList<K, T>(lists: Map<K, T[]>, key: K): T[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const list: T[] = [];
  lists.set(key, list);
  return list;
}

/** Returns the first call without a result. Exhausted queues are never searched again. */
function findFirstOpen(queues: Queue[] = []): CallWithResult | undefined {
  for (let queue = queues.at(-1); queue !== undefined; queue = queues.at(-1)) {
    while (queue.next < queue.calls.length) {
      const call = queue.calls[queue.next];
      if (call !== undefined && call.result === undefined) return call;
      queue.next++;
    }
    queues.pop();
  }
  return undefined;
}

function appendResult(result: ToolResultPart, { content, isError, cache }: ToolResultPart): void {
  for (const part of content) result.content.push(part);
  if (isError === true) result.isError = true;
  if (cache !== undefined) result.cache = cache;
}
