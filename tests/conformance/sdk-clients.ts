import Anthropic from '@anthropic-ai/sdk';
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import type { Dialect } from './recorded-files.ts';

export interface SdkResult {
  text: string;
  toolCalls: { name: string; input: unknown }[];
  usage: { input: number; cachedRead: number; cacheWrite: number; output: number; reasoning: number } | undefined;
}

/** Result of the vendor's own client library for the bytes. */
export async function readWithSdk(client: Dialect, body: Buffer, isStream: boolean): Promise<SdkResult> {
  const headers = { 'content-type': isStream ? 'text/event-stream' : 'application/json' };
  const answer = async (): Promise<Response> => new Response(new Uint8Array(body), { headers });
  return readers[client](answer, isStream);
}

const readers = {
  'openai-chat': readWithOpenai,
  'anthropic-messages': readWithAnthropic,
  'openai-responses': readWithResponses,
  gemini: readWithGemini,
};

async function readWithOpenai(fetch: () => Promise<Response>, isStream: boolean): Promise<SdkResult> {
  const { completions } = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 }).chat;
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
  const answer = isStream
    ? await completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion()
    : await completions.create(request);
  const message = answer.choices[0]?.message;
  const { usage } = answer;
  return {
    text: message?.content ?? '',
    toolCalls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ name: call.function.name, input: tolerantParse(call.function.arguments) }] : [],
    ),
    usage: usage && {
      input: usage.prompt_tokens,
      cachedRead: usage.prompt_tokens_details?.cached_tokens ?? 0,
      cacheWrite: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
      output: usage.completion_tokens,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

async function readWithAnthropic(fetch: () => Promise<Response>, isStream: boolean): Promise<SdkResult> {
  const { messages } = new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 });
  const request = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'hi' }] };
  const answer = isStream ? await messages.stream(request).finalMessage() : await messages.create(request);
  const { usage } = answer;
  const cachedRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  return {
    text: answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    toolCalls: answer.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    ),
    usage: {
      input: usage.input_tokens + cachedRead + cacheWrite,
      cachedRead,
      cacheWrite,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
}

async function readWithResponses(fetch: () => Promise<Response>, isStream: boolean): Promise<SdkResult> {
  const { responses } = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 });
  const request = { model: 'm', input: 'hi' };
  const answer = isStream ? await responses.stream(request).finalResponse() : await responses.create(request);
  const { output_text, usage } = answer;
  return {
    text: output_text,
    toolCalls: answer.output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, input: tolerantParse(item.arguments) }] : [],
    ),
    usage: usage && {
      input: usage.input_tokens,
      cachedRead: usage.input_tokens_details.cached_tokens,
      cacheWrite: usage.input_tokens_details.cache_write_tokens,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    },
  };
}

async function readWithGemini(fetch: () => Promise<Response>, isStream: boolean): Promise<SdkResult> {
  const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { fetch } });
  const request = { model: 'm', contents: 'hi' };
  const chunks: GenerateContentResponse[] = [];
  if (isStream) for await (const chunk of await models.generateContentStream(request)) chunks.push(chunk);
  else chunks.push(await models.generateContent(request));
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const usage = chunks.findLast((chunk) => chunk.usageMetadata !== undefined)?.usageMetadata;
  const reasoning = usage?.thoughtsTokenCount ?? 0;
  return {
    text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
    toolCalls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? '', input: functionCall.args }],
    ),
    usage: usage && {
      input: usage.promptTokenCount ?? 0,
      cachedRead: usage.cachedContentTokenCount ?? 0,
      cacheWrite: 0,
      output: (usage.candidatesTokenCount ?? 0) + reasoning,
      reasoning,
    },
  };
}

function tolerantParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
