import { writeCacheMark } from '../../cache-mark.ts';
import type { FilePart, ImagePart, Part, ReasoningPart, ToolResultPart, Turn } from '../../conversation.ts';
import { InvalidRequest } from '../../format.ts';
import { excessOf } from '../../json-size.ts';
import { withSystemNotes } from '../../system-notes.ts';
import { toolId } from './block-ids.ts';
import type { claudeModel } from './claude-models.ts';
import { inputOf } from './encode-answer.ts';

type Block = Record<string, unknown>;

/**
 * Turns as this dialect demands them: beginning with the user, roles alternating, every tool call answered at
 * the head of the very next turn, no empty text, no white space at the end of a prefilled answer.
 * @throws InvalidRequest
 */
export function encodeTurns(
  turns: readonly Turn[],
  model: ReturnType<typeof claudeModel>,
  dropped: string[],
): Record<string, unknown>[] {
  const merged = placeSystemTurns(turns, model.systemTurns);
  if (merged[0]?.role !== 'user') merged.unshift({ role: 'user', parts: [{ type: 'text', text: '.' }] });
  answerEveryCall(merged);
  checkArguments(merged);
  return merged.flatMap((turn, index) => {
    const isPrefill = turn.role === 'assistant' && index === merged.length - 1;
    const content = turn.parts.flatMap((part) => encodePart(part, dropped));
    if (isPrefill) trimEnd(content.at(-1));
    return content.length > 0 ? [{ role: turn.role, content }] : [];
  });
}

/**
 * Instructions stay turns of their own where the model takes them: behind one of the user's, and before one of the
 * assistant's or at the end. Elsewhere they become notes.
 */
function placeSystemTurns(turns: readonly Turn[], areTaken: boolean): Turn[] {
  if (!areTaken) return mergeTurns(withSystemNotes(turns));
  const merged = mergeTurns(turns);
  const placed = merged.flatMap((turn, index) => {
    const isInPlace = merged[index - 1]?.role === 'user' && merged[index + 1]?.role !== 'user';
    return isInPlace ? [turn] : withSystemNotes([turn]);
  });
  return mergeTurns(placed);
}

function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role) for (const part of turn.parts) last.parts.push(part);
    else merged.push({ role: turn.role, parts: [...turn.parts] });
  }
  return merged;
}

function answerEveryCall(turns: Turn[]): void {
  for (let index = 0; index < turns.length; index++) {
    const calls = turns[index]?.parts.filter((part) => part.type === 'tool-call') ?? [];
    if (calls.length === 0) continue;
    const next = turns[index + 1];
    const parts = next?.parts ?? [];
    const known = new Map<string, ToolResultPart>();
    for (const part of parts)
      if (part.type === 'tool-result' && !known.has(part.callId)) known.set(part.callId, part);
    const results = calls.map(({ callId }) => known.get(callId) ?? missingResult(callId));
    const used = new Set<Part>(results);
    const others = parts.filter((part) => !used.has(part));
    if (next === undefined) turns.push({ role: 'user', parts: results });
    else next.parts = [...results, ...others];
  }
}

function missingResult(callId: string): ToolResultPart {
  const content = [{ type: 'text' as const, text: 'The result of this call was not recorded.' }];
  return { type: 'tool-result', callId, content, isError: true };
}

/** Arguments are text in the other dialect, which nobody has looked into yet. */
function checkArguments(turns: readonly Turn[]): void {
  const calls = turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  const excess = excessOf(calls.map((call) => call.arguments));
  if (excess === undefined) return;
  throw new InvalidRequest(`The request, with the arguments of its tool calls, ${excess}.`, 'messages');
}

function trimEnd(block: Block | undefined): void {
  if (typeof block?.['text'] === 'string') block['text'] = block['text'].trimEnd();
}

function encodePart(part: Part, dropped: string[]): Block[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...writeCacheMark(part) }];
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      if ((part.detail ?? 'auto') !== 'auto') dropped.push('messages.content.image_url.detail');
      return [{ type: 'image', source: encodeSource(part), ...writeCacheMark(part) }];
    case 'file':
      return [encodeFile(part)];
    case 'reasoning':
      return encodeReasoning(part, dropped);
    case 'tool-call': {
      const id = toolId(part.callId);
      return [
        { type: 'tool_use', id, name: part.name, input: inputOf(part.arguments), ...writeCacheMark(part) },
      ];
    }
    case 'audio':
    case 'video':
    case 'vendor-call':
      dropped.push(`messages.content.${part.type}`);
      return [];
    case 'tool-result':
    default:
      return [
        {
          type: 'tool_result',
          tool_use_id: toolId(part.callId),
          content: part.content.flatMap((content) => encodePart(content, dropped)),
          ...(part.isError && { is_error: true }),
          ...writeCacheMark(part),
        },
      ];
  }
}

function encodeSource(part: ImagePart | FilePart): Block {
  if ('url' in part.source) return { type: 'url', url: part.source.url };
  return { type: 'base64', media_type: part.source.mediaType, data: part.source.base64 };
}

function encodeFile(part: FilePart): Block {
  if ('mediaType' in part.source && part.source.mediaType.startsWith('image/'))
    return { type: 'image', source: encodeSource(part), ...writeCacheMark(part) };
  const title = part.name === undefined ? {} : { title: part.name };
  const isText = 'mediaType' in part.source && part.source.mediaType.startsWith('text/');
  const source =
    isText && 'base64' in part.source
      ? {
          type: 'text',
          media_type: 'text/plain',
          data: Buffer.from(part.source.base64, 'base64').toString('utf8'),
        }
      : encodeSource(part);
  return { type: 'document', source, ...title, ...writeCacheMark(part) };
}

/** A thought without its signature would be refused. */
function encodeReasoning(part: ReasoningPart, dropped: string[]): Block[] {
  const { text, proof } = part;
  if (proof?.origin === 'anthropic-messages') {
    return proof.kind === 'redacted'
      ? [{ type: 'redacted_thinking', data: proof.value }]
      : [{ type: 'thinking', thinking: text, signature: proof.value }];
  }
  dropped.push('messages.reasoning_content');
  return [];
}
