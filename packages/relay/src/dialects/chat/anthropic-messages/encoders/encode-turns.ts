import { writeCacheBreakpoint } from '../../../../model/cache-breakpoint.ts';
import type { FilePart, ImagePart, Part, ReasoningPart, Turn } from '../../../../model/conversation.ts';
import { pairCallsWithResults } from '../../../../translate/pair-tool-calls.ts';
import { checkArguments, toToolInput } from '../../../../translate/tool-input.ts';
import { alternateTurns, convertSystemTurns, mergeTurns } from '../../../../translate/turns-and-instructions.ts';
import type { ClaudeModel } from '../claude-models.ts';
import { callIdRule } from '../server-tool-calls.ts';

type Block = Record<string, unknown>;

/**
 * Encodes turns by this dialect's rules: the user begins, roles alternate, every tool call is answered at the start
 * of the next turn, no text is empty, and a prefilled response doesn't end with white space.
 * @throws InvalidRequestError
 */
export function encodeTurns(
  turns: readonly Turn[],
  model: ClaudeModel,
  isThinking: boolean,
  dropped: string[],
): Block[] {
  const answered = pairCallsWithResults(turns, callIdRule);
  const merged = alternateTurns(placeSystemTurns(answered, model.systemTurns));
  checkArguments(merged);
  if (merged.at(-1)?.role === 'assistant' && (isThinking || !model.prefill)) {
    dropped.push('messages.prefill');
    merged.push({ role: 'user', parts: [{ type: 'text', text: 'Continue.' }] });
  }
  return merged.flatMap((turn, index): Block[] => {
    const isPrefill = turn.role === 'assistant' && index === merged.length - 1;
    const content = turn.parts.flatMap((part) => encodePart(part, dropped));
    if (isPrefill) trimEnd(content.at(-1));
    if (content.length > 0) return [{ role: turn.role, content }];
    // An empty assistant turn is dropped; an empty user turn still asks for a response.
    return turn.role === 'user' ? [{ role: 'user', content: [{ type: 'text', text: '.' }] }] : [];
  });
}

/**
 * Keeps instructions as turns if the model accepts them: after a user's turn, and before an assistant's turn or at
 * the end. Otherwise converts them to notes.
 */
function placeSystemTurns(turns: readonly Turn[], areSupported: boolean): Turn[] {
  if (!areSupported) return convertSystemTurns(turns);
  const merged = mergeTurns(turns);
  return merged.flatMap((turn, index) => {
    const isInPlace = merged[index - 1]?.role === 'user' && merged[index + 1]?.role !== 'user';
    return isInPlace ? [turn] : convertSystemTurns([turn]);
  });
}

function trimEnd(block: Block | undefined): void {
  if (typeof block?.['text'] === 'string') block['text'] = block['text'].trimEnd();
}

function encodePart(part: Part, dropped: string[]): Block[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text, ...writeCacheBreakpoint(part) }];
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    case 'image':
      if ((part.detail ?? 'auto') !== 'auto') dropped.push('messages.content.image_url.detail');
      return [{ type: 'image', source: encodeSource(part), ...writeCacheBreakpoint(part) }];
    case 'file':
      return [encodeFile(part)];
    case 'reasoning':
      return encodeReasoning(part, dropped);
    case 'tool-call': {
      const { callId: id, name } = part;
      return [{ type: 'tool_use', id, name, input: toToolInput(part.arguments), ...writeCacheBreakpoint(part) }];
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
          tool_use_id: part.callId,
          content: part.content.flatMap((content) => encodePart(content, dropped)),
          ...(part.isError && { is_error: true }),
          ...writeCacheBreakpoint(part),
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
    return { type: 'image', source: encodeSource(part), ...writeCacheBreakpoint(part) };
  const title = part.name === undefined ? {} : { title: part.name };
  const isText = 'mediaType' in part.source && part.source.mediaType.startsWith('text/');
  const source =
    isText && 'base64' in part.source
      ? { type: 'text', media_type: 'text/plain', data: Buffer.from(part.source.base64, 'base64').toString('utf8') }
      : encodeSource(part);
  return { type: 'document', source, ...title, ...writeCacheBreakpoint(part) };
}

/** Encodes a thought; the vendor refuses one without a signature. */
function encodeReasoning(part: ReasoningPart, dropped: string[]): Block[] {
  const { text, signature } = part;
  if (signature?.origin === 'anthropic-messages') {
    return signature.kind === 'redacted'
      ? [{ type: 'redacted_thinking', data: signature.value }]
      : [{ type: 'thinking', thinking: text, signature: signature.value }];
  }
  dropped.push('messages.reasoning_content');
  return [];
}
