import type { Form } from '../wire/write-multipart.ts';
import type { DialectId, Operation } from './dialect-id.ts';
import type { TaskOrigin } from './task-types.ts';
import type { Usage } from './usage.ts';

/** The few facts that admission and routing need from a request body. */
export interface RequestFacts {
  model: string;
  stream: boolean;
  hasTools: boolean;
  /** Rough size of the prompt, for the hold. */
  inputTokensEstimate: number;
  /** The part of it that is pictures. */
  imageTokensEstimate: number;
  /** The client's cap on output tokens, if it set one. */
  maxOutputTokens: number | undefined;
  /** Number of requested choices (`n`). */
  choices: number;
  /** Usage expected from the request alone, apart from its text, for operations that are billed by the unit. */
  expected?: ExpectedUsage | undefined;
  /** The vendor's tool that makes images with a model of its own; absent where the request has none. */
  imageTool?: ImageTool | undefined;
}

/** An image tool as the client declares it. */
export interface ImageTool {
  /** Absent where the client leaves the choice to the vendor. */
  model: string | undefined;
  /** Usage of all images that the request allows, for the hold. */
  usage: Usage;
}

/** Serves the hold, and the charge where the upstream reports nothing. */
export interface ExpectedUsage {
  /** Billed unit other than tokens. */
  unit: 'image' | 'second' | 'character' | 'search';
  usage: Usage;
  /** The units are counted, not estimated. */
  isCounted: boolean;
}

/** Parts of a task submission that are in the URL. */
export interface SubmissionRoute {
  /** Below the dialect's root, such as `submit/imagine`. */
  path?: string;
  /** Speed, which determines the price. */
  mode?: string;
  /** The task that it names. */
  originId?: string;
  /** The same, as its vendor knows it. */
  origin?: TaskOrigin;
}

/** Task that a client submits. */
export interface TaskSubmission extends SubmissionRoute {
  /** Action in lower case, such as `imagine`. */
  action: string;
  isFree?: boolean;
  /** It waits for an answer, which is paid for instead; it is itself if works come without one. */
  isModal?: boolean;
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

export interface ClientRequest {
  operation: Operation;
  format: DialectId;
  framing: Framing;
  body: Buffer;
  /** Positions of the fields in the body, if it is a form. */
  form?: Form | undefined;
  /** The parsed body; never written to. */
  json: Readonly<Record<string, unknown>>;
  /** The same with the earlier turns in it that the vendor adds by itself: what it reads, and charges for. */
  billedJson?: Readonly<Record<string, unknown>>;
  /** The same as the client wrote it, where earlier turns have been put into it. */
  clientJson?: Readonly<Record<string, unknown>>;
  facts: RequestFacts;
  /** Task that continues after the response, if the request submits one. */
  submission?: TaskSubmission | undefined;
  /** Headers of the client that a vendor may need to see (`anthropic-beta`, `anthropic-version`, …), lower case. */
  headers: Readonly<Record<string, string>>;
}
