import { garbled } from './answer-errors.ts';
import type { Tally } from './meter.ts';
import type { Secrets } from './redact.ts';
import { WholeBody } from './whole-body.ts';

/** Tells a stream from a plain body that an upstream sent in its place: the first byte that is not blank. */
export class StreamGate {
  #isStream: boolean | undefined;
  readonly #body = new WholeBody();
  readonly #meter: Tally;
  readonly #secrets: Secrets;

  constructor(meter: Tally, secrets: Secrets) {
    this.#meter = meter;
    this.#secrets = secrets;
  }

  /** False when the chunk belongs to a plain body, which is kept for the verdict at the end. */
  admits(chunk: Buffer): boolean {
    this.#isStream ??= startsAsStream(chunk);
    if (this.#isStream === false) this.#body.push(chunk);
    return this.#isStream !== false;
  }

  /** @throws UpstreamError when what came was not a stream. */
  end(): void {
    if (this.#isStream !== false) return;
    this.#body.read(this.#meter, this.#secrets);
    throw garbled('The upstream answered a streaming request with a plain body.');
  }
}

/** Undefined as long as only white space came. */
function startsAsStream(chunk: Buffer): boolean | undefined {
  for (const byte of chunk) {
    if (byte <= 32) continue;
    // `{`, `[` and `<` open JSON and HTML; a stream begins with a field name, a colon or a byte order mark.
    return byte !== 0x7b && byte !== 0x5b && byte !== 0x3c;
  }
  return undefined;
}
