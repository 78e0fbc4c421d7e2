/** What an answer of the Responses API says at its end, read from the bytes that the client gets. */
import { isObject, parseJson, sseEvents } from '@switchyard/relay';

interface FinalResponse {
  id: string;
  fields: Record<string, unknown>;
}

const lastEvents: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
/** Of the many events of an answer only what has it is worth parsing. */
const lastEvent = /"response\.(completed|incomplete)"/;

/** Undefined for an error, and for an answer that did not come to its end. */
export function finalResponse(
  answer: { status: number; contentType: string; body: Buffer } | undefined,
): FinalResponse | undefined {
  if (answer === undefined || answer.status !== 200) return undefined;
  const { contentType, body } = answer;
  if (!contentType.startsWith('text/event-stream')) return responseOf(parseJson(body.toString('utf8')));
  const last = sseEvents(body)
    .filter(({ data }) => lastEvent.test(data))
    .map(({ data }) => parseJson(data))
    .findLast((event) => isObject(event) && lastEvents.has(event['type']));
  return responseOf(isObject(last) ? last['response'] : undefined);
}

/** What a request says: one text is one message. */
export function listOfItems(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return [{ type: 'message', role: 'user', content: value }];
  return Array.isArray(value) ? value : [];
}

function responseOf(fields: unknown): FinalResponse | undefined {
  if (!isObject(fields) || fields['object'] !== 'response') return undefined;
  const { id } = fields;
  return typeof id === 'string' && id !== '' ? { id, fields } : undefined;
}
