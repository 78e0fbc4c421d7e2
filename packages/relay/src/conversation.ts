/**
 * The neutral middle between two dialects: what a chat request asks and what an answer says, free of any
 * vendor's spelling. Used only when client and upstream speak different dialects.
 */
import type { Usage } from './usage.ts';

export interface Conversation {
  model: string;
  stream: boolean;
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  toolChoice?: ToolChoice | undefined;
  parallelToolCalls?: boolean | undefined;
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  stop?: string[] | undefined;
  /** How hard to think; `budgetTokens` where the dialect counts tokens instead of naming a level. */
  reasoning?: { effort?: ReasoningEffort; budgetTokens?: number } | undefined;
  outputFormat?: OutputFormat | undefined;
  userId?: string | undefined;
  /** Fields of the request that no neutral field covers, by their name in the client's dialect. */
  unsupported: string[];
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface Turn {
  role: 'user' | 'assistant';
  parts: Part[];
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart;

/** `cache` marks a prompt-cache breakpoint after this part. */
interface Cacheable {
  cache?: '5m' | '1h' | undefined;
}
export interface TextPart extends Cacheable {
  type: 'text';
  text: string;
}
export interface ImagePart extends Cacheable {
  type: 'image';
  source: { url: string } | { mediaType: string; base64: string };
  detail?: string | undefined;
}
export interface FilePart extends Cacheable {
  type: 'file';
  name?: string | undefined;
  source: { url: string } | { mediaType: string; base64: string };
}
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  /** Opaque proof that the vendor wants back unchanged with the next request. */
  signature?: string | undefined;
  redacted?: string | undefined;
}
export interface ToolCallPart extends Cacheable {
  type: 'tool-call';
  callId: string;
  name: string;
  /** JSON text exactly as the model wrote it. */
  arguments: string;
}
export interface ToolResultPart extends Cacheable {
  type: 'tool-result';
  callId: string;
  content: (TextPart | ImagePart)[];
  isError?: boolean | undefined;
}
interface RefusalPart {
  type: 'refusal';
  text: string;
}

export interface Tool extends Cacheable {
  name: string;
  description?: string | undefined;
  parameters: unknown;
  strict?: boolean | undefined;
}
export type ToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; name: string };
export type OutputFormat =
  | { type: 'json' }
  | { type: 'json-schema'; name: string; schema: unknown; strict?: boolean };

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'refusal' | 'pause';

/** An answer, streamed or not, is a list of these; `finish` is the last. */
export type AnswerEvent =
  | { type: 'start'; id: string; model: string }
  | { type: 'text'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'reasoning-signature'; signature: string }
  | { type: 'redacted-reasoning'; data: string }
  | { type: 'tool-call'; index: number; callId: string; name: string }
  | { type: 'tool-arguments'; index: number; text: string }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | undefined };
