/**
 * Tool calls and their results in the form that all vendors accept: each call has a unique id, exactly one result in
 * the next turn, and a declared tool.
 */

import { createHash } from 'node:crypto';
import type { Conversation, Part, TextPart, Tool, ToolCallPart, ToolResultPart, Turn } from '../model/conversation.ts';

/** Rule for call ids in a dialect. */
export interface CallIdRule {
  /** Pattern of forbidden characters, with the flag `g`. */
  forbidden?: RegExp;
  maxLength?: number;
}

/**
 * Pairs calls with results. Late or scattered results move after their call; several results of a call are merged; a
 * call without a result gets a placeholder; a result without a call becomes the user's text in its place. Consecutive
 * assistant turns are merged.
 */
export function pairCallsWithResults(turns: readonly Turn[], rule: CallIdRule = {}): Turn[] {
  const placed: Turn[] = [];
  const waiting = new ResultMatcher();
  const ids = new CallIds(rule);
  const callsOf = new Map<Turn, CallWithResult[]>();
  const emptied = new Set<Turn>();
  for (const turn of turns) {
    const last = placed.at(-1);
    const place: Turn = turn.role === 'assistant' && last?.role === 'assistant' ? last : { role: turn.role, parts: [] };
    if (place !== last) placed.push(place);
    if (place !== last && turn.role === 'assistant') waiting.beginRun();
    for (const part of turn.parts) {
      if (part.type === 'tool-result') {
        if (!waiting.match(part)) for (const word of toUserText(part)) place.parts.push(word);
      } else if (part.type === 'tool-call' && turn.role === 'assistant') {
        const call = { ...part, callId: ids.of(part.callId) };
        const answered: CallWithResult = { call, result: undefined };
        waiting.add(part.callId, answered);
        getOrCreateList(callsOf, place).push(answered);
        place.parts.push(call);
      } else place.parts.push(part);
    }
    // The turn's results moved elsewhere; it still separates two responses.
    if (place.parts.length === 0 && turn.parts.length > 0) emptied.add(place);
  }
  const whole = insertResults(placed, callsOf);
  // The last empty turn still asks for a response: without it, the preceding response would be continued.
  const asks = whole.at(-2)?.role === 'assistant' ? whole.at(-1) : undefined;
  return whole.filter((turn) => turn.parts.length > 0 || !emptied.has(turn) || turn === asks);
}

/** Inserts each call's result after its turn, at the start of the user's turn. */
function insertResults(turns: readonly Turn[], callsOf: ReadonlyMap<Turn, readonly CallWithResult[]>): Turn[] {
  const whole: Turn[] = [];
  let results: ToolResultPart[] = [];
  const flush = (): void => {
    if (results.length > 0) whole.push({ role: 'user', parts: results });
    results = [];
  };
  for (const turn of turns) {
    if (turn.role === 'user') {
      whole.push(results.length > 0 ? { role: 'user', parts: [...results, ...turn.parts] } : turn);
      results = [];
      continue;
    }
    flush();
    whole.push(turn);
    results = (callsOf.get(turn) ?? []).map(({ call, result }) => ({
      ...(result ?? missingResult),
      callId: call.callId,
    }));
  }
  flush();
  return whole;
}

const missingResult: ToolResultPart = {
  type: 'tool-result',
  callId: '',
  content: [{ type: 'text', text: 'The result of this call was not recorded.' }],
  isError: true,
};

function toUserText({ content, isError, cache }: ToolResultPart): Part[] {
  if (content.length === 0) return [];
  const heading: TextPart = { type: 'text', text: isError === true ? 'A tool failed:' : 'A tool’s result:' };
  return [heading, ...content.map((part, at) => (at === content.length - 1 ? { ...part, cache } : part))];
}

/**
 * Generator of call ids from the conversation alone: the same conversation always gets the same ids, which keeps
 * prompt caches valid.
 */
class CallIds {
  readonly #rule: CallIdRule;
  readonly #used = new Map<string, number>();
  #made = 0;

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  of(said: string): string {
    const wanted = this.#fit(said === '' ? `call_${this.#made++}` : said);
    const id = this.#used.has(wanted) ? this.#another(wanted) : wanted;
    this.#used.set(id, this.#used.get(id) ?? 1);
    return id;
  }

  #another(wanted: string): string {
    for (let count = (this.#used.get(wanted) ?? 1) + 1; ; count++) {
      const id = this.#fit(`${wanted}_${count}`);
      if (this.#used.has(id)) continue;
      this.#used.set(wanted, count);
      return id;
    }
  }

  #fit(id: string): string {
    const { forbidden, maxLength = Number.POSITIVE_INFINITY } = this.#rule;
    const clean = forbidden === undefined ? id : id.replaceAll(forbidden, '_');
    if (clean.length <= maxLength) return clean;
    return `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
  }
}

/** Call as it is sent, and its result. */
interface CallWithResult {
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
class ResultMatcher {
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

function getOrCreateList<K, T>(lists: Map<K, T[]>, key: K): T[] {
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

/**
 * Returns the tools used in the history. Vendors refuse such a history without its tools, which other dialects let a
 * client omit.
 */
export function listHistoryTools(conversation: Conversation): Tool[] {
  const calls = conversation.turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  return [...new Set(calls.map((call) => call.name))].map((name) => ({
    name,
    parameters: { type: 'object', properties: {} },
  }));
}
