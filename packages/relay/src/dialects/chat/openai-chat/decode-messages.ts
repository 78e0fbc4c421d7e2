import { decodeEntries } from '../../../exchange/check-request-fields.ts';
import { describeValue } from '../../../json/describe-value.ts';
import { hashKey, type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import { type FileSource, parseFileUrl } from '../../../media/data-url.ts';
import { readCacheBreakpoint, withMessageBreakpoint } from '../../../model/cache-breakpoint.ts';
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  ResultPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from '../../../model/conversation.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { stringifyArguments } from '../../../translate/tool-input.ts';
import { addTurn } from '../../../translate/turns-and-instructions.ts';
import { audioMediaType } from '../openai-content-audio-logprobs.ts';
import { encodeCustomInput } from '../openai-fields-and-tools.ts';
import { readThoughts } from './read-content.ts';
import { readCallSignature, readDetailSignature, signsCall } from './reasoning-signatures.ts';

interface DecodedMessages {
  system: TextPart[];
  turns: Turn[];
}

/** Decodes messages. Leading system and developer messages become the system prompt; later ones stay in place. */
export function decodeMessages(messages: readonly unknown[], unsupported: string[]): DecodedMessages {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  decodeEntries('messages', messages, (value) => {
    const role = value['role'];
    if (role === 'system' || role === 'developer') {
      const texts = contentParts(value['content'], unsupported).filter((part) => part.type === 'text');
      const parts = withMessageBreakpoint(texts, value).filter((part) => part.type === 'text');
      if (turns.length === 0) system.push(...parts);
      else addTurn(turns, { role: 'system', parts });
    } else if (role === 'assistant') {
      addTurn(turns, { role: 'assistant', parts: withMessageBreakpoint(assistantParts(value, unsupported), value) });
    } else if (role === 'tool' || role === 'function') {
      addTurn(turns, { role: 'user', parts: [toolResult(value, unsupported)] });
      return;
    } else if (role === 'user') {
      addTurn(turns, {
        role: 'user',
        parts: withMessageBreakpoint(contentParts(value['content'], unsupported), value),
      });
    } else {
      throw new InvalidRequestError(
        `The role is ${describeValue(role)}. Use system, developer, user, assistant, tool or function.`,
      );
    }
    for (const field of unsaidFields) if (value[field] != null) unsupported.push(`messages.${field}`);
  });
  return { system, turns };
}

/** Fields that other dialects lack; `audio` refers to an earlier response by the vendor's id. */
const unsaidFields = ['name', 'audio'] as const;

function assistantParts(message: JsonObject, unsupported: string[]): Part[] {
  const { thoughts, calls } = splitThoughtsAndCalls(message, reasoningParts(message), unsupported);
  const refusal = textOf(message['refusal']);
  return [
    ...thoughts,
    ...contentParts(message['content'], unsupported),
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...answeredImages(message),
    ...calls,
  ];
}

/** Returns the images of an earlier response, where OpenRouter's clients keep them. */
function answeredImages(message: JsonObject): ImagePart[] {
  return listOf(message['images']).map((image) => imagePart(objectOf(image)));
}

function toolResult(message: JsonObject, unsupported: string[]): ToolResultPart {
  const callId = textOf(message['tool_call_id']) ?? textOf(message['name']) ?? '';
  const parts = contentParts(message['content'], unsupported);
  const content = parts.filter((part) => part.type === 'text' || part.type === 'image' || part.type === 'file');
  if (content.length < parts.length) unsupported.push('messages.tool.content');
  const cache = content.findLast((part) => part.cache !== undefined)?.cache ?? readCacheBreakpoint(message);
  return { type: 'tool-result', callId, content: content.map(withoutCache), cache };
}

/** Removes the cache breakpoint of a part; the breakpoint follows the whole result. */
function withoutCache(part: ResultPart): ResultPart {
  return { ...part, cache: undefined };
}

/**
 * Decodes the thoughts of an assistant message, as the response encoder wrote them: text is in `reasoning_content`,
 * signatures in `reasoning_details`, with their texts if there is more than one.
 */
export function reasoningParts(message: JsonObject): ReasoningPart[] {
  const thoughts = detailedThoughts(objectsIn(message['reasoning_details']));
  const plain = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
  const detailed = thoughts.map((thought) => thought.text).join('');
  if (!plain.endsWith(detailed)) return thoughts;
  const text = plain.slice(0, plain.length - detailed.length);
  if (text === '') return thoughts;
  const first = thoughts.find(({ signature }) => signature?.kind === 'signature' && !signsCall(signature));
  if (first === undefined) return [{ type: 'reasoning', text }, ...thoughts];
  first.text = text + first.text;
  return thoughts;
}

/** Merges adjacent stream fragments, which clients keep apart; a signature ends a thought. */
function detailedThoughts(details: readonly JsonObject[]): ReasoningPart[] {
  const thoughts: ReasoningPart[] = [];
  let text = '';
  for (const detail of details) {
    text += textOf(detail['text']) ?? textOf(detail['summary']) ?? '';
    const signature = readDetailSignature(detail);
    if (signature === undefined) continue;
    const isAbout = signature.kind === 'signature' && !signsCall(signature);
    if (!isAbout && text !== '') thoughts.push({ type: 'reasoning', text });
    thoughts.push({ type: 'reasoning', text: isAbout ? text : '', signature });
    text = '';
  }
  if (text !== '') thoughts.push({ type: 'reasoning', text });
  return thoughts;
}

/**
 * Returns the thoughts and calls of an assistant message, each call preceded by its signature. A client may keep a
 * signature in the call, in the reasoning details, or in both; a signature in the details belongs to the first call
 * without one.
 */
export function splitThoughtsAndCalls(
  message: JsonObject,
  reasoning: readonly ReasoningPart[],
  unsupported: string[],
): { thoughts: Part[]; calls: Part[] } {
  const calls: Part[] = [];
  const signatures = new Set<string>();
  for (const value of listOf(message['tool_calls'])) {
    const call = objectOf(value);
    const part = toolCall(call, unsupported);
    if (part === undefined) continue;
    const signature = readCallSignature(call);
    if (signature !== undefined) {
      signatures.add(hashKey(signature.value));
      calls.push({ type: 'reasoning', text: '', signature });
    }
    calls.push(part);
  }
  const legacy = objectOf(message['function_call']);
  const name = textOf(legacy['name']);
  if (name !== undefined)
    calls.push({ type: 'tool-call', callId: '', name, arguments: stringifyArguments(legacy['arguments']) });
  const thoughts = reasoning.filter(
    ({ signature }) => !signsCall(signature) || !signatures.has(hashKey(signature?.value ?? '')),
  );
  const loose = thoughts.findLastIndex(({ signature }) => signsCall(signature));
  if (calls[0]?.type === 'tool-call') calls.unshift(...thoughts.splice(loose, loose === -1 ? 0 : 1));
  return { thoughts, calls };
}

function toolCall(call: JsonObject, unsupported: string[]): ToolCallPart | undefined {
  const isCustom = call['type'] === 'custom' || call['function'] === undefined;
  const details = objectOf(isCustom ? (call['custom'] ?? call['function']) : call['function']);
  const name = textOf(details['name']);
  if (name === undefined) {
    unsupported.push(`messages.tool_calls.${textOf(call['type']) ?? 'unknown'}`);
    return undefined;
  }
  const text = isCustom ? encodeCustomInput(details['input']) : stringifyArguments(details['arguments']);
  return { type: 'tool-call', callId: textOf(call['id']) ?? '', name, arguments: text };
}

function contentParts(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((value): Part[] => {
    const part = objectOf(value);
    const decoded = contentPart(part, unsupported);
    return decoded === undefined ? [] : [decoded];
  });
}

function contentPart(part: JsonObject, unsupported: string[]): Part | undefined {
  switch (part['type']) {
    case 'text': {
      const text = textOf(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache: readCacheBreakpoint(part) };
    }
    case 'refusal':
      return { type: 'refusal', text: textOf(part['refusal']) ?? '' };
    // Mistral's form of thoughts.
    case 'thinking':
      return { type: 'reasoning', text: readThoughts(part).join('') };
    case 'image_url':
      return imagePart(part);
    case 'input_audio':
      return audioPart(part);
    // Accepted by Qwen, Zhipu, OpenRouter and vLLM, but not by OpenAI.
    case 'video_url':
      return {
        type: 'video',
        source: parseFileUrl(requireUrl(part, 'video_url', 'A video')),
        cache: readCacheBreakpoint(part),
      };
    case 'file':
      return filePart(part, unsupported);
    default:
      unsupported.push(`messages.content.${textOf(part['type']) ?? 'unknown'}`);
      return undefined;
  }
}

function imagePart(part: JsonObject): ImagePart {
  const source = parseFileUrl(requireUrl(part, 'image_url', 'An image'));
  const detail = textOf(objectOf(part['image_url'])['detail']);
  return { type: 'image', source, detail, cache: readCacheBreakpoint(part) };
}

function requireUrl(part: JsonObject, field: string, what: string): string {
  const url = textOf(objectOf(part[field])['url']) ?? textOf(part[field]);
  if (url === undefined) throw new InvalidRequestError(`${what} has no url. Add one.`);
  return url;
}

function audioPart(part: JsonObject): AudioPart {
  const audio = objectOf(part['input_audio']);
  const base64 = textOf(audio['data']);
  if (base64 === undefined) throw new InvalidRequestError('An input_audio has no data. Add it.');
  const mediaType = audioMediaType(textOf(audio['format']) ?? 'wav');
  return { type: 'audio', source: { mediaType, base64 }, cache: readCacheBreakpoint(part) };
}

/** Decodes a file. An uploaded file exists at one vendor only. */
function filePart(part: JsonObject, unsupported: string[]): FilePart | undefined {
  const file = objectOf(part['file']);
  const data = textOf(file['file_data']);
  if (data === undefined) {
    unsupported.push('messages.content.file.file_id');
    return undefined;
  }
  return { type: 'file', name: textOf(file['filename']), source: readFileData(data), cache: readCacheBreakpoint(part) };
}

/** Reads file data: a data URL by the specification, base64 alone from some clients, a URL from OpenRouter's. */
function readFileData(data: string): FileSource {
  if (/^(data|https?):/.test(data)) return parseFileUrl(data);
  return { mediaType: 'application/pdf', base64: data };
}
