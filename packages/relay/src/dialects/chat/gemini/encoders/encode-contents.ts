import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  Turn,
  VideoPart,
} from '../../../../model/conversation.ts';
import { pairCallsWithResults } from '../../../../translate/pair-tool-calls.ts';
import { checkArguments, toToolInput } from '../../../../translate/tool-input.ts';
import { alternateTurns, convertSystemTurns } from '../../../../translate/turns-and-instructions.ts';
import { writeCode } from '../code-execution-parts.ts';
import type { GeminiModel } from '../gemini-models-and-thinking.ts';

type Json = Record<string, unknown>;

/**
 * Placeholder for calls of other models and for lost signatures:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/**
 * Encodes turns by this dialect's rules: the user begins and ends, and the results of a step's calls are a separate
 * content, in the order of the calls.
 * @throws InvalidRequestError
 */
export function encodeContents(turns: readonly Turn[], model: GeminiModel, dropped: string[]): Json[] {
  const paired = alternateTurns(convertSystemTurns(pairCallsWithResults(turns)));
  checkArguments(paired);
  if (paired.at(-1)?.role !== 'user') {
    dropped.push('messages.prefill');
    paired.push({ role: 'user', parts: [{ type: 'text', text: 'Continue.' }] });
  }
  return paired.flatMap((turn, index) =>
    turn.role === 'assistant'
      ? dropIfEmpty({ role: 'model', parts: modelParts(turn.parts, model, dropped) })
      : userContents(turn.parts, listCalls(paired[index - 1]), model, dropped),
  );
}

interface Content extends Json {
  role: string;
  parts: Json[];
}

/** Removes a content without parts, which the API refuses. */
function dropIfEmpty(content: Content): Content[] {
  return content.parts.length > 0 ? [content] : [];
}

function listCalls(turn: Turn | undefined): readonly ToolCallPart[] {
  return turn?.parts.filter((part) => part.type === 'tool-call') ?? [];
}

/**
 * Encodes the model's parts. A signature joins the part that follows it, or an empty text if none does. In a response
 * with calls it joins the first call, whatever is between, because some dialects put signatures before all else.
 */
function modelParts(parts: readonly Part[], model: GeminiModel, dropped: string[]): Json[] {
  const encoded: Json[] = [];
  const callIsNext = findUpcomingCalls(parts);
  let signature: string | undefined;
  let isFirstCall = true;
  for (const [at, part] of parts.entries()) {
    if (part.type === 'reasoning') {
      const next = geminiSignature(part, dropped);
      if (next === undefined) continue;
      if (signature !== undefined) encoded.push({ text: '', thoughtSignature: signature });
      signature = next;
      if (part.text !== '') encoded.push({ text: part.text, thought: true });
      continue;
    }
    const [first, ...others] = modelPart(part, dropped);
    if (first === undefined) continue;
    const isCall = part.type === 'tool-call';
    if (isCall && isFirstCall && model.isThird) signature ??= NO_SIGNATURE;
    const isSigned = signature !== undefined && (isCall || !isFirstCall || !callIsNext[at]);
    encoded.push({ ...first, ...(isSigned && { thoughtSignature: signature }) }, ...others);
    if (isSigned) signature = undefined;
    if (isCall) isFirstCall = false;
  }
  if (signature !== undefined) encoded.push({ text: '', thoughtSignature: signature });
  return encoded;
}

/** Returns for each part whether the next call or signature after it is a call. */
function findUpcomingCalls(parts: readonly Part[]): boolean[] {
  const answers: boolean[] = [];
  let isNext = false;
  for (const part of parts.toReversed()) {
    answers.push(isNext);
    if (part.type === 'tool-call') isNext = true;
    if (part.type === 'reasoning' && part.signature?.origin === 'gemini') isNext = false;
  }
  return answers.toReversed();
}

/** Returns a signature of Google's; signatures of other vendors mean nothing there. */
function geminiSignature({ signature }: ReasoningPart, dropped: string[]): string | undefined {
  if (signature?.origin === 'gemini') return signature.value;
  dropped.push('messages.reasoning_content');
  return undefined;
}

function modelPart(part: Part, dropped: string[]): Json[] {
  if (part.type === 'tool-call') {
    const { callId, name } = part;
    return [{ functionCall: { id: callId, name, args: toToolInput(part.arguments) } }];
  }
  if (part.type === 'vendor-call' && part.call.tool === 'code-execution') return writeCode(part.call);
  return plainPart(part, dropped);
}

/** Encodes a user turn: results first, in a separate content, then everything else. */
function userContents(
  parts: readonly Part[],
  calls: readonly ToolCallPart[],
  model: GeminiModel,
  dropped: string[],
): Content[] {
  const names = new Map(calls.map(({ callId, name }) => [callId, name]));
  const results: Json[] = [];
  const others: Json[] = [];
  for (const part of parts) {
    if (part.type !== 'tool-result') {
      others.push(...plainPart(part, dropped));
      continue;
    }
    const files = encodeFiles(part, dropped);
    results.push(encodeResult(part, names.get(part.callId) ?? '', model.isThird ? files : []));
    if (!model.isThird) for (const file of files) others.push(file);
  }
  // An empty user turn still asks for a response.
  if (results.length + others.length === 0) others.push({ text: ' ' });
  return [...dropIfEmpty({ role: 'user', parts: results }), ...dropIfEmpty({ role: 'user', parts: others })];
}

function plainPart(part: Part, dropped: string[]): Json[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'file':
    case 'audio':
    case 'video':
      return [encodeFile(part, dropped)];
    case 'reasoning':
    case 'tool-call':
    case 'tool-result':
    case 'vendor-call':
    default:
      dropped.push(`messages.content.${part.type}`);
      return [];
  }
}

/** Encodes a result as an object with the member names of Google's documentation. */
function encodeResult(result: ToolResultPart, name: string, files: readonly Json[]): Json {
  const words = resultText(result);
  return {
    functionResponse: {
      id: result.callId,
      name,
      response: result.isError ? { error: words } : { output: words },
      ...(files.length > 0 && { parts: files }),
    },
  };
}

function resultText({ content }: ToolResultPart): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function encodeFiles({ content }: ToolResultPart, dropped: string[]): Json[] {
  return content.flatMap((part) => (part.type === 'text' ? [] : [encodeFile(part, dropped)]));
}

/** Media types by file extension of the URL, because the vendor requires the type. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};

/** Default media types for URLs whose extension reveals none; a video (YouTube) needs none. */
const usual = { image: 'image/jpeg', audio: 'audio/mp3', file: 'application/pdf', video: undefined };

/** Encodes a file. The vendor, not the gateway, fetches URLs. */
function encodeFile(part: ImagePart | AudioPart | VideoPart | FilePart, dropped: string[]): Record<string, unknown> {
  const { source } = part;
  if (part.type === 'image' && (part.detail ?? 'auto') !== 'auto') dropped.push('messages.content.image_url.detail');
  if (part.type === 'file' && part.name !== undefined) dropped.push('messages.content.file.filename');
  if ('base64' in source) return { inlineData: { mimeType: source.mediaType, data: source.base64 } };
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(source.url)?.[1]?.toLowerCase() ?? '';
  const known = Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
  const mimeType = known ?? usual[part.type];
  return { fileData: { fileUri: source.url, ...(mimeType !== undefined && { mimeType }) } };
}
