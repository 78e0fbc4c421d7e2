/**
 * Neutral form between two dialects of chat requests and responses. Used only if client and upstream use different
 * dialects.
 */

import { objectOf, textOf } from '../json/json.ts';
import type { FileSource } from '../media/data-url.ts';
import type { ReasoningSignature } from './reasoning-signature.ts';
import type { Usage } from './usage.ts';

/** Content of a request, independent of the model and of the delivery of its response. */
export interface Conversation {
  system: TextPart[];
  turns: Turn[];
  tools: Tool[];
  /** Tools that run at the vendor. */
  vendorTools: VendorTool[];
  toolChoice?: ToolChoice | undefined;
  parallelToolCalls?: boolean | undefined;
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  stop?: string[] | undefined;
  seed?: number | undefined;
  presencePenalty?: number | undefined;
  frequencyPenalty?: number | undefined;
  /** Number of alternatives to report per token; 0 reports only the token's own probability. */
  logprobs?: number | undefined;
  /** Number of requested choices. */
  choices?: number | undefined;
  reasoning?: Reasoning | undefined;
  /** True if the model also gets the thoughts of earlier turns, which its dialect otherwise omits. */
  keepsThoughts?: boolean | undefined;
  outputFormat?: OutputFormat | undefined;
  /** Desired length of the response. */
  verbosity?: 'low' | 'medium' | 'high' | undefined;
  /** Allowed output types; text alone if absent. */
  outputKinds?: readonly ('text' | 'image' | 'audio')[] | undefined;
  /** Voice and audio format of a spoken response. */
  speech?: { voice: string; format?: string | undefined } | undefined;
  userId?: string | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
  /** Key of requests that are likely to share a prefix. */
  cacheKey?: string | undefined;
  serviceTier?: 'auto' | 'standard' | undefined;
  /** Request fields without a neutral form, by their name in the client's dialect. */
  unsupported: string[];
}

/**
 * Returns an opaque id of the end user for agents that store data by user. It differs between the gateway's users, even
 * if they name the same end user.
 * @param named end user as the client names it
 */
export type ScopeUserId = (named: string | undefined) => string;

/** Model and delivery requested from an upstream. */
export interface EncodeOptions {
  model: string;
  stream: boolean;
  scopeUserId?: ScopeUserId | undefined;
}

export interface Reasoning {
  /** Reasoning effort. */
  effort?: ReasoningEffort | undefined;
  /** Token budget, in dialects without effort words. */
  budgetTokens?: number | undefined;
  /** True if the client wants to read the thoughts; absent if its dialect has no such field. */
  isShown?: boolean | undefined;
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Turn; `system` turns are instructions during a conversation, while leading ones are `system` texts. */
export interface Turn {
  role: 'user' | 'assistant' | 'system';
  parts: Part[];
}

export type Part =
  | TextPart
  | ImagePart
  | FilePart
  | AudioPart
  | VideoPart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | VendorCallPart
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
  source: FileSource;
  detail?: string | undefined;
}
export interface FilePart extends Cacheable {
  type: 'file';
  name?: string | undefined;
  source: FileSource;
}
export interface AudioPart extends Cacheable {
  type: 'audio';
  source: FileSource;
}
export interface VideoPart extends Cacheable {
  type: 'video';
  source: FileSource;
}
/**
 * Thought. Without text it carries only a signature, which belongs to the next part of the turn (Gemini signs a tool
 * call, not the thought before it).
 */
export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  signature?: ReasoningSignature | undefined;
}
export interface ToolCallPart extends Cacheable {
  type: 'tool-call';
  /** Empty if the client sent none; a result without one answers the first call without a result. */
  callId: string;
  name: string;
  /** JSON text exactly as the model wrote it. */
  arguments: string;
}
export interface ToolResultPart extends Cacheable {
  type: 'tool-result';
  callId: string;
  content: ResultPart[];
  /** Names of tools that the call has found, if the client runs the tool search. */
  foundTools?: readonly string[] | undefined;
  isError?: boolean | undefined;
}
export type ResultPart = TextPart | ImagePart | FilePart;
/** Call of a vendor tool in an earlier response. */
export interface VendorCallPart {
  type: 'vendor-call';
  call: VendorCall;
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

export type VendorTool =
  | {
      type: 'web-search';
      maxUses?: number | undefined;
      allowedDomains?: string[] | undefined;
      blockedDomains?: string[] | undefined;
      /** Amount of search results that the model reads. */
      contextSize?: 'low' | 'medium' | 'high' | undefined;
      userLocation?: UserLocation | undefined;
    }
  | { type: 'code-execution' }
  | { type: 'url-fetch'; maxUses?: number | undefined };

export interface UserLocation {
  city?: string | undefined;
  region?: string | undefined;
  /** Two-letter code (ISO 3166). */
  country?: string | undefined;
  /** IANA time zone. */
  timezone?: string | undefined;
}

export interface FoundSource {
  url: string;
  title: string;
}

export interface VendorCall {
  tool: VendorTool['type'];
  callId: string;
  /** Search query, executed code or fetched URL. */
  input: string;
  /** Output of the executed code. */
  output?: string | undefined;
  /** Sources that were found or read. */
  sources?: readonly FoundSource[] | undefined;
  isError?: boolean | undefined;
}

export type ToolChoice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; name: string };
export type OutputFormat = { type: 'json' } | { type: 'json-schema'; name: string; schema: unknown; strict?: boolean };

export type FinishReason =
  | 'stop'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  /** The model produced an invalid tool call. */
  | 'malformed-call'
  /** The model produced nothing that can be used, for instance no image; the request influences this. */
  | 'invalid-output'
  | 'other';

export interface CitedSource {
  url?: string | undefined;
  title?: string | undefined;
  /** Quotation from the source. */
  quote?: string | undefined;
}
/** Source of a piece of the response. */
export interface Citation extends CitedSource {
  /** Start of the cited range in the response's text, in UTF-16 code units; `end` is its end. */
  start: number;
  end: number;
}

export interface TokenProbability {
  token: string;
  logprob: number;
  /** UTF-8 bytes of the token. */
  bytes?: number[] | undefined;
}
export interface TokenLogprob extends TokenProbability {
  top: TokenProbability[];
}

/**
 * Event of a response, streamed or not; `finish` is the last. With several choices, `choice` is the event's choice
 * (absent: 0), and each choice has a `finish`.
 */
export type ResponseEvent = (
  | { type: 'start'; id: string; model: string }
  | { type: 'text'; text: string }
  | { type: 'refusal'; text: string }
  | { type: 'reasoning'; text: string }
  /** Signature of the preceding thought, or of the next part without one. */
  | { type: 'reasoning-proof'; signature: ReasoningSignature }
  | { type: 'tool-call'; index: number; callId: string; name: string }
  | { type: 'tool-arguments'; index: number; text: string }
  | { type: 'vendor-call'; call: VendorCall }
  /** Follows the cited text. */
  | { type: 'citation'; citation: Citation }
  | { type: 'logprobs'; tokens: TokenLogprob[] }
  /** Generated image or audio; `data` is base64. */
  | { type: 'image' | 'audio'; mediaType: string; data: string }
  | { type: 'usage'; usage: Usage }
  | { type: 'finish'; reason: FinishReason; stopSequence?: string | undefined }
) & { choice?: number };

/** Reads the user's location for a search in the spelling of Anthropic and OpenAI; undefined if it is empty. */
export function readLocation(value: unknown): UserLocation | undefined {
  const { city, region, country, timezone } = objectOf(value);
  const location = { city: textOf(city), region: textOf(region), country: textOf(country), timezone: textOf(timezone) };
  return Object.values(location).every((member) => member === undefined) ? undefined : location;
}
