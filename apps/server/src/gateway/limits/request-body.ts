/** Reads a relayed request's body whole, within the size limit and with a deadline on silence. */
import type { IncomingMessage } from 'node:http';
import { BytePieces } from '@switchyard/relay';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from './concurrency-limiter.ts';

/** No client writes so many pieces of so few bytes. Each costs as much as a large one. */
const SMALL_PIECES_MAX = 10_000;
const PIECE_MIN_BYTES = 16;

/**
 * @param slot counts the bytes as long as the request runs
 * @throws RelayError `request_too_large`, `overloaded` when bodies fill the memory that they may have, or
 * `invalid_request` when the client left, fell silent or sends very small pieces
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  slot: Pick<ConcurrencySlot, 'grow'>,
): Promise<Buffer> {
  const tooLarge = (): RelayError => new RelayError('request_too_large', `The body is larger than ${maxBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const held = new BytePieces();
    let size = 0;
    let pieces = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      pieces += 1;
      size += chunk.length;
      if (pieces > SMALL_PIECES_MAX && size < pieces * PIECE_MIN_BYTES) {
        reject(new RelayError('invalid_request', 'The request body arrives in chunks that are too small.'));
        request.destroy();
        return;
      }
      // The rest of a refused body is thrown away, or the client could not read the refusal.
      if (refused) return;
      try {
        if (size > maxBytes) throw tooLarge();
        slot.grow(chunk.length);
        held.push(chunk);
      } catch (error) {
        refused = true;
        held.clear();
        reject(error);
      }
    });
    request.on('end', () => resolve(held.whole()));
    request.on('error', () => reject(new RelayError('invalid_request', 'The request body is incomplete.')));
    request.on('close', () => {
      if (!request.complete) reject(new RelayError('invalid_request', 'The request body is incomplete.'));
    });
  });
}
