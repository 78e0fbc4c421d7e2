import { writeCacheBreakpoint } from '../../../model/cache-breakpoint.ts';
import type {
  Conversation,
  EncodeOptions,
  OutputFormat,
  Tool,
  ToolChoice,
  VendorTool,
} from '../../../model/conversation.ts';
import { pickDefinedFields, pushDroppedFields } from '../../../translate/pick-fields.ts';
import { encodeServiceTier, encodeUser } from '../openai-fields-and-tools.ts';
import { resolveEffort } from '../reasoning-effort.ts';
import { encodeMessages } from './encode-messages.ts';

/** Documented limit; more is answered with 400. */
const STOPS_MAX = 4;

/**
 * Encodes a conversation. The output cap is `max_tokens`, which every vendor of this dialect supports; OpenAI's
 * providers rename it.
 */
export function encodeRequest(
  conversation: Conversation,
  ask: EncodeOptions,
  dropped: string[],
): Record<string, unknown> {
  const { tools, outputFormat, reasoning, stop } = conversation;
  const hasTools = tools.length > 0;
  if (conversation.topK !== undefined) dropped.push('top_k');
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop_sequences');
  if (reasoning?.isShown === false) dropped.push('thinking.display');
  return {
    model: ask.model,
    ...(hasTools && { tools: tools.map(encodeTool) }),
    messages: encodeMessages(conversation, dropped),
    ...(ask.stream && { stream: true, stream_options: { include_usage: true } }),
    ...pickDefinedFields({
      max_tokens: conversation.maxOutputTokens,
      temperature: conversation.temperature,
      top_p: conversation.topP,
      stop: stop?.slice(0, STOPS_MAX),
      seed: conversation.seed,
      presence_penalty: conversation.presencePenalty,
      frequency_penalty: conversation.frequencyPenalty,
      n: conversation.choices,
      reasoning_effort: resolveEffort(reasoning),
      tool_choice: hasTools ? encodeToolChoice(conversation.toolChoice) : undefined,
      parallel_tool_calls: hasTools ? conversation.parallelToolCalls : undefined,
      response_format: outputFormat && encodeOutputFormat(outputFormat),
      verbosity: conversation.verbosity,
      modalities: conversation.outputKinds,
      audio: encodeSpeech(conversation.speech, ask),
      user: encodeUser(conversation.userId, dropped),
      metadata: conversation.metadata,
      prompt_cache_key: conversation.cacheKey,
      service_tier: encodeServiceTier(conversation.serviceTier),
    }),
    ...encodeLogprobs(conversation.logprobs),
    ...encodeVendorTools(conversation.vendorTools, dropped),
  };
}

function encodeLogprobs(alternatives: number | undefined): Record<string, unknown> {
  if (alternatives === undefined) return {};
  return { logprobs: true, ...(alternatives > 0 && { top_logprobs: alternatives }) };
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, ...(strict !== undefined && { strict }) } };
}

/**
 * Encodes speech with its format, which is required; a stream supports only one.
 * https://platform.openai.com/docs/guides/audio
 */
function encodeSpeech(speech: Conversation['speech'], { stream }: EncodeOptions): Record<string, unknown> | undefined {
  return speech && { voice: speech.voice, format: speech.format ?? (stream ? 'pcm16' : 'wav') };
}

function encodeTool(tool: Tool): Record<string, unknown> {
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description !== undefined && { description: tool.description }),
      ...(tool.parameters !== undefined && { parameters: tool.parameters }),
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
    ...writeCacheBreakpoint(tool),
  };
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return choice?.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice?.type;
}

/** Encodes the vendor tools. This dialect has only web search, as an option. */
function encodeVendorTools(
  tools: readonly VendorTool[],
  dropped: string[],
): { web_search_options?: Record<string, unknown> } {
  let search: Record<string, unknown> | undefined;
  for (const tool of tools) {
    if (tool.type === 'web-search') search = encodeWebSearch(tool, dropped);
    else dropped.push(tool.type === 'url-fetch' ? 'tools.web_fetch' : 'tools.code_execution');
  }
  return search === undefined ? {} : { web_search_options: search };
}

function encodeWebSearch(
  tool: Extract<VendorTool, { type: 'web-search' }>,
  dropped: string[],
): Record<string, unknown> {
  const { maxUses, allowedDomains, blockedDomains, contextSize, userLocation } = tool;
  const unsaid = { max_uses: maxUses, allowed_domains: allowedDomains, blocked_domains: blockedDomains };
  pushDroppedFields(unsaid, dropped, 'tools.web_search.');
  return {
    ...(contextSize !== undefined && { search_context_size: contextSize }),
    ...(userLocation !== undefined && { user_location: { type: 'approximate', approximate: userLocation } }),
  };
}
