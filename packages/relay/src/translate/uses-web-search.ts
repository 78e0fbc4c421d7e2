import { isObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';

/** Returns whether a chat request of any dialect lets the model search the web. */
export function usesWebSearch({ json }: Pick<ClientRequest, 'json'>): boolean {
  if (isObject(json['web_search_options'])) return true;
  return listOf(json['tools']).some((value) => {
    const tool = objectOf(value);
    const type = textOf(tool['type']) ?? '';
    return type.startsWith('web_search') || isObject(tool['googleSearch']) || isObject(tool['google_search']);
  });
}
