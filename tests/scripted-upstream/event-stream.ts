/** Responses in AWS's binary framing, as Amazon's own client writes it. */
import { EventStreamCodec } from '@smithy/eventstream-codec';

export const EVENT_STREAM = 'application/vnd.amazon.eventstream';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text),
);

type Json = Readonly<Record<string, unknown>>;

/** @param message one member, named by its type: an event, or `…Exception` */
export function encodeEventMessage(message: Json): Buffer {
  const [[type, payload] = ['', {}]] = Object.entries(message);
  const isException = type.endsWith('Exception');
  const texts = {
    [isException ? ':exception-type' : ':event-type']: type,
    ':content-type': 'application/json',
    ':message-type': isException ? 'exception' : 'event',
  };
  const headers = Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, { type: 'string' as const, value }]),
  );
  const inner = JSON.stringify(payload);
  const body = type === 'chunk' ? JSON.stringify({ bytes: Buffer.from(inner).toString('base64') }) : inner;
  return Buffer.from(codec.encode({ headers, body: Buffer.from(body) }));
}

export function encodeEventStream(messages: readonly Json[]): Buffer {
  return Buffer.concat(messages.map(encodeEventMessage));
}
