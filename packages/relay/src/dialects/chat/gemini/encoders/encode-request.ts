import type {
  Conversation,
  EncodeOptions,
  OutputFormat,
  TextPart,
  Tool,
  ToolChoice,
  VendorTool,
} from '../../../../model/conversation.ts';
import { pickDefinedFields, pushDroppedFields } from '../../../../translate/pick-fields.ts';
import { jsonInstruction, schemaInstruction } from '../../../../translate/turns-and-instructions.ts';
import { type GeminiModel, geminiModel, planThinking } from '../gemini-models-and-thinking.ts';
import { encodeContents } from './encode-contents.ts';

/** Vendor's limit; more is answered with 400. */
const STOPS_MAX = 5;

type Json = Record<string, unknown>;

/** Encodes a conversation; the model and the stream flag are in the URL. */
export function encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Json {
  const model = geminiModel(ask.model);
  // Up to Gemini 2.5 a request has functions or an output format, and cannot do without its functions.
  const isFormless = !model.isThird && conversation.tools.length > 0;
  const system = [...conversation.system, ...(isFormless ? formatInstruction(conversation, dropped) : [])];
  const config = encodeConfig(isFormless ? { ...conversation, outputFormat: undefined } : conversation, model, dropped);
  dropUnsupported(conversation, dropped);
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map(({ text }) => ({ text })) } }),
    ...encodeTools(conversation, model, dropped),
    contents: encodeContents(conversation.turns, model, dropped),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

function encodeConfig(conversation: Conversation, model: GeminiModel, dropped: string[]): Json {
  const { stop, logprobs, speech, outputKinds, choices } = conversation;
  if ((stop?.length ?? 0) > STOPS_MAX) dropped.push('stop');
  if (speech?.format !== undefined) dropped.push('audio.format');
  return pickDefinedFields({
    maxOutputTokens: conversation.maxOutputTokens,
    temperature: conversation.temperature,
    topP: conversation.topP,
    topK: conversation.topK,
    seed: conversation.seed,
    stopSequences: stop?.slice(0, STOPS_MAX),
    presencePenalty: conversation.presencePenalty,
    frequencyPenalty: conversation.frequencyPenalty,
    candidateCount: choices === 1 ? undefined : choices,
    ...(logprobs !== undefined && { responseLogprobs: true, ...(logprobs > 0 && { logprobs }) }),
    ...encodeOutputFormat(conversation.outputFormat),
    responseModalities: outputKinds?.map((kind) => kind.toUpperCase()),
    speechConfig: speech && { voiceConfig: { prebuiltVoiceConfig: { voiceName: speech.voice } } },
    thinkingConfig: planThinking(conversation.reasoning, model, dropped),
  });
}

/** Returns an instruction for an output format that the API cannot enforce. */
function formatInstruction({ outputFormat }: Conversation, dropped: string[]): TextPart[] {
  if (outputFormat === undefined) return [];
  dropped.push('response_format');
  return [outputFormat.type === 'json' ? jsonInstruction : schemaInstruction(outputFormat.schema)];
}

/** Encodes the output format. The JSON Schema is sent unchanged, because the API ignores unknown keywords. */
function encodeOutputFormat(format: OutputFormat | undefined): Json {
  if (format === undefined) return {};
  return {
    responseMimeType: 'application/json',
    ...(format.type === 'json-schema' && { responseJsonSchema: format.schema }),
  };
}

/** Reports the fields that this dialect doesn't support, by their names in other dialects. */
function dropUnsupported(conversation: Conversation, dropped: string[]): void {
  const unsaid = {
    parallel_tool_calls: conversation.parallelToolCalls === false ? false : undefined,
    verbosity: conversation.verbosity,
    user: conversation.userId,
    metadata: conversation.metadata,
    prompt_cache_key: conversation.cacheKey,
  };
  pushDroppedFields(unsaid, dropped);
}

function encodeTools({ tools, vendorTools, toolChoice }: Conversation, model: GeminiModel, dropped: string[]): Json {
  // Up to Gemini 2.5 a request has either kind of tools, and cannot do without the client's functions.
  const isEither = !model.isThird && tools.length > 0;
  if (isEither) for (const { type } of vendorTools) dropped.push(`tools.${type}`);
  const own = isEither ? [] : vendorTools.map((tool) => encodeVendorTool(tool, dropped));
  const declared = tools.length > 0 ? [{ functionDeclarations: tools.map((tool) => encodeTool(tool, dropped)) }] : [];
  if (own.length + declared.length === 0) return {};
  const config = {
    ...(declared.length > 0 && toolChoice !== undefined && { functionCallingConfig: encodeToolChoice(toolChoice) }),
    ...(declared.length > 0 && own.length > 0 && { includeServerSideToolInvocations: true }),
  };
  return { tools: [...declared, ...own], ...(Object.keys(config).length > 0 && { toolConfig: config }) };
}

function encodeTool({ name, description, parameters, strict }: Tool, dropped: string[]): Json {
  if (strict === true) dropped.push('tools.strict');
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  };
}

function encodeVendorTool({ type, ...options }: VendorTool, dropped: string[]): Json {
  pushDroppedFields(options, dropped, `tools.${type}.`);
  if (type === 'web-search') return { googleSearch: {} };
  return type === 'code-execution' ? { codeExecution: {} } : { urlContext: {} };
}

function encodeToolChoice(choice: ToolChoice): Json {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
    default:
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  }
}
