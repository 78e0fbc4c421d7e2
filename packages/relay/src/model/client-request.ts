import type { Form } from '../wire/multipart.ts';
import type { DialectId, Operation } from './dialect-id.ts';
import type { TaskOrigin } from './task-types.ts';
import type { Usage } from './usage.ts';

/** Facts that admission and routing need from a request body. */
export interface RequestFacts {
  model: string;
  stream: boolean;
  hasTools: boolean;
  /** Estimated tokens of the prompt, for the hold. */
  inputTokensEstimate: number;
  /** Part of the estimate for images. */
  imageTokensEstimate: number;
  /** Part of the estimate for audio; absent without any. */
  audioTokensEstimate?: number | undefined;
  /** Longest lifetime of a cache write that the body asks for; absent without one. */
  cacheLifetime?: '5m' | '1h' | undefined;
  /** Client's cap on output tokens, if any. */
  maxOutputTokens: number | undefined;
  /** Tokens of reasoning that the vendor may generate in addition to the cap; absent if its cap includes them. */
  extraReasoningTokens?: number | undefined;
  /** Number of requested choices (`n`). */
  choices: number;
  /** Usage expected from the request alone, apart from its text, for operations that are billed by unit. */
  expected?: ExpectedUsage | undefined;
  /** Vendor tool that generates images with a separate model; absent without one. */
  imageTool?: ImageTool | undefined;
}

/** Image tool as the client declares it. */
export interface ImageTool {
  /** Absent if the client leaves the choice to the vendor. */
  model: string | undefined;
  /** Usage of all images that the request allows, for the hold. */
  usage: Usage;
  /** Sizes and qualities that the vendor may choose. */
  variants: readonly string[];
}

/** Expected usage for the hold, and for the charge if the upstream reports nothing. */
export interface ExpectedUsage {
  /** Billed unit other than tokens. */
  unit: 'image' | 'second' | 'character' | 'search';
  usage: Usage;
  /** Sizes and qualities of images that the vendor may choose; absent without images. */
  variants?: readonly string[];
  /** True if the units are counted, false if they are estimated. */
  isCounted: boolean;
}

/** Parts of a task submission that are in the URL. */
export interface SubmissionRoute {
  /** Path below the dialect's root, such as `submit/imagine`. */
  path?: string;
  /** Speed, which determines the price. */
  mode?: string;
  /** Id of the task that the path names. */
  originId?: string;
  /** The same task at its vendor. */
  origin?: TaskOrigin;
}

/** Task that a client submits. */
export interface TaskSubmission extends SubmissionRoute {
  /** Action in lower case, such as `imagine`. */
  action: string;
  isFree?: boolean;
  /**
   * True for a modal task, which waits for the user's input. The input is charged instead, unless artifacts come
   * without it.
   */
  isModal?: boolean;
  /**
   * True if the original task implies the model, which is then named after the action: the client can choose no other.
   */
  isModelImplied?: boolean;
}

/** Parts of a request that its URL determines before the body is read. */
export interface RequestRoute {
  operation: Operation;
  format: DialectId;
  /** Model, for dialects that have it in the path instead of the body; the same holds for `stream`. */
  model?: string;
  stream?: boolean;
  framing?: Framing;
  submission?: SubmissionRoute;
  /** Body formats besides JSON: `also` allows a form in addition, `only` requires a form. */
  form?: 'also' | 'only';
}

/**
 * Format of a stream's events. Gemini's are a JSON array unless requested as server-sent events. Audio and text come as
 * plain bytes, which cannot contain an error event.
 */
export type Framing = 'sse' | 'json-array' | 'bytes';

export function contentTypeOf(framing: Framing): string {
  return framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
}

export interface ClientRequest {
  operation: Operation;
  format: DialectId;
  framing: Framing;
  body: Buffer;
  /** Positions of the fields in the body, if it is a form. */
  form?: Form | undefined;
  /** Parsed body; never modified. */
  json: Readonly<Record<string, unknown>>;
  /** Body with the earlier turns that the vendor adds itself, which it reads and bills. */
  billedJson?: Readonly<Record<string, unknown>>;
  /** Body as the client sent it, if the gateway has inserted earlier turns. */
  clientJson?: Readonly<Record<string, unknown>>;
  facts: RequestFacts;
  /** Task that continues after the response, if the request submits one. */
  submission?: TaskSubmission | undefined;
  /** Client headers that a vendor may need (`anthropic-beta`, `anthropic-version`, …), in lower case. */
  headers: Readonly<Record<string, string>>;
}
