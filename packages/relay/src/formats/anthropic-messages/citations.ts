import type { CitedSource } from '../../conversation.ts';
import { type JsonObject, textOf } from '../../json.ts';

/** Here a citation is about the whole text block that it stands in. */
export function readCitation(citation: JsonObject): CitedSource {
  return {
    // `source` of a search result that the client itself sent is mostly an address, too.
    url: textOf(citation['url']) ?? textOf(citation['source']),
    title: textOf(citation['title']) ?? textOf(citation['document_title']),
    quote: textOf(citation['cited_text']),
  };
}

/** @returns undefined without an address: then it is a place in a document that only this dialect can name. */
export function writeCitation({ url, title, quote }: CitedSource): Record<string, unknown> | undefined {
  if (url === undefined) return undefined;
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: quote ?? '',
    encrypted_index: '',
  };
}
