import { type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../../../json/json.ts';
import { type FileSource, toInlineFile } from '../../../../media/data-url.ts';
import { readCacheBreakpoint } from '../../../../model/cache-breakpoint.ts';
import type { ImagePart, Part, ResultPart, TextPart, ToolResultPart } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { stringifyArguments } from '../../../../translate/tool-input.ts';
import { readResult, readVendorCall } from '../server-tool-calls.ts';
import { readRedacted, readSignature } from '../thought-filter-and-signatures.ts';

export function contentParts(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  const blocks = objectsIn(content);
  const calls = new Set(blocks.flatMap(({ type, id }) => (type === 'server_tool_use' ? (textOf(id) ?? []) : [])));
  const results = new Map(blocks.map((block) => [textOf(block['tool_use_id']), block]));
  return blocks.flatMap((block): Part[] => {
    if (block['type'] === 'server_tool_use') return vendorCall(block, results, unsupported);
    // Read together with its call.
    if (calls.has(textOf(block['tool_use_id']) ?? '') && block['type'] !== 'tool_result') return [];
    return contentPart(block, unsupported);
  });
}

/** @param results results by the call's id; each is read once, because thousands of calls could have the same id */
function vendorCall(block: JsonObject, results: Map<string | undefined, JsonObject>, unsupported: string[]): Part[] {
  const call = readVendorCall(block);
  const id = textOf(block['id']);
  const result = results.get(id);
  results.delete(id);
  if (call !== undefined) return [{ type: 'vendor-call', call: { ...call, ...readResult(result) } }];
  unsupported.push(`messages.content.server_tool_use.${textOf(block['name']) ?? 'unknown'}`);
  return [];
}

function contentPart(block: JsonObject, unsupported: string[]): Part[] {
  switch (block['type']) {
    case 'thinking':
      return [{ type: 'reasoning', text: textOf(block['thinking']) ?? '', signature: readSignature(block) }];
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', signature: readRedacted(block) }];
    case 'tool_use':
      return [
        {
          type: 'tool-call',
          callId: textOf(block['id']) ?? '',
          name: requiredText(block, 'name'),
          arguments: stringifyArguments(block['input']),
          cache: readCacheBreakpoint(block),
        },
      ];
    case 'tool_result':
      return [
        {
          type: 'tool-result',
          callId: textOf(block['tool_use_id']) ?? '',
          ...toolOutput(block['content'], unsupported),
          isError: block['is_error'] === true ? true : undefined,
          cache: readCacheBreakpoint(block),
        },
      ];
    default:
      return plainParts(block, unsupported);
  }
}

/** Decodes a tool's output. A client-side tool search returns references to the tools it found. */
function toolOutput(content: unknown, unsupported: string[]): Pick<ToolResultPart, 'content' | 'foundTools'> {
  const blocks = objectsIn(content);
  const foundTools = blocks.flatMap((block) => (isToolReference(block) ? (textOf(block['tool_name']) ?? []) : []));
  if (foundTools.length === 0) return { content: resultContent(content, unsupported) };
  const others = blocks.filter((block) => !isToolReference(block));
  return { content: resultContent(others, unsupported), foundTools };
}

function isToolReference({ type }: JsonObject): boolean {
  return type === 'tool_reference';
}

function resultContent(content: unknown, unsupported: string[]): ResultPart[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((block) => plainParts(objectOf(block), unsupported));
}

/** Returns the parts that are allowed in both a user turn and a tool result. */
function plainParts(block: JsonObject, unsupported: string[]): ResultPart[] {
  switch (block['type']) {
    case 'text': {
      const text = textOf(block['text']);
      if (listOf(block['citations']).length > 0) unsupported.push('messages.content.citations');
      return text === undefined ? [] : [{ type: 'text', text, cache: readCacheBreakpoint(block) }];
    }
    case 'image':
      return imagePart(block, unsupported);
    case 'document':
      return documentParts(block, unsupported);
    case 'search_result':
      return searchResult(block, unsupported);
    default:
      unsupported.push(`messages.content.${textOf(block['type']) ?? 'unknown'}`);
      return [];
  }
}

function imagePart(block: JsonObject, unsupported: string[]): ImagePart[] {
  const source = fileSource(objectOf(block['source']));
  if (source !== undefined) return [{ type: 'image', source, cache: readCacheBreakpoint(block) }];
  unsupported.push(`messages.content.image.${sourceType(block)}`);
  return [];
}

/** Decodes a document of content blocks to its texts and images. */
function documentParts(block: JsonObject, unsupported: string[]): ResultPart[] {
  const cache = readCacheBreakpoint(block);
  const title = textOf(block['title']);
  if (textOf(block['context']) !== undefined) unsupported.push('messages.content.document.context');
  if (objectOf(block['citations'])['enabled'] === true) unsupported.push('messages.content.document.citations');
  const given = objectOf(block['source']);
  if (given['type'] === 'content') {
    const parts = resultContent(given['content'], unsupported);
    const titled: ResultPart[] = title === undefined ? parts : [{ type: 'text', text: title }, ...parts];
    return withCache(titled, cache);
  }
  const source = fileSource(given);
  if (source !== undefined) return [{ type: 'file', name: title, source, cache }];
  unsupported.push(`messages.content.document.${sourceType(block)}`);
  return [];
}

/** Decodes a search result to its text, preceded by its source. The ability to cite it is reported as unsupported. */
function searchResult(block: JsonObject, unsupported: string[]): ResultPart[] {
  unsupported.push('messages.content.search_result');
  const head = [block['title'], block['source']].flatMap((line) => textOf(line) ?? []).join('\n');
  const parts = resultContent(block['content'], unsupported);
  return withCache(head === '' ? parts : [{ type: 'text', text: head }, ...parts], readCacheBreakpoint(block));
}

function withCache(parts: ResultPart[], cache: TextPart['cache']): ResultPart[] {
  const last = parts.at(-1);
  if (last !== undefined && cache !== undefined) last.cache = cache;
  return parts;
}

function sourceType(block: JsonObject): string {
  return textOf(objectOf(block['source'])['type']) ?? 'source';
}

/** Decodes a file's source. An uploaded file exists at this vendor only. */
function fileSource(source: JsonObject): FileSource | undefined {
  const url = textOf(source['url']);
  const data = textOf(source['data']);
  if (source['type'] === 'url' && url !== undefined) return { url };
  if (data === undefined) return undefined;
  const mediaType = textOf(source['media_type']) ?? 'application/octet-stream';
  if (source['type'] === 'text') return { mediaType: 'text/plain', base64: Buffer.from(data).toString('base64') };
  return source['type'] === 'base64' ? toInlineFile(mediaType, data) : undefined;
}

function requiredText(block: JsonObject, field: string): string {
  const text = textOf(block[field]);
  if (text === undefined) throw new InvalidRequestError(`A ${textOf(block['type'])} block has no ${field}. Add one.`);
  return text;
}
