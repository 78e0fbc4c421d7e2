import { type Notice, NoticeRefused } from './processor.ts';

/**
 * The parameters of a form, decoded.
 * @throws NoticeRefused when one is there twice: which of them counts would be a matter of taste
 */
export function noticeParams(form: URLSearchParams): ReadonlyMap<string, string> {
  const params = new Map<string, string>();
  for (const [name, value] of form) {
    if (params.has(name)) throw new NoticeRefused('A parameter is there twice');
    params.set(name, value);
  }
  return params;
}

/**
 * Whether a text can be the number of an order or a payment. Where what is signed is joined without being escaped, none
 * of these can hold what looks like another parameter.
 */
export function isPlainNumber(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

/** @throws NoticeRefused when it was sent in another way than as a form in a POST, as long as those are */
export function postedForm({ method, body }: Notice): URLSearchParams {
  if (method !== 'POST') throw new NoticeRefused('This is no POST');
  return new URLSearchParams(body.toString('utf8'));
}
