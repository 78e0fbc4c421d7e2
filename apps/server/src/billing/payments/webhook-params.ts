import { InvalidWebhookError, type WebhookRequest } from './payment-provider.ts';

/** Alipay's notifications have the most, about forty. */
const PARAMETERS_MAX = 200;

/**
 * Returns the decoded parameters of a form.
 * @throws InvalidWebhookError for a repeated parameter, which would be ambiguous
 */
export function readWebhookParams(form: URLSearchParams): ReadonlyMap<string, string> {
  if (form.size > PARAMETERS_MAX) throw tooMany();
  const params = new Map<string, string>();
  for (const [name, value] of form) {
    if (params.has(name)) throw new InvalidWebhookError('A parameter is given more than once');
    params.set(name, value);
  }
  return params;
}

/**
 * Returns whether a text can be the number of an order or a payment. Within such a number, unescaped signed
 * parameters can't be confused with another parameter.
 */
export function isPlainNumber(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

const tooMany = (): InvalidWebhookError =>
  new InvalidWebhookError(`The event has more than ${PARAMETERS_MAX} parameters`);

/**
 * @throws InvalidWebhookError unless it is a form in a POST, of the usual length, with few enough parameters to be parsed
 * quickly
 */
export function readPostedForm({ method, body }: WebhookRequest): URLSearchParams {
  if (method !== 'POST') throw new InvalidWebhookError('The request method is not POST');
  const text = body.toString('latin1');
  for (let at = text.indexOf('&'), count = 1; at !== -1; at = text.indexOf('&', at + 1), count += 1)
    if (count >= PARAMETERS_MAX) throw tooMany();
  return new URLSearchParams(body.toString('utf8'));
}
