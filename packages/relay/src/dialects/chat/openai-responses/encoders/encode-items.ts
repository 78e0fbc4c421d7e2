import { type FileSource, writeUrl } from '../../../../json/data-url.ts';
import type {
  Part,
  ReasoningPart,
  ResultPart,
  ToolResultPart,
  Turn,
} from '../../../../model/conversation.ts';
import { answeredCalls, type CallIdRule } from '../../../../translate/answered-calls.ts';
import { writeEncrypted } from '../encrypted-reasoning.ts';

type Item = Record<string, unknown>;

const nothing: ResultPart = { type: 'text', text: '' };
/** More is answered with 400. */
const callIds: CallIdRule = { maxLength: 64 };

/** Turns as items in their order: what is said becomes messages; calls, results and thoughts are items of their own. */
export function encodeItems(turns: readonly Turn[], dropped: string[]): Item[] {
  const items: Item[] = [];
  for (const { role, parts } of answeredCalls(turns, callIds)) {
    let said: Item[] = [];
    const flush = (): void => {
      if (said.length > 0) items.push({ type: 'message', role: roles[role], content: said });
      said = [];
    };
    for (const part of parts) {
      const item = itemOf(part, dropped);
      if (item === undefined) {
        const content = role === 'assistant' ? answerPart(part, dropped) : givenPart(part, dropped);
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

/** Undefined for what is content of a message. */
function itemOf(part: Part, dropped: string[]): Item[] | undefined {
  switch (part.type) {
    case 'tool-call':
      return [{ type: 'function_call', call_id: part.callId, name: part.name, arguments: part.arguments }];
    case 'tool-result':
      return [{ type: 'function_call_output', call_id: part.callId, output: output(part) }];
    case 'reasoning':
      return thought(part, dropped);
    case 'vendor-call':
      // The vendor takes back only what it has stored.
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

/** A thought without the vendor's own proof would be refused. */
function thought({ text, proof }: ReasoningPart, dropped: string[]): Item[] {
  if (proof?.origin !== 'openai-responses') {
    dropped.push('messages.reasoning_content');
    return [];
  }
  const { itemId = '', encrypted } = writeEncrypted(proof);
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return [{ type: 'reasoning', ...(itemId !== '' && { id: itemId }), summary, encrypted_content: encrypted }];
}

function answerPart(part: Part, dropped: string[]): Item | undefined {
  if (part.type === 'text') return { type: 'output_text', text: part.text, annotations: [] };
  if (part.type === 'refusal') return { type: 'refusal', refusal: part.text };
  dropped.push(`messages.assistant.${part.type}`);
  return undefined;
}

function givenPart(part: Part, dropped: string[]): Item | undefined {
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
      return { type: 'input_image', image_url: writeUrl(part.source), detail: part.detail ?? 'auto' };
    case 'file':
      return { type: 'input_file', ...fileFields(part.source, part.name) };
  }
}

/** Data wants a name, an address must not have one. */
function fileFields(source: FileSource, name: string | undefined): Item {
  if ('url' in source) return { file_url: source.url };
  return { filename: name ?? 'document', file_data: writeUrl(source) };
}

function output({ content, isError }: ToolResultPart): unknown {
  const parts: ResultPart[] = isError === true ? [{ type: 'text', text: 'Error: ' }, ...content] : content;
  const isText = parts.every((part) => part.type === 'text');
  return isText ? parts.map((part) => part.text).join('') : parts.map(inputPart);
}
