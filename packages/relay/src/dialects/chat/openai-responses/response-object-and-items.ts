import { cacheByBody, type JsonObject, objectOf } from '../../../json/json.ts';
import type { FinishReason } from '../../../model/conversation.ts';

/** Fields that refer to contents stored at a vendor; a request with one of them may lack an input. */
export const externalReferenceFields = ['previous_response_id', 'conversation', 'prompt'] as const;

/** Returns the response around the output, which repeats the client's settings. */
export function createResponseObject(request: JsonObject): Record<string, unknown> {
  const { reasoning, text, metadata } = request;
  return {
    object: 'response',
    access_programs: null,
    background: false,
    instructions: request['instructions'] ?? null,
    max_output_tokens: request['max_output_tokens'] ?? null,
    max_tool_calls: request['max_tool_calls'] ?? null,
    metadata: metadata ?? {},
    parallel_tool_calls: request['parallel_tool_calls'] ?? true,
    previous_response_id: request['previous_response_id'] ?? null,
    prompt_cache_key: request['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectOf(reasoning) },
    safety_identifier: request['safety_identifier'] ?? null,
    service_tier: 'default',
    store: request['store'] ?? true,
    temperature: request['temperature'] ?? null,
    text: { format: { type: 'text' }, ...objectOf(text) },
    tool_choice: request['tool_choice'] ?? 'auto',
    tools: request['tools'] ?? [],
    top_logprobs: request['top_logprobs'] ?? 0,
    top_p: request['top_p'] ?? null,
    truncation: request['truncation'] ?? 'disabled',
    user: request['user'] ?? null,
  };
}

/** Serializes it once for each request: the instructions and tools may have megabytes, and a stream repeats them thrice. */
export const serializeResponseObject = cacheByBody((request) => JSON.stringify(createResponseObject(request)));

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Returns true if an event of this type is the last of its stream. */
export function isFinalEvent(eventType: unknown): boolean {
  return ends.has(eventType);
}

const unfinished: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'cancelled']);

/** Returns whether a non-streaming response reports that it is still in progress, or was cancelled. */
export function isUnfinished(response: JsonObject): boolean {
  return unfinished.has(response['status']);
}

interface OutputSummary {
  hasCalls: boolean;
  isRefused: boolean;
}

export function readFinish(response: JsonObject, { hasCalls, isRefused }: OutputSummary): FinishReason {
  const { reason } = objectOf(response['incomplete_details']);
  if (reason === 'max_output_tokens') return 'length';
  if (reason === 'content_filter') return isRefused ? 'refusal' : 'content-filter';
  if ((response['status'] ?? 'completed') !== 'completed') return 'other';
  if (hasCalls) return 'tool-calls';
  return isRefused ? 'refusal' : 'stop';
}

interface FinalStatus {
  status: 'completed' | 'incomplete' | 'failed';
  incomplete_details: { reason: string } | null;
  error: { code: string; message: string } | null;
}

const completed: FinalStatus = { status: 'completed', incomplete_details: null, error: null };

const failed = (message: string): FinalStatus => ({
  ...completed,
  status: 'failed',
  error: { code: 'server_error', message },
});

/** Returns the final status. A refusal with text is a response; a refusal without text is a content filter's. */
export function writeFinish(reason: FinishReason, isRefused: boolean): FinalStatus {
  switch (reason) {
    case 'length':
      return { ...completed, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content-filter':
    case 'refusal':
      if (reason === 'refusal' && isRefused) return completed;
      return { ...completed, status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    case 'malformed-call':
      return failed('The model tried to call a tool but produced an invalid call.');
    case 'invalid-output':
      return failed('The model produced no usable output.');
    case 'stop':
    case 'tool-calls':
    case 'pause':
    case 'other':
      return completed;
  }
}

export interface OutputEvent extends Record<string, unknown> {
  type: string;
  /** JSON of the response. */
  response?: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Position of an item, as its events express it. */
export interface ItemPosition extends Record<string, unknown> {
  item_id: string;
  output_index: number;
}

/** Item during encoding, which returns the events from which a client builds the same item. */
export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  /** Returns the item in its current form. */
  json(status: ItemStatus): Record<string, unknown>;
  /** Returns the remaining events that complete the item. */
  close(): OutputEvent[];
}

export function itemAdded(outputIndex: number, item: Record<string, unknown>): OutputEvent {
  return { type: 'response.output_item.added', output_index: outputIndex, item };
}

export function itemDone(outputIndex: number, item: Record<string, unknown>): OutputEvent {
  return { type: 'response.output_item.done', output_index: outputIndex, item };
}
