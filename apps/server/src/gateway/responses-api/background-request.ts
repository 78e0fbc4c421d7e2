/** Reads requests for background responses, and refuses those whose response could not be stored. */
import type { ClientRequest } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../../context.ts';
import { RelayError } from '../http/relay-error.ts';

export function isBackgroundRequest({ format, json }: ClientRequest): boolean {
  return format === 'openai-responses' && json['background'] === true;
}

/** @throws RelayError */
export function checkStorable({ settings }: Pick<Context, 'settings'>, json: ClientRequest['json']): void {
  if (json['store'] === false)
    throw new RelayError('invalid_request', 'A background response must be stored. Omit store or set it to true.', {
      param: 'store',
    });
  if (settings.storedResponseHours === 0)
    throw new RelayError(
      'invalid_request',
      'Background responses are not available because this gateway does not store responses.',
      { param: 'background' },
    );
}

/** Returns the text of the last message of the input. */
export function lastInputText(input: readonly unknown[]): string {
  for (const item of input.toReversed()) {
    const content = isObject(item) ? item['content'] : undefined;
    if (typeof content === 'string') return content;
    const parts = Array.isArray(content) ? content.filter(isObject) : [];
    const text = parts.map((part) => part['text']).find((text) => typeof text === 'string');
    if (typeof text === 'string') return text;
  }
  return '';
}
