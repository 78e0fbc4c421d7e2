import { type JsonObject, textOf } from '../../../json/json.ts';
import type { CitedSource } from '../../../model/conversation.ts';

/** Here a citation is about the whole text block that it stands in. */
export function readCitation(citation: JsonObject): CitedSource {
  return {
    // `source` of a search result that the client itself sent is mostly an address, too.
    url: textOf(citation['url']) ?? textOf(citation['source']),
    title: textOf(citation['title']) ?? textOf(citation['document_title']),
    quote: textOf(citation['cited_text']),
  };
}

/**
 * A file that only its vendor has is cited by its title, like a search result of the client's.
 * @returns undefined for what has neither address nor title
 */
export function writeCitation({ url, title, quote }: CitedSource): Record<string, unknown> | undefined {
  if (url === undefined && title === undefined) return undefined;
  if (url === undefined)
    return {
      type: 'search_result_location',
      source: title,
      title,
      cited_text: quote ?? '',
      search_result_index: 0,
      start_block_index: 0,
      end_block_index: 0,
    };
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: quote ?? '',
    encrypted_index: '',
  };
}
