import { type JsonObject, objectOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
} from '../../../model/reasoning-signature.ts';
import { readField } from './snake-and-camel-case-fields.ts';

type SignatureEvent = Extract<ResponseEvent, { type: 'reasoning-proof' }>;

/**
 * Returns whether the client asked for thought texts, which Gemini otherwise omits.
 * Source: Gemini's API reference, "ThinkingConfig.includeThoughts".
 */
export function requestsThoughts(request: JsonObject): boolean {
  const config = objectOf(readField(request, 'generationConfig'));
  return readField(objectOf(readField(config, 'thinkingConfig')), 'includeThoughts') === true;
}

/**
 * Filter that removes unrequested thoughts of one candidate: a client that takes the first part for the response
 * would show them. Signatures without a text are kept before a tool call, because the vendor may require them with
 * its result. Google's own signatures are at other parts, and always pass.
 */
export class ThoughtFilter {
  readonly #isAsked: boolean;
  #held: SignatureEvent[] = [];

  /** @param isAsked whether thoughts are shown */
  constructor(isAsked: boolean) {
    this.#isAsked = isAsked;
  }

  /** Returns the events to write for the next event of the candidate. */
  push(event: ResponseEvent): ResponseEvent[] {
    if (this.#isAsked) return [event];
    if (event.type === 'reasoning') return [];
    if (event.type === 'reasoning-proof' && event.signature.origin !== 'gemini') {
      if (standsAlone(event.signature)) this.#held.push(event);
      return [];
    }
    if (event.type === 'tool-call') return [...this.#held.splice(0), event];
    if (event.type === 'text') this.#held = [];
    return [event];
  }
}

/** Returns whether the signature is accepted without the text that it signs. */
function standsAlone({ origin, kind }: ReasoningSignature): boolean {
  return kind === 'redacted' || origin === 'openai-responses';
}

const signed: SignatureLabel = { origin: 'gemini', kind: 'signature' };

/** Base64 of the prefix of every foreign reasoning signature, see `reasoning-signature.ts`. */
const FOREIGN = 'c3dpdGNoeWFyZC';

/**
 * Writes a signature. Signatures are bytes here, and some of Google's client libraries decode and re-encode them, so
 * that foreign signatures must be base64 as well.
 */
export function writeSignature(signature: ReasoningSignature): string {
  const written = encodeSignature(signature, 'gemini');
  return signature.origin === 'gemini' ? written : Buffer.from(written).toString('base64');
}

export function readSignature(text: string): ReasoningSignature | undefined {
  return decodeSignature(text.startsWith(FOREIGN) ? Buffer.from(text, 'base64').toString() : text, signed);
}
