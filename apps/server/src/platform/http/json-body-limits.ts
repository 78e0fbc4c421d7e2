/** Parses JSON bodies, and refuses those whose structure would take too long to parse and validate. */

import { BODY_MAX_VALUES } from '@switchyard/contract/route';
import { DEPTH_MAX, describeSyntaxError, exceededLimit, FIELD_NAME_MAX } from '@switchyard/relay/json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from './app-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Maximum number of values in a body; absent for `BODY_MAX_VALUES`. */
    bodyMaxValues?: number;
  }
}

/** Returns whether a body may have more than so many bytes. Without a `content-length` its length is unknown. */
export function mayBeLonger({ headers }: Pick<FastifyRequest, 'headers'>, bytes: number): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : !(Number(length) <= bytes);
}

/** Bytes of a text whose parse and validation take milliseconds, during which nothing else runs. */
const LONG_BYTES = 8_192;

/** JSON body that its route parses when others have had their turn. */
export class LongBody {
  readonly #bytes: Buffer;
  readonly #parse: (text: string) => unknown;

  constructor(bytes: Buffer, parse: (text: string) => unknown) {
    this.#bytes = bytes;
    this.#parse = parse;
  }

  /** Bytes. */
  get length(): number {
    return this.#bytes.length;
  }

  /** @throws AppError */
  parse(): unknown {
    return this.#parse(this.#bytes.toString());
  }
}

/** Parses short bodies. A long one becomes a `LongBody`. */
export function limitJsonBodies(app: FastifyInstance): void {
  const parseSafely = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const values = request.routeOptions.config.bodyMaxValues ?? BODY_MAX_VALUES;
      const parse = (text: string): unknown => {
        refuseExcess(text, values);
        let parsed: unknown;
        // It calls back before it returns.
        void parseSafely(request, text, (error, value) => {
          if (error !== null) throw invalidBody(text);
          parsed = value;
        });
        return parsed;
      };
      return body.length < LONG_BYTES ? parse(body.toString()) : new LongBody(body, parse);
    },
  );
}

/** @throws AppError */
function refuseExcess(text: string, values: number): void {
  const exceeded = exceededLimit(text, { depth: DEPTH_MAX, values });
  if (exceeded === undefined) return;
  const messages = {
    depth: `The body is nested deeper than ${DEPTH_MAX} levels`,
    name: `The body has a field name of more than ${FIELD_NAME_MAX} characters. Shorten it.`,
    values: `The body contains more than ${values} values. Send fewer at once.`,
  };
  throw new AppError(exceeded === 'values' ? 'too-large' : 'invalid-input', messages[exceeded]);
}

/** Explains why the parser refused a text. */
function invalidBody(text: string): AppError {
  if (text === '') return new AppError('invalid-input', 'The request body is empty. Send JSON.');
  const json = text.replace(/^\uFEFF/, '');
  try {
    JSON.parse(json);
  } catch (error) {
    return new AppError('invalid-input', `The request body is not valid JSON${describeSyntaxError(error, json)}`);
  }
  return new AppError('invalid-input', 'The request body must not set __proto__ or constructor.prototype');
}
