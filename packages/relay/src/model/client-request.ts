import type { Form } from '../wire/form.ts';
import type { FormatId, Operation } from './format-id.ts';
import type { Origin } from './tasks.ts';
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
  /** How many answers were asked for (`n`). */
  choices: number;
  /** What the request alone lets expect, apart from its text: of operations that are billed by the unit. */
  expected?: Expected | undefined;
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
export interface Expected {
  /** What is counted beside tokens. */
  unit: 'image' | 'second' | 'character' | 'search';
  usage: Usage;
  /** The units are counted, not estimated. */
  isCounted: boolean;
}

/** What an address says of an order. */
export interface OrderRoute {
  /** Below the dialect's root, such as `submit/imagine`. */
  path?: string;
  /** How fast, and so how dear. */
  mode?: string;
  /** The task that it names. */
  originId?: string;
  /** The same, as its vendor knows it. */
  origin?: Origin;
}

/** What is ordered. */
export interface ClientOrder extends OrderRoute {
  /** In small letters, such as `imagine`. */
  action: string;
  isFree?: boolean;
  /** It waits for an answer, which is paid for instead; it is itself if works come without one. */
  isWindow?: boolean;
}

/** What an address says of a request before its body is read. */
export interface RequestRoute {
  operation: Operation;
  format: FormatId;
  /** Where the dialect has it in the path, not in the body; so with `stream`. */
  model?: string;
  stream?: boolean;
  framing?: Framing;
  order?: OrderRoute;
  /** What the body may be beside JSON, or instead of it. */
  form?: 'also' | 'only';
}

/**
 * How the events of a stream follow each other. Gemini's are a JSON array unless asked for as events. Sound and text
 * come as plain bytes, among which no error can be told.
 */
export type Framing = 'sse' | 'json-array' | 'bytes';

export interface ClientRequest {
  operation: Operation;
  format: FormatId;
  framing: Framing;
  body: Buffer;
  /** Where the fields stand in the body, when it is a form. */
  form?: Form | undefined;
  /** The parsed body; never written to. */
  json: Readonly<Record<string, unknown>>;
  /** The same with the earlier turns in it that the vendor adds by itself: what it reads, and charges for. */
  read?: Readonly<Record<string, unknown>>;
  /** The same as the client wrote it, where earlier turns have been put into it. */
  said?: Readonly<Record<string, unknown>>;
  facts: RequestFacts;
  /** Of work that goes on after the answer. */
  order?: ClientOrder | undefined;
  /** Headers of the client that a vendor may need to see (`anthropic-beta`, `anthropic-version`, …), lower case. */
  headers: Readonly<Record<string, string>>;
}
