import { type FileSource, toFileUrl } from '../../../../media/data-url.ts';
import type {
  Conversation,
  EncodeOptions,
  OutputFormat,
  Part,
  ReasoningPart,
  ResultPart,
  Tool,
  ToolResultPart,
  Turn,
  VendorTool,
} from '../../../../model/conversation.ts';
import { type CallIdRule, pairCallsWithResults } from '../../../../translate/pair-tool-calls.ts';
import { pickDefinedFields, pushDroppedFields } from '../../../../translate/pick-fields.ts';
import { encodeServiceTier, encodeUser } from '../../openai-fields-and-tools.ts';
import { resolveEffort } from '../../reasoning-effort.ts';
import { writeEncrypted } from '../message-and-reasoning-items.ts';

/** Documented minimum; less is answered with 400. */
const OUTPUT_TOKENS_MIN = 16;

/**
 * Encodes a conversation as a stateless request: the vendor stores nothing, and returns its reasoning encrypted for
 * later turns.
 */
export function encodeRequest(
  conversation: Conversation,
  ask: EncodeOptions,
  dropped: string[],
): Record<string, unknown> {
  const { system, logprobs, maxOutputTokens } = conversation;
  dropUnsupported(conversation, dropped);
  const reasoning = encodeReasoning(conversation.reasoning);
  const include = [
    ...(reasoning['effort'] === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === undefined ? [] : ['message.output_text.logprobs']),
    // Returned only on request.
    ...(conversation.vendorTools.some(({ type }) => type === 'web-search') ? ['web_search_call.action.sources'] : []),
  ];
  const text = encodeText(conversation);
  return {
    model: ask.model,
    ...(system.length > 0 && { instructions: system.map((part) => part.text).join('\n\n') }),
    ...encodeTools(conversation, dropped),
    input: encodeItems(conversation.turns, dropped),
    store: false,
    ...(include.length > 0 && { include }),
    ...(ask.stream && { stream: true }),
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    ...(Object.keys(text).length > 0 && { text }),
    ...pickDefinedFields({
      max_output_tokens: maxOutputTokens === undefined ? undefined : Math.max(OUTPUT_TOKENS_MIN, maxOutputTokens),
      temperature: conversation.temperature,
      top_p: conversation.topP,
      top_logprobs: logprobs === 0 ? undefined : logprobs,
      metadata: conversation.metadata,
      safety_identifier: encodeUser(conversation.userId, dropped),
      prompt_cache_key: conversation.cacheKey,
      service_tier: encodeServiceTier(conversation.serviceTier),
    }),
  };
}

/** Reports the fields that this dialect doesn't support. */
function dropUnsupported(conversation: Conversation, dropped: string[]): void {
  const { choices = 1, outputKinds = [] } = conversation;
  const unsaid = {
    stop: conversation.stop,
    seed: conversation.seed,
    top_k: conversation.topK,
    presence_penalty: conversation.presencePenalty,
    frequency_penalty: conversation.frequencyPenalty,
    n: choices > 1 ? choices : undefined,
    modalities: outputKinds.some((kind) => kind !== 'text') ? outputKinds : undefined,
    audio: conversation.speech,
  };
  pushDroppedFields(unsaid, dropped);
}

function encodeReasoning(reasoning: Conversation['reasoning']): Record<string, unknown> {
  return pickDefinedFields({
    effort: resolveEffort(reasoning),
    summary: reasoning?.isShown === true ? 'auto' : undefined,
  });
}

function encodeText({ outputFormat, verbosity }: Conversation): Record<string, unknown> {
  return pickDefinedFields({ format: outputFormat && encodeOutputFormat(outputFormat), verbosity });
}

function encodeOutputFormat(format: OutputFormat): Record<string, unknown> {
  if (format.type === 'json') return { type: 'json_object' };
  const { name, schema, strict } = format;
  return { type: 'json_schema', name, schema, ...(strict !== undefined && { strict }) };
}

type Fields = Record<string, unknown>;

function encodeTools({ tools, vendorTools, toolChoice, parallelToolCalls }: Conversation, dropped: string[]): Fields {
  const encoded = [...tools.map(encodeTool), ...vendorTools.flatMap((tool) => encodeVendorTool(tool, dropped))];
  if (encoded.length === 0) return {};
  return {
    tools: encoded,
    ...(toolChoice !== undefined && {
      tool_choice: toolChoice.type === 'tool' ? namedChoice(toolChoice.name, tools) : toolChoice.type,
    }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

/** Returns the choice of one tool; a vendor tool is identified by its type. */
function namedChoice(name: string, tools: readonly Tool[]): Fields {
  const isOwn = name !== 'web_search' || tools.some((tool) => tool.name === name);
  return isOwn ? { type: 'function', name } : { type: 'web_search' };
}

/** Encodes a function. `strict` defaults to true here, and to false in other dialects. */
function encodeTool({ name, description, parameters, strict }: Tool): Fields {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? null,
    strict: strict ?? false,
  };
}

function encodeVendorTool(tool: VendorTool, dropped: string[]): Fields[] {
  switch (tool.type) {
    case 'web-search': {
      const { maxUses, allowedDomains, blockedDomains, contextSize, userLocation } = tool;
      pushDroppedFields({ max_uses: maxUses, blocked_domains: blockedDomains }, dropped, 'tools.web_search.');
      return [
        {
          type: 'web_search',
          ...(allowedDomains !== undefined && { filters: { allowed_domains: allowedDomains } }),
          ...(contextSize !== undefined && { search_context_size: contextSize }),
          ...(userLocation !== undefined && { user_location: { type: 'approximate', ...userLocation } }),
        },
      ];
    }
    case 'code-execution':
      return [{ type: 'code_interpreter', container: { type: 'auto' } }];
    case 'url-fetch':
      dropped.push('tools.web_fetch');
      return [];
  }
}

type Item = Record<string, unknown>;

const nothing: ResultPart = { type: 'text', text: '' };
/** Vendor's limit; longer ids are answered with 400. */
const callIds: CallIdRule = { maxLength: 64 };

/** Encodes turns as items in order: texts become messages; calls, results and thoughts become separate items. */
function encodeItems(turns: readonly Turn[], dropped: string[]): Item[] {
  const items: Item[] = [];
  for (const { role, parts } of pairCallsWithResults(turns, callIds)) {
    let said: Item[] = [];
    const flush = (): void => {
      if (said.length > 0) items.push({ type: 'message', role: roles[role], content: said });
      said = [];
    };
    for (const part of parts) {
      const item = encodePart(part, dropped);
      if (item === undefined) {
        const content = role === 'assistant' ? encodeOutputPart(part, dropped) : encodeInputContent(part, dropped);
        if (content !== undefined) said.push(content);
      } else {
        flush();
        items.push(...item);
      }
    }
    flush();
  }
  return items.length > 0 ? items : [{ type: 'message', role: 'user', content: [inputPart(nothing)] }];
}

const roles: Record<Turn['role'], string> = { user: 'user', assistant: 'assistant', system: 'developer' };

/** Encodes a part as items; returns undefined for the content of a message. */
function encodePart(part: Part, dropped: string[]): Item[] | undefined {
  switch (part.type) {
    case 'tool-call':
      return [{ type: 'function_call', call_id: part.callId, name: part.name, arguments: part.arguments }];
    case 'tool-result':
      return [{ type: 'function_call_output', call_id: part.callId, output: output(part) }];
    case 'reasoning':
      return encodeReasoningItem(part, dropped);
    case 'vendor-call':
      // The vendor accepts only what it has stored itself.
      dropped.push(`messages.${part.type}`);
      return [];
    case 'text':
    case 'image':
    case 'file':
    case 'audio':
    case 'video':
    case 'refusal':
      return undefined;
  }
}

/** Encodes a thought; the vendor refuses one without its own signature. */
function encodeReasoningItem({ text, signature }: ReasoningPart, dropped: string[]): Item[] {
  if (signature?.origin !== 'openai-responses') {
    dropped.push('messages.reasoning_content');
    return [];
  }
  const { itemId = '', encrypted } = writeEncrypted(signature);
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', ...(itemId !== '' && { id: itemId }), summary, encrypted_content: encrypted }];
}

function encodeOutputPart(part: Part, dropped: string[]): Item | undefined {
  if (part.type === 'text') return { type: 'output_text', text: part.text, annotations: [] };
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  dropped.push(`messages.assistant.${part.type}`);
  return undefined;
}

function encodeInputContent(part: Part, dropped: string[]): Item | undefined {
  if (part.type === 'text' || part.type === 'image' || part.type === 'file') return inputPart(part);
  if (part.type === 'refusal') return { type: 'input_text', text: part.text };
  dropped.push(`messages.user.${part.type}`);
  return undefined;
}

function inputPart(part: ResultPart): Item {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', image_url: toFileUrl(part.source), detail: part.detail ?? 'auto' };
    case 'file':
      return { type: 'input_file', ...fileFields(part.source, part.name) };
  }
}

/** Returns the file's fields. Inline data requires a name; a URL must not have one. */
function fileFields(source: FileSource, name: string | undefined): Item {
  if ('url' in source) return { file_url: source.url };
  return { filename: name ?? 'document', file_data: toFileUrl(source) };
}

function output({ content, isError }: ToolResultPart): unknown {
  const parts: ResultPart[] = isError === true ? [{ type: 'text', text: 'Error: ' }, ...content] : content;
  const isText = parts.every((part) => part.type === 'text');
  return isText ? parts.map((part) => part.text).join('') : parts.map(inputPart);
}
