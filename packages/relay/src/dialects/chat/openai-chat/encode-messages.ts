import { toFileUrl } from '../../../media/data-url.ts';
import { writeCacheBreakpoint } from '../../../model/cache-breakpoint.ts';
import type {
  AudioPart,
  Conversation,
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../model/conversation.ts';
import { type CallIdRule, pairCallsWithResults } from '../../../translate/pair-tool-calls.ts';
import { audioFormat } from '../openai-content-audio-logprobs.ts';
import { encodeCallSignature, signsCall } from './reasoning-signatures.ts';

type Message = Record<string, unknown>;

/** OpenAI's limit; longer ids are answered with 400. */
const callIds: CallIdRule = { maxLength: 40 };

export function encodeMessages(conversation: Conversation, dropped: string[]): Message[] {
  const messages: Message[] = [];
  if (conversation.system.length > 0) messages.push({ role: 'system', content: systemContent(conversation.system) });
  const turns = pairCallsWithResults(conversation.turns, callIds);
  const loopStart = findToolLoopStart(turns);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') messages.push({ role: 'system', content: systemContent(listTexts(turn)) });
    else if (turn.role === 'assistant') {
      const keepsThoughts = conversation.keepsThoughts === true || index > loopStart;
      const message = assistantMessage(turn, keepsThoughts, dropped);
      if (hasContent(message)) messages.push(message);
    } else for (const message of userMessages(turn, dropped)) messages.push(message);
  }
  return messages.length > 0 ? messages : [{ role: 'user', content: '' }];
}

function listTexts(turn: Turn): TextPart[] {
  return turn.parts.filter((part) => part.type === 'text');
}

/** Joins texts with blank lines, unless a cache breakpoint separates them. */
function systemContent(system: readonly TextPart[]): unknown {
  if (system.some((part) => part.cache !== undefined)) return system.map(textPart);
  return system.map((part) => part.text).join('\n\n');
}

/**
 * Returns the index of the last turn with user input. Most vendors that reason in this dialect require their
 * reasoning within the tool loop after it, and not from earlier turns.
 */
function findToolLoopStart(turns: readonly Turn[]): number {
  return turns.findLastIndex((turn) => turn.role === 'user' && turn.parts.every((part) => part.type !== 'tool-result'));
}

function assistantMessage(turn: Turn, keepsThoughts: boolean, dropped: string[]): Message {
  const calls = toolCalls(turn);
  const refusal = turn.parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('');
  const thoughts = turn.parts.filter((part) => part.type === 'reasoning');
  if (thoughts.some(({ signature }) => signature?.kind === 'redacted' && signature.origin !== 'openai-chat'))
    dropped.push('redacted_thinking');
  for (const { type } of turn.parts) if (unsupportedParts.has(type)) dropped.push(`messages.assistant.${type}`);
  return {
    role: 'assistant',
    content: assistantContent(listTexts(turn)),
    ...(refusal !== '' && { refusal }),
    ...(keepsThoughts && reasoningFields(thoughts)),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Returns whether the message has content; the API refuses empty ones. */
function hasContent({ role: _role, content, ...others }: Message): boolean {
  return content !== null || Object.keys(others).length > 0;
}

const unsupportedParts: ReadonlySet<string> = new Set(['image', 'file', 'audio', 'video', 'vendor-call']);

function assistantContent(texts: readonly TextPart[]): unknown {
  if (texts.some((part) => part.cache !== undefined)) return texts.map(textPart);
  return texts.length > 0 ? texts.map((part) => part.text).join('') : null;
}

/**
 * Encodes the text for every vendor, and the signatures for their vendor; several signatures each need their own
 * text.
 */
function reasoningFields(thoughts: readonly ReasoningPart[]): Message {
  const text = thoughts.map((part) => part.text).join('');
  const proven = thoughts.filter(({ signature }) => signature?.origin === 'openai-chat');
  const details = proven.map(({ text, signature }) =>
    signature?.kind === 'redacted'
      ? { type: 'reasoning.encrypted', data: signature.value }
      : { type: 'reasoning.text', text, signature: signature?.value },
  );
  return { ...(text !== '' && { reasoning_content: text }), ...(details.length > 0 && { reasoning_details: details }) };
}

function toolCalls(turn: Turn): Message[] {
  return turn.parts.flatMap((part, index) => {
    if (part.type !== 'tool-call') return [];
    const before = turn.parts[index - 1];
    const signature = before?.type === 'reasoning' ? before.signature : undefined;
    return [
      {
        id: part.callId,
        type: 'function',
        function: { name: part.name, arguments: part.arguments },
        ...encodeCallSignature(signsCall(signature) ? signature?.value : undefined),
      },
    ];
  });
}

/** Encodes a user turn: results first, as separate messages, then everything else in one message. */
function userMessages(turn: Turn, dropped: string[]): Message[] {
  const results = turn.parts.filter((part) => part.type === 'tool-result');
  // Images and files are not allowed in a tool message; they follow in a user message.
  const shown = results.flatMap((result) => result.content.filter((part) => part.type !== 'text'));
  const said: UserPart[] = [...shown, ...turn.parts.filter((part) => part.type !== 'tool-result')];
  const messages = results.map(toolMessage);
  const content = userContent(said, dropped);
  if (content.length > 0 || results.length === 0)
    messages.push({ role: 'user', content: content.length > 0 ? content : '' });
  return messages;
}

function toolMessage(result: ToolResultPart): Message {
  const said = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}, see below]`));
  const text = `${result.isError ? 'Error: ' : ''}${said.join('\n')}`;
  const content = result.cache === undefined ? text : [{ type: 'text', text, ...writeCacheBreakpoint(result) }];
  return { role: 'tool', tool_call_id: result.callId, content };
}

type Content = Record<string, unknown>;
type UserPart = Exclude<Part, { type: 'tool-result' }>;

function userContent(parts: readonly UserPart[], dropped: string[]): string | Content[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && only.cache === undefined) return only.text;
  return parts.flatMap((part) => userPart(part, dropped));
}

function userPart(part: UserPart, dropped: string[]): Content[] {
  switch (part.type) {
    case 'text':
      return [textPart(part)];
    case 'image':
      return [imagePart(part)];
    case 'file':
      return filePart(part, dropped);
    case 'audio':
      return audioPart(part, dropped);
    case 'video':
      return [{ type: 'video_url', video_url: { url: toFileUrl(part.source) }, ...writeCacheBreakpoint(part) }];
    case 'reasoning':
    case 'tool-call':
    case 'vendor-call':
    case 'refusal':
    default:
      dropped.push(`messages.user.${part.type}`);
      return [];
  }
}

function textPart(part: TextPart): Content {
  return { type: 'text', text: part.text, ...writeCacheBreakpoint(part) };
}

function imagePart(part: ImagePart): Content {
  const detail = part.detail === undefined ? {} : { detail: part.detail };
  return { type: 'image_url', image_url: { url: toFileUrl(part.source), ...detail }, ...writeCacheBreakpoint(part) };
}

/** Encodes a file. The gateway fetches no URLs; more vendors support plain text than files. */
function filePart(part: FilePart, dropped: string[]): Content[] {
  const { source, name } = part;
  if ('url' in source) {
    dropped.push('messages.content.document.url');
    return [];
  }
  const cache = writeCacheBreakpoint(part);
  if (source.mediaType.startsWith('text/')) {
    const text = Buffer.from(source.base64, 'base64').toString('utf8');
    return [{ type: 'text', text: name === undefined ? text : `${name}\n\n${text}`, ...cache }];
  }
  const file = { filename: name ?? 'document', file_data: toFileUrl(source) };
  return [{ type: 'file', file, ...cache }];
}

function audioPart(part: AudioPart, dropped: string[]): Content[] {
  if ('url' in part.source) {
    dropped.push('messages.content.audio.url');
    return [];
  }
  const { mediaType, base64 } = part.source;
  const audio = { data: base64, format: audioFormat(mediaType) };
  return [{ type: 'input_audio', input_audio: audio, ...writeCacheBreakpoint(part) }];
}
