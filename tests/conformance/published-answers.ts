/**
 * Types of responses and stream events that the vendors' libraries publish, corrected by what the vendors send, with
 * the fields that the gateway adds. Tests compile clients' responses with them.
 */
import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { ErrorResponse } from '@anthropic-ai/sdk/resources/shared';
import type { GenerateContentResponse } from '@google/genai';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionMessage } from 'openai/resources/chat/completions';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { ErrorObject } from 'openai/resources/shared';

export type ChatWhole = OfOpenai<ChatCompletion>;
export type ChatEvent = OfOpenai<ChatCompletionChunk> | ChatError;
export type ResponsesWhole = OfOpenai<Response>;
export type ResponsesEvent = OfOpenai<ResponseStreamEvent>;
export type MessagesWhole = OfAnthropic<Message>;
export type MessagesEvent = OfAnthropic<RawMessageStreamEvent> | MessagesError;
export type GeminiWhole = OfGoogle<Omit<GenerateContentResponse, AddedByGoogle>>;
export type GeminiEvent = GeminiWhole | GeminiError;

/** An error in the middle of a stream, for which OpenAI publishes no type. */
interface ChatError {
  error: ErrorObject;
}

/** `request_too_large` is documented, and missing in the types. Source: https://docs.claude.com/en/api/errors */
interface MessagesError extends OfAnthropic<Omit<ErrorResponse, 'error'>> {
  error: OfAnthropic<ErrorResponse['error']> | { type: 'request_too_large'; message: string };
}

/** Source: https://cloud.google.com/apis/design/errors */
interface GeminiError {
  error: { code: number; message: string; status: string; details?: Record<string, unknown>[] };
}

/** OpenAI writes `null` for fields that its types call optional. Its library adds `output_text` to a response. */
type OfOpenai<T> = T extends readonly (infer U)[]
  ? OfOpenai<U>[]
  : T extends object
    ? { [K in keyof T as K extends 'output_text' ? never : K]: OfOpenaiMember<T, K> } & AddedToOpenai<T>
    : T;

type OfOpenaiMember<T, K extends keyof T> = undefined extends T[K]
  ? OfOpenai<Exclude<T[K], undefined>> | null | undefined
  : // OpenAI sends codes of errors that its types lack, for instance `context_length_exceeded`.
    [T, K] extends [{ code: string; message: string }, 'code']
    ? string
    : OfOpenai<T[K]>;

type AddedToOpenai<T> = 'tool_calls' extends keyof T
  ? AddedToChatMessage
  : 'function' extends keyof T
    ? AddedToCall
    : 'end_index' extends keyof T
      ? AddedToCitation
      : 'logprob' extends keyof T
        ? AddedToLogprob<T>
        : keyof T & ('cached_tokens' | 'reasoning_tokens') extends never
          ? AddedToResponses<T>
          : AddedToUsage;

interface AddedToChatMessage {
  /** DeepSeek, Qwen, Moonshot and others: the text of the reasoning. */
  reasoning_content?: string;
  /** OpenRouter: signatures of the reasoning. */
  reasoning_details?: { index?: number; type: string; text?: string; signature?: string; data?: string }[];
  /** OpenRouter: generated images. */
  images?: { index?: number; type: 'image_url'; image_url: { url: string } }[];
  /** OpenAI sends citations in chunks, too. */
  annotations?: ({ index?: number } & OfOpenai<ChatCompletionMessage.Annotation>)[] | null;
}

interface AddedToCall {
  /** Google's OpenAI-compatible API: the signature of the reasoning before the call. */
  extra_content?: { google: { thought_signature: string } };
}

interface AddedToCitation {
  /** OpenRouter: text of the source. */
  content?: string;
}

interface AddedToUsage {
  /** Modalities of other vendors' models. */
  audio_tokens?: number;
  image_tokens?: number;
  /** Details of OpenAI's Realtime API, where cached tokens of audio and images have separate prices. */
  cached_tokens_details?: { text_tokens: number; audio_tokens: number; image_tokens: number };
}

/** OpenAI's types have the bytes of a token in a response, and not in an event. */
type AddedToLogprob<T> = 'bytes' extends keyof T ? unknown : { bytes?: number[] };

type AddedToResponses<T> = T extends { object: 'response' }
  ? // OpenAI's responses have it.
    { store?: boolean | null }
  : T extends { type: 'custom_tool_call' }
    ? // OpenAI's items have it.
      { status?: 'in_progress' | 'completed' | 'incomplete' }
    : T extends { type: 'response.function_call_arguments.done' }
      ? // Earlier versions of the library require it.
        { name?: string }
      : T extends { type: 'error' }
        ? // OpenAI's traffic has the error in an object, its types in the event.
          { error?: ErrorObject }
        : unknown;

/**
 * Anthropic leaves out fields that its types allow to be `null`. The gateway leaves out `caller`, too: clients send
 * blocks back, and clouds with older versions of the API refuse unknown fields.
 */
type OfAnthropic<T> = T extends readonly (infer U)[]
  ? OfAnthropic<U>[]
  : T extends object
    ? { [K in keyof T as IsOptional<T, K> extends true ? never : K]: OfAnthropic<T[K]> } & {
        [K in keyof T as IsOptional<T, K> extends true ? K : never]?: OfAnthropic<T[K]>;
      } & AddedToAnthropic<T>
    : T;

type IsOptional<T, K extends keyof T> = K extends 'caller' ? true : null extends T[K] ? true : false;

type AddedToAnthropic<T> = T extends { output_tokens: number }
  ? // The number of written tokens by cache duration is only known at the end of a stream.
    { cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } }
  : unknown;

/** Google's library has enumerations where its API has texts. */
type OfGoogle<T> = T extends string
  ? `${T}`
  : T extends readonly (infer U)[]
    ? OfGoogle<U>[]
    : T extends object
      ? { [K in keyof T]: OfGoogle<T[K]> }
      : T;

/** Computed by Google's library from the parts. */
type AddedByGoogle =
  | 'text'
  | 'data'
  | 'functionCalls'
  | 'executableCode'
  | 'codeExecutionResult'
  | 'initialPromptTokenCount';
