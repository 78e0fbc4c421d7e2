/** Content of a recording, read in a simple way: parses everything and adds up. Shares no code with the relay. */
import type { Loose } from './loose.ts';
import type { Json, Recording } from './recorded-files.ts';

export interface ExpectedResponse {
  text: string;
  toolCalls: { name: string; input: unknown }[];
  usage: ExpectedUsage | undefined;
}

export interface ExpectedUsage {
  /** All input tokens, cached or not. */
  input: number;
  cachedRead: number;
  cacheWrite: number;
  /** All output tokens, including reasoning. */
  output: number;
  reasoning: number;
}

export function readExpectedResponse(recording: Recording): ExpectedResponse {
  const events: Loose[] = recording.events.map((event) => JSON.parse(event));
  return readers[recording.dialect](events);
}

const readers = {
  'openai-chat': readOpenaiResponse,
  'anthropic-messages': readAnthropicResponse,
  'openai-responses': readResponsesResponse,
  gemini: readGeminiResponse,
};

function readOpenaiResponse(events: Loose[]): ExpectedResponse {
  let text = '';
  let usage: ExpectedUsage | undefined;
  const calls = new Map<unknown, { name: string; json: string }>();
  for (const event of events) {
    usage = readOpenaiUsage(event.usage ?? event.x_groq?.usage) ?? usage;
    const delta = event.choices?.[0]?.delta ?? event.choices?.[0]?.message ?? {};
    if (typeof delta.content === 'string') text += delta.content;
    for (const part of Array.isArray(delta.content) ? delta.content : []) text += part.text ?? '';
    for (const [position, call] of (delta.tool_calls ?? []).entries()) {
      const key = call.index ?? position;
      const known = calls.get(key) ?? { name: '', json: '' };
      calls.set(key, { name: known.name || call.function.name, json: known.json + (call.function.arguments ?? '') });
    }
  }
  return { text, usage, toolCalls: [...calls.values()].map(({ name, json }) => ({ name, input: JSON.parse(json) })) };
}

function readOpenaiUsage(usage: Loose): ExpectedUsage | undefined {
  if (!usage) return undefined;
  const cached =
    usage.prompt_tokens_details?.cached_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.cached_tokens ??
    usage.num_cached_tokens ??
    0;
  return {
    input: usage.prompt_tokens,
    cachedRead: cached,
    cacheWrite: 0,
    // Vendors differ in what completion_tokens includes, but not in the total.
    output: usage.total_tokens - usage.prompt_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? usage.reasoning_tokens ?? 0,
  };
}

function readAnthropicResponse(events: Loose[]): ExpectedResponse {
  const reports: Json[] = [];
  const blocks: Loose[] = [];
  let open = new Map<number, Loose>();
  for (const event of events) {
    const usage = event.usage ?? event.message?.usage;
    if (usage) reports.push(usage);
    if (event.type === 'message') blocks.push(...event.content);
    if (event.type === 'message_start') open = new Map();
    if (event.type === 'content_block_start') {
      const block = { ...event.content_block, json: '' };
      open.set(event.index, block);
      blocks.push(block);
    }
    if (event.type === 'content_block_delta') {
      const block = open.get(event.index);
      if (event.delta.type === 'text_delta') block.text += event.delta.text;
      if (event.delta.type === 'input_json_delta') block.json += event.delta.partial_json;
    }
  }
  return {
    text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    toolCalls: blocks
      .filter((block) => block.type === 'tool_use')
      .map(({ name, json, input }) => ({ name, input: json ? parseTolerantly(json) : input })),
    usage: reports.length === 0 ? undefined : readAnthropicUsage(reports),
  };
}

function readGeminiResponse(events: Loose[]): ExpectedResponse {
  const parts: Loose[] = events.flatMap((event) => event.candidates?.[0]?.content?.parts ?? []);
  const usage = events.findLast((event) => event.usageMetadata?.totalTokenCount)?.usageMetadata;
  const toolCalls: ExpectedResponse['toolCalls'] = [];
  for (const { functionCall } of parts.filter((part) => part.functionCall)) {
    const { name, args, partialArgs = [] } = functionCall;
    if (name) toolCalls.push({ name, input: args ?? {} });
    for (const piece of partialArgs) appendPartial(toolCalls.at(-1)?.input, piece);
  }
  return {
    text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
    toolCalls,
    usage: usage && {
      input: usage.promptTokenCount,
      cachedRead: usage.cachedContentTokenCount ?? 0,
      cacheWrite: 0,
      output: usage.totalTokenCount - usage.promptTokenCount,
      reasoning: usage.thoughtsTokenCount ?? 0,
    },
  };
}

/** `$.a[0].b` is a path; texts there are appended. */
function appendPartial(input: Loose, piece: Loose): void {
  const keys: string[] = piece.jsonPath.match(/[A-Za-z_]\w*|\d+/g);
  const last = keys.at(-1) ?? '';
  let at = input;
  for (const [depth, key] of keys.slice(0, -1).entries()) at = at[key] ??= /^\d/.test(keys[depth + 1] ?? '') ? [] : {};
  at[last] = piece.numberValue ?? `${at[last] ?? ''}${piece.stringValue}`;
}

/** One recording breaks off within the arguments and restarts them. */
function parseTolerantly(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

function readAnthropicUsage(reports: Loose[]): ExpectedUsage {
  const last = reports.at(-1);
  const latest = (field: string): number =>
    reports.map((report) => report[field] ?? 0).findLast((value) => value > 0) ?? 0;
  const runs: Loose[] = last.iterations?.length > 0 ? last.iterations : [];
  const sum = (field: string): number =>
    runs.length === 0 ? latest(field) : runs.reduce((total, run) => total + (run[field] ?? 0), 0);
  const cachedRead = sum('cache_read_input_tokens');
  const cacheWrite = sum('cache_creation_input_tokens');
  return {
    input: sum('input_tokens') + cachedRead + cacheWrite,
    cachedRead,
    cacheWrite,
    output: runs.length === 0 ? (last.output_tokens ?? 0) : sum('output_tokens'),
    reasoning: last.output_tokens_details?.thinking_tokens ?? 0,
  };
}

/** A stream's text is read from its pieces, calls from their complete items. */
function readResponsesResponse(events: Loose[]): ExpectedResponse {
  const response = events.at(-1).response ?? events.at(-1);
  const isStream = events.length > 1;
  const items: Loose[] = isStream
    ? events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item)
    : response.output;
  const pieces = isStream
    ? events.filter((event) => event.type === 'response.output_text.delta').map((event) => event.delta)
    : items.flatMap((item) => item.content ?? []).map((part) => (part.type === 'output_text' ? part.text : ''));
  const { usage } = response;
  return {
    text: pieces.join(''),
    toolCalls: items.flatMap(readClientCall),
    usage: usage && {
      input: usage.input_tokens,
      cachedRead: usage.input_tokens_details?.cached_tokens ?? 0,
      cacheWrite: usage.input_tokens_details?.cache_write_tokens ?? 0,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

/** Calls that the client runs, with names and arguments like functions. */
function readClientCall(item: Loose): ExpectedResponse['toolCalls'] {
  switch (item.type) {
    case 'function_call':
      return [{ name: item.name, input: JSON.parse(item.arguments) }];
    case 'custom_tool_call':
      return [{ name: item.name, input: { input: item.input } }];
    case 'local_shell_call': {
      const { type: _type, ...input } = item.action;
      return [{ name: 'local_shell', input }];
    }
    case 'shell_call': {
      if (item.environment?.type?.startsWith('container')) return [];
      const said = Object.entries(item.action).filter(([, value]) => value !== null);
      return [{ name: 'shell', input: Object.fromEntries(said) }];
    }
    case 'apply_patch_call':
      return [{ name: 'apply_patch', input: item.operation }];
    case 'tool_search_call':
      return item.execution === 'client' ? [{ name: 'tool_search', input: item.arguments }] : [];
    default:
      return [];
  }
}
