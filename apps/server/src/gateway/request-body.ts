/** Reads a relayed request's body whole, within the size limit and with a deadline on silence. */
import type { IncomingMessage } from 'node:http';
import type { Place } from './places.ts';
import { RelayError } from './relay-error.ts';

/**
 * @param place counts the bytes as long as the request runs
 * @throws RelayError `request_too_large`, `overloaded` when bodies fill the memory that they may have, or
 * `invalid_request` when the client left or fell silent
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  place: Pick<Place, 'grow'>,
): Promise<Buffer> {
  const tooLarge = (): RelayError =>
    new RelayError('request_too_large', `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      // The rest of a refused body is thrown away, or the client could not read the refusal.
      if (refused) return;
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge();
        place.grow(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        refused = true;
        chunks = [];
        reject(error);
      }
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on('error', () => reject(new RelayError('invalid_request', 'The body did not arrive.')));
    request.on('close', () => {
      if (!request.complete) reject(new RelayError('invalid_request', 'The body did not arrive.'));
    });
  });
}
