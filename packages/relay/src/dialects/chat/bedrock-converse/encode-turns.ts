import type { Part, ReasoningPart, ToolResultPart, Turn } from '../../../model/conversation.ts';
import { answeredCalls, type CallIdRule } from '../../../translate/answered-calls.ts';
import { pairedTurns } from '../../../translate/paired-turns.ts';
import { withSystemNotes } from '../../../translate/system-notes.ts';
import { inputOf } from '../../../translate/tool-input.ts';
import { cachePoint } from './cache-point.ts';
import type { ConverseModel } from './converse-models.ts';
import { FileEncoder } from './encode-file.ts';

type Block = Record<string, unknown>;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const callIds: CallIdRule = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/**
 * Turns as this dialect demands them: beginning with the user, roles alternating, every call answered in the very next
 * turn, no empty text, no white space at the end of a prefilled answer, and no document without a word beside it.
 * @throws InvalidRequest
 */
export function encodeTurns(turns: readonly Turn[], model: ConverseModel, dropped: string[]): Block[] {
  const paired = pairedTurns(withSystemNotes(answeredCalls(turns, callIds)));
  const files = new FileEncoder();
  return paired.flatMap((turn, index): Block[] => {
    const content = turn.parts.flatMap((part) => {
      const blocks = encodePart(part, files, dropped);
      return 'cache' in part && blocks.length > 0 ? [...blocks, ...cachePoint(part, model, dropped)] : blocks;
    });
    if (turn.role === 'assistant' && index === paired.length - 1) trimEnd(content.at(-1));
    if (content.length > 0) return [{ role: turn.role, content: withWords(content) }];
    return turn.role === 'user' ? [{ role: 'user', content: [{ text: '.' }] }] : [];
  });
}

function trimEnd(block: Block | undefined): void {
  if (typeof block?.['text'] === 'string') block['text'] = block['text'].trimEnd();
}

function withWords(content: Block[]): Block[] {
  const isMute = content.every((block) => block['text'] === undefined);
  return isMute && content.some((block) => block['document'] !== undefined)
    ? [...content, { text: '.' }]
    : content;
}

function encodePart(part: Part, files: FileEncoder, dropped: string[]): Block[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ text: part.text }];
    case 'image':
      if ((part.detail ?? 'auto') !== 'auto') dropped.push('messages.content.image_url.detail');
      return [files.encode(part)];
    case 'file':
    case 'audio':
    case 'video':
      return [files.encode(part)];
    case 'reasoning':
      return encodeReasoning(part, dropped);
    case 'tool-call':
      return [{ toolUse: { toolUseId: part.callId, name: part.name, input: inputOf(part.arguments) } }];
    case 'vendor-call':
      dropped.push('messages.content.vendor-call');
      return [];
    case 'tool-result':
    default:
      return [encodeResult(part, files, dropped)];
  }
}

function encodeResult(part: ToolResultPart, files: FileEncoder, dropped: string[]): Block {
  const content = part.content.flatMap((inner) => encodePart(inner, files, dropped));
  return {
    toolResult: {
      toolUseId: part.callId,
      content: content.length > 0 ? content : [{ text: '.' }],
      ...(part.isError && { status: 'error' }),
    },
  };
}

/** A thought without its signature would be refused. */
function encodeReasoning({ text, proof }: ReasoningPart, dropped: string[]): Block[] {
  if (proof?.origin === 'bedrock-converse')
    return proof.kind === 'redacted'
      ? [{ reasoningContent: { redactedContent: proof.value } }]
      : [{ reasoningContent: { reasoningText: { text, signature: proof.value } } }];
  dropped.push('messages.reasoning_content');
  return [];
}
