import { partsOf } from '../composer/attachments.ts';
import type { ChatRequest, ContentPart, Message } from '../composer/build-requests.ts';

/** Default for a parameter that Anthropic requires: https://docs.anthropic.com/en/api/messages */
const USUAL_MAX_TOKENS = 4_096;

/** Returns the request for Anthropic's Messages API, which has no JSON mode. */
export function anthropicBody(request: ChatRequest) {
  const { model, messages, stream, temperature, top_p, max_tokens, stop, tools, tool_choice } = request;
  const system = systemOf(messages);
  return {
    model,
    max_tokens: max_tokens ?? USUAL_MAX_TOKENS,
    ...(system === '' ? {} : { system }),
    messages: merged(messages.flatMap(anthropicMessage)),
    ...(stream === undefined ? {} : { stream }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
    ...(tools === undefined
      ? {}
      : { tools: tools.map(({ function: { parameters, ...tool } }) => ({ ...tool, input_schema: parameters })) }),
    ...(tool_choice === undefined ? {} : { tool_choice: anthropicChoice(tool_choice) }),
  };
}

interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: string | object[];
}

function anthropicMessage(message: Message): AnthropicMessage[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user': {
      if (typeof message.content === 'string') return [{ role: 'user', content: message.content }];
      return [{ role: 'user', content: message.content.flatMap(anthropicPart) }];
    }
    case 'assistant': {
      const { content, tool_calls: calls = [] } = message;
      if (calls.length === 0) return [{ role: 'assistant', content: content ?? '' }];
      const text = content === null ? [] : [{ type: 'text', text: content }];
      const uses = calls.map(({ id, function: { name, arguments: input } }) => ({
        type: 'tool_use',
        id,
        name,
        input: parsed(input),
      }));
      return [{ role: 'assistant', content: [...text, ...uses] }];
    }
    case 'tool': {
      const { tool_call_id: tool_use_id, content } = message;
      return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id, content }] }];
    }
  }
}

/** Returns the content part for Anthropic, which does not accept audio. */
function anthropicPart(part: ContentPart): object[] {
  if (part.type === 'text') return [part];
  if (part.type === 'input_audio') return [];
  const source = { type: 'base64', media_type: typeOf(part), data: LEFT_OUT };
  if (part.type === 'image_url') return [{ type: 'image', source }];
  return [{ type: 'document', source, title: part.file.filename }];
}

/** Joins adjacent messages of one role, so that the tool results of a round share a message. */
function merged(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const joined: AnthropicMessage[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    const both =
      before?.role === message.role && Array.isArray(before.content) && Array.isArray(message.content)
        ? [...before.content, ...message.content]
        : undefined;
    if (both === undefined) joined.push(message);
    else joined[joined.length - 1] = { role: message.role, content: both };
  }
  return joined;
}

function anthropicChoice(choice: NonNullable<ChatRequest['tool_choice']>) {
  if (choice === 'none') return { type: 'none' };
  return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.function.name };
}

/** Returns the request for Google's SDKs; the HTTP API takes `settings` as `generationConfig`. */
export function geminiRequest({ model, messages, stream: _way, ...rest }: ChatRequest) {
  const { temperature, top_p, max_tokens, stop, response_format, tools, tool_choice } = rest;
  const system = systemOf(messages);
  const names = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? (message.tool_calls ?? []).map(({ id, function: { name } }) => [id, name] as const)
        : [],
    ),
  );
  return {
    model,
    contents: messages.flatMap((message) => geminiContent(message, names)),
    settings: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(top_p === undefined ? {} : { topP: top_p }),
      ...(max_tokens === undefined ? {} : { maxOutputTokens: max_tokens }),
      ...(stop === undefined ? {} : { stopSequences: stop }),
      ...(response_format === undefined ? {} : { responseMimeType: 'application/json' }),
    },
    more: {
      ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools === undefined
        ? {}
        : {
            tools: [
              {
                functionDeclarations: tools.map(({ function: { parameters, ...tool } }) => ({
                  ...tool,
                  parametersJsonSchema: parameters,
                })),
              },
            ],
          }),
      ...(tool_choice === undefined ? {} : { toolConfig: { functionCallingConfig: geminiChoice(tool_choice) } }),
    },
  };
}

function geminiContent(message: Message, names: ReadonlyMap<string, string>): object[] {
  switch (message.role) {
    case 'system':
      return [];
    case 'user': {
      const { content } = message;
      const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
      return [
        {
          role: 'user',
          parts: parts.map((part) => {
            if (part.type === 'text') return { text: part.text };
            return { inlineData: { mimeType: typeOf(part), data: LEFT_OUT } };
          }),
        },
      ];
    }
    case 'assistant': {
      const { content, tool_calls: calls = [] } = message;
      const text = content === null ? [] : [{ text: content }];
      const called = calls.map(({ function: { name, arguments: args } }) => ({
        functionCall: { name, args: parsed(args) },
      }));
      return [{ role: 'model', parts: [...text, ...called] }];
    }
    case 'tool': {
      const name = names.get(message.tool_call_id) ?? '';
      const response = { result: message.content };
      return [{ role: 'user', parts: [{ functionResponse: { name, response } }] }];
    }
  }
}

function geminiChoice(choice: NonNullable<ChatRequest['tool_choice']>) {
  if (choice === 'none') return { mode: 'NONE' };
  return choice === 'required' ? { mode: 'ANY' } : { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
}

function systemOf(messages: readonly Message[]): string {
  return messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
}

/** Placeholder for file contents, which would hide the rest of the snippet. */
const LEFT_OUT = '…';

function typeOf(part: Exclude<ContentPart, { type: 'text' }>): string {
  switch (part.type) {
    case 'image_url':
      return partsOf(part.image_url.url).type;
    case 'file':
      return partsOf(part.file.file_data).type;
    case 'input_audio':
      return `audio/${part.input_audio.format}`;
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json);
  } catch {
    return {};
  }
}
