import { writeCacheMark } from '../../cache-mark.ts';
import type { Conversation, Part, TextPart, ToolCallPart, ToolResultPart, Turn } from '../../conversation.ts';
import { writeUrl } from '../../data-url.ts';

type Message = Record<string, unknown>;
type UserPart = Exclude<Part, { type: 'tool-result' }>;

export function encodeMessages(conversation: Conversation, dropped: string[]): Message[] {
  const messages: Message[] = [];
  if (conversation.system.length > 0)
    messages.push({ role: 'system', content: systemContent(conversation.system) });
  const loopStart = startOfToolLoop(conversation.turns);
  for (const [index, turn] of conversation.turns.entries()) {
    if (turn.role === 'system') messages.push({ role: 'system', content: systemContent(textsOf(turn)) });
    else if (turn.role === 'assistant') messages.push(assistantMessage(turn, index > loopStart, dropped));
    else messages.push(...userMessages(turn, dropped));
  }
  return messages;
}

function textsOf(turn: Turn): TextPart[] {
  return turn.parts.filter((part) => part.type === 'text');
}

/** Joined with blank lines, unless a cache breakpoint needs the parts apart. */
function systemContent(system: readonly TextPart[]): unknown {
  if (system.some((part) => part.cache !== undefined)) return system.map(textPart);
  return system.map((part) => part.text).join('\n\n');
}

/**
 * Index of the last turn in which the user said something of their own. Vendors that reason in this dialect
 * want their reasoning back within the tool loop that follows it, and not from earlier turns.
 */
function startOfToolLoop(turns: readonly Turn[]): number {
  return turns.findLastIndex(
    (turn) => turn.role === 'user' && turn.parts.every((part) => part.type !== 'tool-result'),
  );
}

function assistantMessage(turn: Turn, isInToolLoop: boolean, dropped: string[]): Message {
  const texts = textsOf(turn);
  const calls = turn.parts.filter((part) => part.type === 'tool-call');
  const refusal = turn.parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('');
  const thoughts = turn.parts.filter((part) => part.type === 'reasoning');
  if (thoughts.some((part) => part.proof?.kind === 'redacted')) dropped.push('redacted_thinking');
  if (turn.parts.some((part) => part.type === 'image' || part.type === 'file'))
    dropped.push('messages.assistant.image');
  const reasoning = thoughts.map((part) => part.text).join('');
  return {
    role: 'assistant',
    content: texts.length > 0 ? texts.map((part) => part.text).join('') : null,
    ...(refusal !== '' && { refusal }),
    ...(isInToolLoop && reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
}

function toolCall(part: ToolCallPart): Message {
  return { id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } };
}

/** Results come first, as messages of their own; what else the turn says follows in one message. */
function userMessages(turn: Turn, dropped: string[]): Message[] {
  const results = turn.parts.filter((part) => part.type === 'tool-result');
  // Images have no place in a tool message; they follow in the user's.
  const images = results.flatMap((result) => result.content.filter((part) => part.type === 'image'));
  const said = [...images, ...turn.parts.filter((part) => part.type !== 'tool-result')];
  const messages = results.map(toolMessage);
  if (said.length > 0 || results.length === 0)
    messages.push({ role: 'user', content: userContent(said, dropped) });
  return messages;
}

function toolMessage(result: ToolResultPart): Message {
  const text = result.content
    .map((part) => (part.type === 'text' ? part.text : '[image, see below]'))
    .join('\n');
  return { role: 'tool', tool_call_id: result.callId, content: result.isError ? `Error: ${text}` : text };
}

function userContent(parts: readonly UserPart[], dropped: string[]): unknown {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text' && only.cache === undefined) return only.text;
  return parts.flatMap((part) => userPart(part, dropped));
}

function userPart(part: UserPart, dropped: string[]): Message[] {
  switch (part.type) {
    case 'text':
      return [textPart(part)];
    case 'image': {
      const detail = part.detail === undefined ? {} : { detail: part.detail };
      return [
        { type: 'image_url', image_url: { url: writeUrl(part.source), ...detail }, ...writeCacheMark(part) },
      ];
    }
    case 'file':
      if ('url' in part.source) {
        dropped.push('messages.content.document.url');
        return [];
      }
      return [
        { type: 'file', file: { filename: part.name ?? 'document', file_data: writeUrl(part.source) } },
      ];
    case 'audio':
    case 'video':
    case 'reasoning':
    case 'tool-call':
    case 'vendor-call':
    case 'refusal':
    default:
      dropped.push(`messages.user.${part.type}`);
      return [];
  }
}

function textPart(part: TextPart): Message {
  return { type: 'text', text: part.text, ...writeCacheMark(part) };
}
