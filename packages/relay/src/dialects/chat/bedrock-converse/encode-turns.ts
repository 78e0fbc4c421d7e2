import { describeValue } from '../../../json/describe-value.ts';
import type {
  AudioPart,
  FilePart,
  ImagePart,
  Part,
  ReasoningPart,
  ToolResultPart,
  Turn,
  VideoPart,
} from '../../../model/conversation.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { type CallIdRule, pairCallsWithResults } from '../../../translate/pair-tool-calls.ts';
import { checkArguments, toToolInput } from '../../../translate/tool-input.ts';
import { alternateTurns, convertSystemTurns } from '../../../translate/turns-and-instructions.ts';
import { type ConverseModel, encodeCachePoint } from './converse-models.ts';

type Block = Record<string, unknown>;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html */
const callIds: CallIdRule = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/**
 * Encodes turns by this dialect's rules: the user begins, roles alternate, every call is answered in the next turn,
 * no text is empty, a prefilled response doesn't end with white space, and every document has text beside it.
 * @throws InvalidRequestError
 */
export function encodeTurns(turns: readonly Turn[], model: ConverseModel, dropped: string[]): Block[] {
  const paired = alternateTurns(convertSystemTurns(pairCallsWithResults(turns, callIds)));
  checkArguments(paired);
  const files = new FileEncoder();
  return paired.flatMap((turn, index): Block[] => {
    const content = turn.parts.flatMap((part) => {
      const blocks = encodePart(part, files, dropped);
      return 'cache' in part && blocks.length > 0 ? [...blocks, ...encodeCachePoint(part, model, dropped)] : blocks;
    });
    if (turn.role === 'assistant' && index === paired.length - 1) trimEnd(content.at(-1));
    if (content.length > 0) return [{ role: turn.role, content: addRequiredText(content) }];
    return turn.role === 'user' ? [{ role: 'user', content: [{ text: '.' }] }] : [];
  });
}

function trimEnd(block: Block | undefined): void {
  if (typeof block?.['text'] === 'string') block['text'] = block['text'].trimEnd();
}

function addRequiredText(content: Block[]): Block[] {
  const isMute = content.every((block) => block['text'] === undefined);
  return isMute && content.some((block) => block['document'] !== undefined) ? [...content, { text: '.' }] : content;
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
      return [{ toolUse: { toolUseId: part.callId, name: part.name, input: toToolInput(part.arguments) } }];
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

/** Encodes a thought; the vendor refuses one without a signature. */
function encodeReasoning({ text, signature }: ReasoningPart, dropped: string[]): Block[] {
  if (signature?.origin === 'bedrock-converse')
    return signature.kind === 'redacted'
      ? [{ reasoningContent: { redactedContent: signature.value } }]
      : [{ reasoningContent: { reasoningText: { text, signature: signature.value } } }];
  dropped.push('messages.reasoning_content');
  return [];
}

const NAME_MAX = 200;

/** Encoder of the files of one request. */
class FileEncoder {
  readonly #names = new Set<string>();

  /**
   * Refuses URLs: the vendor reads only those of the account's storage, which is not the client's.
   * @throws InvalidRequestError
   */
  encode(part: ImagePart | FilePart | AudioPart | VideoPart): Record<string, unknown> {
    const { source } = part;
    if ('url' in source)
      throw new InvalidRequestError('This model does not support file URLs. Send the file as base64.', 'messages');
    const [kind, format] = mediaFormat(source.mediaType) ?? [];
    if (kind === undefined)
      throw new InvalidRequestError(
        `This model does not support the media type ${describeValue(source.mediaType)}. Use one of ${formatNames}.`,
        'messages',
      );
    const file = { format, source: { bytes: source.base64 } };
    if (kind !== 'document') return { [kind]: file };
    return { document: { ...file, name: this.#nameOf('name' in part ? part.name : undefined) } };
  }

  /** Returns a unique name of letters, digits, single spaces, hyphens and brackets. */
  #nameOf(said = 'Document'): string {
    const clean = said
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
      .trim()
      .slice(0, NAME_MAX);
    const name = clean === '' ? 'Document' : clean;
    const free = this.#names.has(name) ? `${name} ${this.#names.size + 1}` : name;
    this.#names.add(free);
    return free;
  }
}

type Kind = 'image' | 'document' | 'video' | 'audio';

/** Vendor's names of the media formats that it reads; any other `text/…` is sent as plain text. */
const formats: ReadonlyMap<string, readonly [Kind, string]> = new Map([
  ['image/png', ['image', 'png']],
  ['image/jpeg', ['image', 'jpeg']],
  ['image/jpg', ['image', 'jpeg']],
  ['image/gif', ['image', 'gif']],
  ['image/webp', ['image', 'webp']],
  ['application/pdf', ['document', 'pdf']],
  ['application/msword', ['document', 'doc']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['document', 'docx']],
  ['application/vnd.ms-excel', ['document', 'xls']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['document', 'xlsx']],
  ['text/csv', ['document', 'csv']],
  ['text/html', ['document', 'html']],
  ['text/markdown', ['document', 'md']],
  ['application/json', ['document', 'txt']],
  ['video/mp4', ['video', 'mp4']],
  ['video/quicktime', ['video', 'mov']],
  ['video/webm', ['video', 'webm']],
  ['video/x-matroska', ['video', 'mkv']],
  ['video/mpeg', ['video', 'mpeg']],
  ['video/3gpp', ['video', 'three_gp']],
  ['audio/mpeg', ['audio', 'mp3']],
  ['audio/mp3', ['audio', 'mp3']],
  ['audio/wav', ['audio', 'wav']],
  ['audio/x-wav', ['audio', 'wav']],
  ['audio/flac', ['audio', 'flac']],
  ['audio/ogg', ['audio', 'ogg']],
  ['audio/aac', ['audio', 'aac']],
  ['audio/mp4', ['audio', 'm4a']],
] satisfies (readonly [string, readonly [Kind, string]])[]);

const formatNames = [...new Set([...formats.values()].map(([, format]) => format))].join(', ');

function mediaFormat(mediaType: string): readonly [Kind, string] | undefined {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return formats.get(type) ?? (type.startsWith('text/') ? ['document', 'txt'] : undefined);
}
